// A fork is a new root run. It begins with another run's transcript up to a point, and then continues on its own.
// One event (RUN_STARTED) creates the fork, so a fork exists completely or not at all. The run that it was forked from is not changed.
// Only the transcript is inherited: no children, approvals, usage or session.

import type { ExpandedText } from "../../agents/skills/expand-slash-command.ts";
import { CadreError, runNotFound } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import { type Definition, EDITED, poolIn, startsPrograms } from "../../journal/definition.ts";
import type { Fork, JournalEvent, Payload } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { hostsField, hostsIn, hostsOfPerson } from "../../projections/folds/taint.ts";
import { childEndsAfter, forkPoint } from "../../projections/views/fork-point.ts";
import { continuedRunMissing, loadDefinition } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { type AdmitParts, idempotencyOf, requirePrices, resolveLimits } from "./admit.ts";
import { placeRun } from "./own-worktree.ts";

type Start = Payload<"RUN_STARTED">;

export interface ForkRequest {
  /** The event to fork at. If absent, the run is forked at its latest event. */
  seq?: number;
  edit?: {
    /** A message that follows the forked transcript. If the model has not answered yet, the message replaces the task. */
    message?: string;
    model?: string;
    /** The new text of the agent's file. */
    agent?: string;
  };
  /** Lets calls run as in an ordinary run: they get no recorded results, and need approval only if a rule requires it. */
  allowEffects?: boolean;
}

export interface ForkParts
  extends Pick<AdmitParts, "store" | "clock" | "ids" | "wake" | "expandCommand" | "worktrees">,
    Pick<LoopParts, "checkPrices" | "chooseModel"> {
  /** Compiles a changed text of an agent's file. Throws AGENT_INVALID. */
  editedAgent(definition: Definition, text: string): Promise<Definition>;
  /** Adds the instructions and everything else that a run's definition needs. */
  prepare(definition: Definition): Promise<Definition>;
}

/** `programs` is "refused" if the person must not start programs that an edited text names (A80). */
export async function forkRun(
  runId: RunId,
  asked: ForkRequest,
  parts: ForkParts,
  idempotencyKey?: string,
  by?: string,
  programs?: "refused",
): Promise<{ runId: RunId }> {
  const { store } = parts;
  const message = asked.edit?.message;
  const expanded = message === undefined ? undefined : await parts.expandCommand(message);
  const request = expanded ? { ...asked, edit: { ...asked.edit, message: expanded.text } } : asked;
  const events = await store.journal.read(runId);
  const first = events[0];
  if (first?.type !== "RUN_STARTED") throw runNotFound(runId);
  const at = forkSeq(request.seq, events, runId);
  const point = forkPoint(events, at, request.edit?.message !== undefined);
  const there = await store.journal.head(runId, point);
  if (!there) throw continuedRunMissing(runId);
  const definition = await definitionFor(first.payload, request, parts);
  if (programs === "refused" && definition.source.file.startsWith(EDITED) && startsPrograms(definition))
    throw new CadreError(
      "FORBIDDEN",
      "An edited agent that starts a program (`runner` or `steps`) needs the role admin. Nothing was started.",
      { needed: "admin" },
    );
  const next = parts.ids.runId(parts.clock.now());
  const forked = forkStart(first.payload, definition, request, expanded);
  const spared = programs && forked.permissions && { ...forked.permissions, sparesProtected: true as const };
  const start: Start = {
    ...(await placeRun(forked, definition, next, parts)),
    ...omitUndefined({ permissions: spared }),
    ...omitUndefined({ by: by === first.payload.userId ? undefined : by }),
    definition: await store.blobs.put(JSON.stringify(definition)),
    rootRunId: next,
    continues: { runId, ...there },
    fork: forkOf(at, request, childEndsAfter(events, point)),
  };
  const idempotency = idempotencyOf(idempotencyKey, { fork: runId, ...asked });
  const started = await store.runs.start(next, await requirePrices(start, definition, parts), idempotency);
  await parts.wake(started.runId);
  return { runId: started.runId };
}

function forkSeq(seq: number | undefined, events: readonly JournalEvent[], runId: RunId): number {
  const latest = events.at(-1)!.seq;
  if (seq === undefined) return latest;
  if (seq >= 1 && seq <= latest) return seq;
  throw new CadreError(
    "UNPROCESSABLE",
    `Run ${runId} has no event ${seq}: its latest is ${latest}. Nothing was started.`,
  );
}

/** The pinned definition with the edits of the request. */
async function definitionFor(
  { definition: hash }: Start,
  { edit = {} }: ForkRequest,
  parts: ForkParts,
): Promise<Definition> {
  const pinned = await loadDefinition(parts.store, hash);
  const edited = edit.agent === undefined ? pinned : await parts.editedAgent(pinned, edit.agent);
  if (edit.model === undefined) return parts.prepare(edited);
  const model = parts.chooseModel(edit.model, edited.dialect === undefined ? edited.reasoning : undefined);
  if ("problem" in model) throw new CadreError("UNPROCESSABLE", `${model.problem} Nothing was started.`);
  return parts.prepare({ ...edited, models: [model.model] });
}

/** Fields that a fork does not inherit, because a fork has no parent. */
const NOT_INHERITED = [
  "sessionId",
  "parentRunId",
  "parentKey",
  "team",
  "reason",
  "budgetRunId",
  "pool",
  "effects",
  "by",
  "typed",
] as const;

/** RUN_STARTED of the fork, which is a root run, attended by the person who forked it. */
function forkStart(
  start: Start,
  definition: Definition,
  { edit = {}, allowEffects }: ForkRequest,
  expanded?: ExpandedText,
): Start {
  const { name, kind, limits } = definition;
  const dropped: readonly string[] = edit.agent === undefined ? NOT_INHERITED : [...NOT_INHERITED, "model"];
  const kept = Object.entries(start).filter(([key]) => !dropped.includes(key));
  return {
    ...(Object.fromEntries(kept) as Omit<Start, (typeof NOT_INHERITED)[number]>),
    ...omitUndefined({ model: edit.model }),
    ...poolIn(definition),
    agent: name,
    kind,
    task: edit.message ?? start.task,
    ...hostsField([...hostsOfPerson(start), ...hostsIn(expanded?.typed ?? edit.message ?? "")]),
    ...(expanded?.untrusted ? { untrusted: [...(start.untrusted ?? []), ...expanded.untrusted] } : {}),
    depth: 0,
    trigger: "fork",
    attended: true,
    limits: edit.agent === undefined ? start.limits : resolveLimits(start.limits, limits, {}),
    ...(allowEffects ? {} : { effects: "ask" }),
  };
}

function forkOf(at: number, { edit = {} }: ForkRequest, heard: number[]): Fork {
  const fields = (["message", "model", "agent"] as const).filter((each) => edit[each] !== undefined);
  return {
    at,
    ...(fields.length === 0 ? {} : { edited: fields }),
    ...(heard.length === 0 ? {} : { heard }),
  };
}
