// Performs `ToolSearch`. A valid `mcp_call` is performed as a call of the tool that it names, so `mcp_call` itself only explains mistakes.

import { MCP_CALL } from "../../journal/message.ts";
import { invalidJson, misfit } from "../../patterns/events.ts";
import { effectiveInput, type ToolCall } from "../../projections/folds/tool-call.ts";
import { boundOutput } from "../../tools/answers.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { type BuiltinTool, loopTool, resultOf } from "./builtin-tool.ts";
import {
  mcpCall,
  nearestTools,
  SearchInput,
  searchTools,
  TOOL_SEARCH,
  toolSearch,
  unlistedTools,
} from "./declared/tool-search.ts";

type SearchParts = Pick<LoopParts, "tools" | "offers" | "inputSchema">;

export const TOOL_SEARCHES: readonly BuiltinTool[] = [
  loopTool(toolSearch, { perform: search }),
  loopTool(mcpCall, { perform: explainMistake }),
];

async function search(call: ToolCall, run: RunJournal, parts: SearchParts): Promise<void> {
  const parsed = SearchInput.safeParse(effectiveInput(call));
  if (!parsed.success) return run.record(resultOf(call, misfit(TOOL_SEARCH, parsed.error), true));
  const tools = unlistedTools(run.definition, parts);
  const found = searchTools(parsed.data, tools);
  if (found.length === 0) return run.record(resultOf(call, nothingFound(parsed.data.query, tools)));
  const shown = found.map((tool) =>
    [`## ${tool.name}`, tool.description, `input: ${JSON.stringify(parts.inputSchema(tool))}`].join("\n"),
  );
  const text = `${shown.join("\n\n")}\n\nCall one with ${MCP_CALL}: { "tool": "${found[0]!.name}", "input": { … } }.`;
  run.record(resultOf(call, boundOutput(text).text));
}

function nothingFound(query: string, tools: Parameters<typeof nearestTools>[1]): string {
  const near = nearestTools(query, tools);
  const hint = near.length === 0 ? "Try other words, or a name from the list." : `Near: ${near.join(", ")}.`;
  return `No tool fits ${JSON.stringify(query)}. ${hint}`;
}

async function explainMistake(call: ToolCall, run: RunJournal, parts: SearchParts): Promise<void> {
  const { tool } = (call.input ?? {}) as { tool?: unknown };
  const near = nearestTools(typeof tool === "string" ? tool : "", unlistedTools(run.definition, parts));
  const hint = near.length === 0 ? `Find it with ${TOOL_SEARCH}.` : `Did you mean ${near.join(", ")}?`;
  const problem =
    invalidJson(call) ??
    `Nothing was called: \`tool\` must be the full name of a tool of an MCP server, and \`input\` its input. ${hint}`;
  run.record(resultOf(call, problem, true));
}
