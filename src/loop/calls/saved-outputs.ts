// Finds outputs of earlier calls, which an agent reads again under names such as `output:m3.1`.
// These outputs were too long for the agent's context, or were cleared when the conversation became long.
// A name such as `output:RUN/m3.1` stands for an output of a run that this run continues.

import type { JournalEvent, Payload } from "../../journal/events.ts";
import { callOfOutput } from "../../tools/answers.ts";
import type { SavedOutput } from "../../tools/tool.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";

/**
 * Searches this run, and then the continued part of each earlier run. A name without a run can match a result in several runs.
 * The first match that the agent no longer sees in full is returned. If the agent still sees all of them, the first match is returned.
 */
export async function findSavedOutput(
  name: string,
  { runId, transcript }: Pick<RunJournal, "runId" | "transcript">,
  { store }: Pick<LoopParts, "store">,
): Promise<SavedOutput | undefined> {
  const [callId, wanted] = callOfOutput(name)?.split("/").toReversed() ?? [];
  if (callId === undefined) return undefined;
  const shown = new Set(Array.from(transcript.saved.values(), (saved) => saved.name));
  let seen: Result | undefined;
  let next: Continued | undefined = { runId, seq: Number.POSITIVE_INFINITY };
  while (next) {
    const { runId: at, seq }: Continued = next;
    const events: JournalEvent[] = (await store.journal.read(at)).filter((event) => event.seq <= seq);
    const result = wanted === undefined || wanted === at ? resultIn(events, callId) : undefined;
    const isShown = result?.ref === undefined && shown.has(at === runId ? callId : `${at}/${callId}`);
    if (result && (!isShown || wanted)) return wholeOutput(result, store);
    seen ??= result;
    const first = events[0];
    next = first?.type === "RUN_STARTED" ? first.payload.continues : undefined;
  }
  return seen && wholeOutput(seen, store);
}

type Result = Payload<"TOOL_RESULT">;
type Continued = Pick<NonNullable<Payload<"RUN_STARTED">["continues"]>, "runId" | "seq">;

/** The result of the call. Undefined if the agent's module hides the call, because the model must not see it. */
function resultIn(events: readonly JournalEvent[], callId: string): Result | undefined {
  let result: Result | undefined;
  for (const { type, payload } of events) {
    if (type === "TOOL_PROPOSED" && payload.toolCallId === callId && payload.hidden) return undefined;
    if (type === "TOOL_RESULT" && payload.toolCallId === callId) result = payload;
  }
  return result;
}

async function wholeOutput(
  { ref, output, untrusted }: Result,
  { blobs }: Pick<LoopParts["store"], "blobs">,
): Promise<SavedOutput> {
  const kept = typeof output === "string" ? output : JSON.stringify(output, null, 2);
  const text = ref === undefined ? kept : ((await blobs.get(ref)) ?? kept);
  return { text, untrusted };
}
