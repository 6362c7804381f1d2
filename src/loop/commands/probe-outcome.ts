// If the result of a call was lost, probes whether the call took effect.
//  PB1  The finding is recorded with its evidence. The finding is only a proposal: a person decides (P4).
//  PB2  A probe changes nothing, reads only what the rules allow, and takes at most a few seconds.

import type { RunId } from "../../ids.ts";
import type { Payload } from "../../journal/events.ts";
import type { ProbeResult } from "../../tools/tool.ts";
import { probeCall } from "../calls/probe-call.ts";
import { type CommandParts, requireUnknownOutcome, signalRun } from "./person-commands.ts";

/** Limits on the evidence that is kept. */
const SENTENCES = 10;
const SENTENCE_LENGTH = 500;

export async function probeOutcome(
  runId: RunId,
  attemptId: string,
  by: string,
  parts: CommandParts,
): Promise<ProbeResult> {
  const key = `probed/${parts.ids.nonce()}`;
  return signalRun<ProbeResult>(runId, parts, async (state) => {
    const call = requireUnknownOutcome(state, attemptId);
    const probed = parts.mask.value(limitEvidence(await probeCall(call, state, "person", parts)));
    const payload: Payload<"OUTCOME_PROBED"> = {
      toolCallId: call.id,
      ...(call.attempts > 1 ? { attempt: call.attempts } : {}),
      ...probed,
      by,
    };
    return { events: [{ type: "OUTCOME_PROBED", payload, key }], done: probed };
  });
}

export const limitEvidence = ({ found, evidence }: ProbeResult): ProbeResult => ({
  found,
  evidence: evidence
    .slice(0, SENTENCES)
    .map((words) => (words.length > SENTENCE_LENGTH ? `${words.slice(0, SENTENCE_LENGTH)}…` : words)),
});
