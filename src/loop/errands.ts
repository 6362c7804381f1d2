// Calls that the loop answers itself, without a tool: see to children that nobody waits for, send a message.

import type { Definition } from "../journal/definition.ts";
import { DELEGATE } from "./delegation.ts";
import { mailTools, SEND_MESSAGE, sendMail } from "./mail.ts";
import type { LoopParts } from "./parts.ts";
import type { RunJournal } from "./run-journal.ts";
import { TEAM_TOOLS } from "./team-tools.ts";
import { isTending, tendChildren, tendingTools } from "./tend-children.ts";

/** Names that stand for no tool in an agent's list, and are known all the same. */
export const LOOP_TOOLS: readonly string[] = [
  "final_report",
  DELEGATE,
  "delegate_to_agent",
  "mcp__agent__spawn",
  ...tendingTools.map(({ name }) => name),
  SEND_MESSAGE,
  ...TEAM_TOOLS,
];

export const isErrand = (tool: string): boolean => tool === SEND_MESSAGE || isTending(tool);

/** Errands that only an agent may run whose file lists them. */
export const mayRun = (tool: string, definition: Definition): boolean =>
  tool !== SEND_MESSAGE || mailTools(definition).length > 0;

export async function runErrand(callId: string, run: RunJournal, parts: LoopParts): Promise<void> {
  const call = run.state.calls.get(callId)!;
  return call.name === SEND_MESSAGE ? sendMail(call, run, parts) : tendChildren(call, run, parts);
}
