// The type of a tool for MCP clients: its input and the API calls that it makes.

import type { z } from "zod";
import type { CadreClient } from "../client/client.ts";

/** Calls the API of the owner process. If that process has stopped, calls the API of the next owner process. */
export type WithClient = <T>(use: (client: CadreClient) => Promise<T>) => Promise<T>;

/** The client's request. */
export interface McpCall {
  /** Aborted if the client cancels the request. */
  signal: AbortSignal;
  /** Tells the client what happens. Absent if the client did not ask for progress. */
  progress?: (message: string) => void;
}

export interface McpTool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** `reads`: the tool changes nothing. `decides`: the tool carries out a person's decision. */
  kind: "reads" | "acts" | "decides";
  call(input: never, ask: WithClient, request: McpCall): Promise<ToolAnswer>;
}

export interface ToolAnswer {
  result: Record<string, unknown>;
  /** Resources that are related to the result. */
  links?: readonly { uri: string; name: string; description: string }[];
}

export function mcpTool<I extends z.ZodObject>(
  tool: Omit<McpTool, "input" | "call"> & {
    input: I;
    call(input: z.output<I>, ask: WithClient, request: McpCall): Promise<ToolAnswer>;
  },
): McpTool {
  return tool;
}
