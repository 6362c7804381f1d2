// What an agent whose work a program does needs beside the plain loop. Pure, like `decide`.

import type { Action } from "../patterns/action.ts";
import type { DecisionView } from "../patterns/pattern.ts";
import { PROMPT } from "../projections/folds/tool-call.ts";
import { endRun } from "./drive/decide-turn.ts";

/** The prompt that is under way goes on; a person's word on one that was lost is the end, or begins it anew. */
export function nextForRunner({ state, definition }: DecisionView): Action | undefined {
  if (!definition.runner) return undefined;
  const open = state.openModelCall;
  if (open) {
    const { callId, attempt, model, purpose } = open;
    return { type: "call-model", callId, attempt, model, purpose };
  }
  const lost = [...state.calls.values()].find(({ name, result }) => name === PROMPT && result);
  if (!lost || !state.failedCall || lost.result!.outcome === "not_started") return undefined;
  const summary = String(lost.result!.output);
  return lost.result!.outcome === "ok"
    ? endRun({ status: "completed", stopReason: "final_answer", summary })
    : endRun({ status: "failed", stopReason: "error", summary });
}
