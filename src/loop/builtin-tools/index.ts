// Calls that the loop answers itself, without a tool: see to children that nobody waits for, send a message, ask, look
// after the runs of the project.

import type { Effect } from "../../journal/definition.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import type { ToolCall } from "../../projections/folds/tool-call.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { performAdminTool, previewAdminCall } from "./admin-tools.ts";
import { isTending, tendChildren, tendingTools } from "./child-runs.ts";
import { ADMIN_TOOLS, adminHeld, effectOfAdmin, isAdmin } from "./declared/admin-tools.ts";
import { ASK_NAMES, isQuestion, mayAsk } from "./declared/ask-user.ts";
import { DELEGATE } from "./declared/delegate.ts";
import { TEAM_TOOLS } from "./declared/team-tools.ts";
import { mailTools, SEND_MESSAGE, sendAgentMessage } from "./send-message.ts";

/** Names that stand for no tool in an agent's list, and are known all the same. */
export const BUILTIN_TOOL_NAMES: readonly string[] = [
  "final_report",
  DELEGATE,
  "delegate_to_agent",
  "mcp__agent__spawn",
  ...tendingTools.map(({ name }) => name),
  SEND_MESSAGE,
  ...TEAM_TOOLS,
  ...ASK_NAMES,
  ...ADMIN_TOOLS,
];

export const isLoopTool = (tool: string): boolean =>
  tool === SEND_MESSAGE || isTending(tool) || isQuestion(tool) || isAdmin(tool);

/** Whatever else it may call: only an agent whose file lists it may run it. */
export const mustBeListed = (tool: string): boolean => tool === SEND_MESSAGE || isAdmin(tool);

export function builtinEffect(tool: string): Effect {
  if (isAdmin(tool)) return effectOfAdmin(tool);
  return tool === "cancel_run" || tool === SEND_MESSAGE ? "idempotent" : "read";
}

/** It starts or joins runs outside of the tree. */
export const reachesOthers = (tool: string): boolean => tool === SEND_MESSAGE;

/** Some errands depend on the agent's file, and on where it stands. */
export function mayRun(tool: string, view: DecisionView, parts: Pick<LoopParts, "offers">): boolean {
  if (isQuestion(tool)) return mayAsk(view, parts);
  if (isAdmin(tool)) return adminHeld(view.definition, parts).some(({ name }) => name === tool);
  return tool !== SEND_MESSAGE || mailTools(view.definition).length > 0;
}

/** What a person sees of it before it happens. */
export async function previewBuiltinCall(call: ToolCall, run: RunJournal, parts: LoopParts): Promise<string> {
  return isAdmin(call.name) ? previewAdminCall(call, run, parts) : JSON.stringify(call.input, null, 2);
}

export async function performBuiltinTool(callId: string, run: RunJournal, parts: LoopParts): Promise<void> {
  const call = run.state.calls.get(callId)!;
  if (isAdmin(call.name)) return performAdminTool(call, run, parts);
  return call.name === SEND_MESSAGE ? sendAgentMessage(call, run, parts) : tendChildren(call, run, parts);
}
