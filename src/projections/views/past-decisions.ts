// Decisions of people about the calls of a run, each with the call as the person saw it.

import type { JournalEvent, Payload } from "../../journal/events.ts";
import { toolCallsOf } from "../../journal/message.ts";
import { newCalls, roundId } from "../folds/tool-call.ts";

export interface PastDecision {
  tool: string;
  input: unknown;
  effect: Payload<"TOOL_PROPOSED">["effect"];
  /** If a person edited a call before allowing it, the person refused the original call. */
  decided: "allowed" | "refused";
  /** Untrusted sources whose text had entered the run before the decision. */
  untrusted: string[];
  at: number;
}

/** Lists the decisions in order. Expired items and approvals by `--yes` are left out, because no person decided them. */
export function pastDecisions(events: readonly JournalEvent[]): PastDecision[] {
  const inputs = new Map<string, unknown>();
  const asked = new Map<string, Payload<"TOOL_PROPOSED">>();
  const found: PastDecision[] = [];
  for (const { type, payload, ts } of events) {
    if (type === "AGENT_THOUGHT")
      for (const [id, call] of newCalls(payload.callId, toolCallsOf(payload.content)))
        inputs.set(id, call.input);
    if (type === "TOOL_PROPOSED" && payload.verdict === "ask")
      asked.set(roundId(payload.toolCallId, payload.round), payload);
    if (type !== "APPROVAL_DECIDED" || payload.automatic) continue;
    const proposal = asked.get(payload.itemId);
    const decided = DECIDED[payload.decision];
    if (!proposal || !decided) continue;
    const { toolCallId, name: tool, effect, untrusted = [] } = proposal;
    const input = proposal.input ?? inputs.get(toolCallId);
    found.push({ tool, input, effect, decided, untrusted, at: ts });
  }
  return found;
}

const DECIDED: Partial<Record<Payload<"APPROVAL_DECIDED">["decision"], PastDecision["decided"]>> = {
  approve: "allowed",
  edit: "refused",
  reject: "refused",
};
