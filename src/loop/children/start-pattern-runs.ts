// Starts the runs that a pattern requests.
// Like a delegated child, each of these runs exists if and only if its parent's journal says so (J7, J10).
// If a run cannot start, the journal says why and its slot in the pattern stays empty.

import { CadreError, isTemporary } from "../../errors.ts";
import { baseName } from "../../journal/agent-id.ts";
import type { Definition } from "../../journal/definition.ts";
import type { EventBody, Payload } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { PatternRun } from "../../patterns/action.ts";
import { addRequest, hasReadRequest, openingText } from "../../patterns/opening.ts";
import { NOT_STARTED } from "../../projections/folds/run-state.ts";
import { DELEGATE } from "../../projections/folds/tool-call.ts";
import type { TaskFields } from "../../projections/folds/transcript.ts";
import { inputProblem } from "../builtin-tools/declared/closing-tools.ts";
import { currentGrants, judgeCall } from "../calls/judge.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { treeLimitMessage } from "./check-delegation.ts";
import {
  type ChildParts,
  changedAgentProblem,
  type PreparedChild,
  prepareChild,
  previousRunOf,
} from "./prepare-child.ts";

type SpawnParts = ChildParts & Pick<LoopParts, "authority" | "clock" | "judge" | "mayBegin">;

export async function startPatternRuns(
  runs: readonly PatternRun[],
  run: RunJournal,
  parts: SpawnParts,
): Promise<void> {
  const prepared = await Promise.all(runs.map((wanted) => prepare(wanted, run, parts)));
  if (!parts.mayBegin()) return run.release();
  // The runs start in order, in one commit. `start-children.ts` explains why refusals are recorded afterwards.
  const refusals = await Promise.all(
    prepared.map(async (child) => {
      if ("problem" in child) return child.problem;
      const refused = await run.begin([child.started], { spawn: { ...child.spawn, slot: "queues" } });
      return refused && treeLimitMessage(refused, run, parts.maxConcurrent);
    }),
  );
  refusals.forEach((why, index) => {
    if (why !== undefined) run.record(notStartedEvent(runs[index]!.key, why));
  });
}

async function prepare(
  wanted: PatternRun,
  run: RunJournal,
  parts: SpawnParts,
): Promise<PreparedChild | { problem: string }> {
  const found = await definitionFor(wanted, run, parts);
  if ("problem" in found) return found;
  const problem = (await startRefusal(found, wanted, run, parts)) ?? inputProblem(wanted.input, found);
  if (problem !== undefined) return { problem };
  const { key, trigger, task, input, requestInput, reason, team, maxTurns, retries } = wanted;
  const continues =
    wanted.continues && (await previousRunOf({ agent: found.name, trigger, key }, run, parts));
  // A run that receives the original request also receives the files that belong to the request.
  const { contextFiles, attachments } = task === run.state.start!.task ? run.state.start! : NO_FILES;
  const asked = { task, contextFiles, attachments, input, requestInput };
  const begun = { key, trigger, ...asked, reason, team, maxTurns, retries, continues };
  // An agent that joins the team in a later round has not read the request (K8).
  const joins = team !== undefined && team.round > 1 && !continues;
  const leavesOut = trigger === "team" || hasReadRequest(run.state.start!);
  const before = joins && leavesOut ? addRequest(run.state.start!, wanted.before) : wanted.before;
  const events = firstEvents(
    { ...wanted, contextFiles, before },
    parts.marksAnswers ? parts.ids.nonce() : undefined,
  );
  return prepareChild(begun, found, events, run, parts);
}

const NO_FILES: Pick<Payload<"RUN_STARTED">, "contextFiles" | "attachments"> = {};

/** The agent's current definition, or a definition that the pattern built. */
async function definitionFor(
  { agent, output, trigger }: PatternRun,
  run: RunJournal,
  parts: SpawnParts,
): Promise<Definition | { problem: string }> {
  try {
    const found = typeof agent === "string" ? await parts.findAgent(agent) : agent;
    const changed = await changedAgentProblem(found, run, parts);
    if (changed !== undefined) return { problem: `${changed}.` };
    const models = found.inheritsModel ? run.definition.models : found.models;
    // An advisor only advises with text. It has no `final_report`, so it has no output of its own (S3).
    const { output: _, ...advisor } = found;
    return { ...(trigger === "advisor" ? advisor : found), models, ...omitUndefined({ output }) };
  } catch (error) {
    if (!(error instanceof CadreError) || isTemporary(error)) throw error;
    return { problem: error.message };
  }
}

/** Why a rule refuses the run. A pattern cannot wait for a person, so a rule that requires approval also refuses the run. */
async function startRefusal(
  { name }: Definition,
  { task }: PatternRun,
  run: RunJournal,
  parts: SpawnParts,
): Promise<string | undefined> {
  const above = (run.state.start!.ancestors ?? []).map(({ agent }) => agent);
  // F22: an agent can start drafts of itself, but its descendants cannot start the agent again.
  if (above.includes(name)) {
    const way = [...above, run.definition.name, name].map(baseName).join(" → ");
    return `it is already at work above (${way}).`;
  }
  const grants = await currentGrants(run, parts);
  for (const agent of new Set([baseName(name), name])) {
    const judged = judgeCall({ name: DELEGATE }, { agent, task }, "idempotent", grants, run, parts);
    if (judged.verdict === "deny") return `it is not allowed (${judged.rule}).`;
    if (judged.verdict === "ask") return `a person must allow it first (${judged.rule}).`;
  }
  return undefined;
}

function firstEvents(wanted: PatternRun & TaskFields, nonce: string | undefined): EventBody[] {
  const { before, sections = [], messages = [] } = wanted;
  const events = messages.map(
    ({ id, from, text }): EventBody => ({
      type: "CONTEXT_ADDED",
      payload: { id, source: "team", from, text },
    }),
  );
  if (before === undefined && sections.length === 0) return events;
  const text = openingText(wanted, { before, sections, nonce });
  const opening = { id: "opening", source: "agent" as const, text, opening: true as const };
  return [{ type: "CONTEXT_ADDED", payload: opening }, ...events];
}

function notStartedEvent(id: string, message: string): EventBody {
  return { type: "SYSTEM_ERROR", payload: { id, code: NOT_STARTED, message, fatal: false } };
}
