// If the result of a call was lost, probes whether the call took effect.
//  PB1  The finding is recorded with its evidence. The finding is only a proposal: a person decides (P4).
//  PB2  A probe changes nothing, reads only what the rules allow, and takes at most a few seconds.

import { messageOf } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { Payload } from "../../journal/events.ts";
import { effectiveInput, type RunState, type ToolCall } from "../../projections/folds/run-state.ts";
import type { ProbeContext, ProbeResult } from "../../tools/tool.ts";
import { judgeCall } from "../calls/judge.ts";
import { loadDefinition } from "../drive/run-journal.ts";
import { type CommandParts, requireUnknownOutcome, signalRun } from "./person-commands.ts";

const PROBE_MS = 5_000;
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
    const probed = parts.mask.value(limitEvidence(await probe(call, state, parts)));
    const payload: Payload<"OUTCOME_PROBED"> = {
      toolCallId: call.id,
      ...(call.attempts > 1 ? { attempt: call.attempts } : {}),
      ...probed,
      by,
    };
    return { events: [{ type: "OUTCOME_PROBED", payload, key }], done: probed };
  });
}

async function probe(call: ToolCall, state: RunState, parts: CommandParts): Promise<ProbeResult> {
  const { host, ts } = call.started!;
  if (host !== undefined && host !== parts.host)
    return cannotTell(`It was begun on ${host}, and this is ${parts.host}: look there.`);
  const tool = parts.tools.get(call.name);
  const input = tool?.input.safeParse(effectiveInput(call));
  if (!tool?.probe || !input?.success)
    return cannotTell(`${call.name} has no way to look: whether it happened can only be seen where it acts.`);
  const stop = AbortSignal.timeout(PROBE_MS);
  const { workspace } = state.start!;
  const context = {
    ...{ workspace, runId: state.runId, callId: call.id, attempt: call.attempts },
    ...{ startedAt: ts, signal: stop, mayShow: await visibleFiles(state, parts) },
  };
  try {
    return await Promise.race([tool.probe(input.data, context), timeout(stop)]);
  } catch (error) {
    return cannotTell(`The probe failed: ${messageOf(error)}`);
  }
}

/** Decides which files a probe can read. The person requested the probe, so it also reads files that need approval. Denied files stay hidden. */
async function visibleFiles(state: RunState, parts: CommandParts): Promise<ProbeContext["mayShow"]> {
  const definition = await loadDefinition(parts.store, state.start!.definition);
  // The agent's list of tools does not apply, because a person asked for this probe.
  const run = { definition: { ...definition, tools: { ...definition.tools, allow: undefined } }, state };
  return (path) => judgeCall({ name: "Read" }, { path }, "read", [], run, parts).verdict !== "deny";
}

const timeout = (stop: AbortSignal): Promise<ProbeResult> =>
  new Promise((done) => {
    const onTime = () => done(cannotTell(`The probe took longer than ${PROBE_MS / 1000} s.`));
    stop.addEventListener("abort", onTime, { once: true });
  });

const limitEvidence = ({ found, evidence }: ProbeResult): ProbeResult => ({
  found,
  evidence: evidence
    .slice(0, SENTENCES)
    .map((words) => (words.length > SENTENCE_LENGTH ? `${words.slice(0, SENTENCE_LENGTH)}…` : words)),
});

const cannotTell = (why: string): ProbeResult => ({ found: "cannot_tell", evidence: [why] });
