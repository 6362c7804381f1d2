// What a router's choice starts: the chosen agent gets the request as the router got it (S3-25), and the router's word
// beside it.

import type { Ids } from "../ids.ts";
import { baseName } from "../journal/agent-id.ts";
import type { EventBody } from "../journal/events.ts";
import { openingText, openingWithRequest } from "../patterns/opening.ts";
import type { DelegationRequest } from "./builtin-tools/declared/delegate.ts";
import { type ChildRequest, previousRunOf } from "./children/prepare-child.ts";
import type { RunJournal } from "./drive/run-journal.ts";
import type { LoopParts } from "./parts.ts";

export async function routeRequest(
  key: string,
  { reason }: DelegationRequest,
  { agent, run, parts }: { agent: string; run: RunJournal; parts: LoopParts },
): Promise<ChildRequest> {
  const { task, contextFiles, input, team } = run.state.start!;
  const continues = team && (await previousRunOf({ agent, trigger: "route", key }, run, parts));
  return { key, trigger: "route", task, contextFiles, input, reason, team, continues };
}

/** The message that a router may add stands in its call as the task. */
export function routeContext(
  { task }: DelegationRequest,
  { continues }: ChildRequest,
  { run: { state, definition }, ids }: { run: RunJournal; ids: Ids },
): EventBody[] {
  const heard = state.team.heard.map(
    (word): EventBody => ({ type: "CONTEXT_ADDED", payload: { ...word, source: "team" } }),
  );
  if (task === "" && state.opening === undefined) return heard;
  const from = baseName(definition.name);
  const message = { heading: `MESSAGE FROM ${from}`, source: `${from} ${state.runId}`, text: task };
  const sections = task === "" ? [] : [message];
  const before = continues ? state.opening : state.opening && openingWithRequest(state.start!, state.opening);
  const text = openingText(state.start!, { before, sections, nonce: ids.nonce() });
  const payload = { id: "opening", source: "agent" as const, from, text, opening: true as const };
  return [{ type: "CONTEXT_ADDED", payload }, ...heard];
}
