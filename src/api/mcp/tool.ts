// One tool that MCP clients are offered: what it takes, and what it asks of the API. The same value serves every
// transport; no tool holds its call open for a run.

import type { z } from "zod";
import type { CadreClient } from "../client/client.ts";

/** Asks the API; where the process that has the store has gone, asks the next one. */
export type WithClient = <T>(use: (client: CadreClient) => Promise<T>) => Promise<T>;

export interface McpTool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** `reads` changes nothing; `decides` is a person's word. */
  kind: "reads" | "acts" | "decides";
  call(input: never, ask: WithClient): Promise<ToolAnswer>;
}

export interface ToolAnswer {
  result: Record<string, unknown>;
  /** Resources that say more. */
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
