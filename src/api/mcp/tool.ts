// The type of a tool for MCP clients: its input and the API calls that it makes. No tool waits for a run to end.

import type { z } from "zod";
import type { CadreClient } from "../client/client.ts";

/** Calls the API of the owner process. If that process has stopped, calls the API of the next owner process. */
export type WithClient = <T>(use: (client: CadreClient) => Promise<T>) => Promise<T>;

export interface McpTool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** `reads`: the tool changes nothing. `decides`: the tool carries out a person's decision. */
  kind: "reads" | "acts" | "decides";
  call(input: never, ask: WithClient): Promise<ToolAnswer>;
}

export interface ToolAnswer {
  result: Record<string, unknown>;
  /** Resources that are related to the result. */
  links?: readonly { uri: string; name: string; description: string }[];
}

export function mcpTool<I extends z.ZodObject>(
  tool: Omit<McpTool, "input" | "call"> & {
    input: I;
    call(input: z.output<I>, ask: WithClient): Promise<ToolAnswer>;
  },
): McpTool {
  return tool;
}
