// Probes whether a call whose result was lost took effect (PB2, PB3).

import { messageOf } from "../../errors.ts";
import { effectiveInput, type RunState, type ToolCall } from "../../projections/folds/run-state.ts";
import type { ProbeContext, ProbeResult } from "../../tools/tool.ts";
import { loadDefinition } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { type JudgeParts, judgeCall } from "./judge.ts";

const PROBE_MS = 5_000;

export type ProbeParts = JudgeParts & Pick<LoopParts, "host" | "store" | "tools">;

/** `by`: a person who asks for a probe also answers the rules that ask. Without a person, only allowed files are read. */
export async function probeCall(
  call: ToolCall,
  state: RunState,
  by: "person" | "cadre",
  parts: ProbeParts,
): Promise<ProbeResult> {
  const { host, ts } = call.started!;
  if (host !== undefined && host !== parts.host)
    return cannotTell(`It was begun on ${host}, and this is ${parts.host}: look there.`);
  const tool = parts.tools.get(call.name);
  const input = tool?.input.safeParse(effectiveInput(call));
  if (!tool?.probe || !input?.success)
    return cannotTell(`${call.name} cannot be probed. Check the system that the call acts on.`);
  const stop = AbortSignal.timeout(PROBE_MS);
  const { workspace } = state.start!;
  const context = {
    ...{ workspace, runId: state.runId, callId: call.id, attempt: call.attempts },
    ...{ startedAt: ts, signal: stop, mayShow: await visibleFiles(state, by, parts) },
  };
  try {
    return await Promise.race([tool.probe(input.data, context), timeout(stop)]);
  } catch (error) {
    return cannotTell(`The probe failed: ${messageOf(error)}`);
  }
}

/** Decides which files a probe can read. If a person requested the probe, it also reads files that need approval. Denied files stay hidden. */
async function visibleFiles(
  state: RunState,
  by: "person" | "cadre",
  parts: ProbeParts,
): Promise<ProbeContext["mayShow"]> {
  const definition = await loadDefinition(parts.store, state.start!.definition);
  // The agent's list of tools does not apply, because the agent does not see what the probe reads.
  const run = { definition: { ...definition, tools: { ...definition.tools, allow: undefined } }, state };
  const refused = by === "person" ? ["deny"] : ["deny", "ask"];
  return (path) => !refused.includes(judgeCall({ name: "Read" }, { path }, "read", [], run, parts).verdict);
}

const timeout = (stop: AbortSignal): Promise<ProbeResult> =>
  new Promise((done) => {
    const onTime = () => done(cannotTell(`The probe took longer than ${PROBE_MS / 1000} s.`));
    stop.addEventListener("abort", onTime, { once: true });
  });

const cannotTell = (why: string): ProbeResult => ({ found: "cannot_tell", evidence: [why] });
