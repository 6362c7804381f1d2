// `cadre undo`: puts the files of a run and of all runs below it back as they were at a moment.
// The result of each call lists the files that it changed (`changes`). `undo-plan.ts` decides what happens to each path, and why.
//  UN9   Only files are taken back. Other effects of a call are listed, so that a person can deal with them.
//  UN10  Nothing is taken back while a run is at work, because its next step would build on files that disappear.

import { CadreError, runNotFound } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { FileChanges, JournalEvent, Payload } from "../../journal/events.ts";
import { canReach } from "../../journal/tool-facts.ts";
import { isMergeCall, mergeCallId } from "../../projections/folds/child-runs.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { hasEnded } from "../../projections/folds/run-state.ts";
import {
  historiesOf,
  orderSteps,
  planStep,
  type UndoStatus,
  type UndoStep,
} from "../../projections/folds/undo-plan.ts";
import { describeCallById, emptyNames, learnNames } from "../../projections/views/timeline.ts";
import { plural } from "../../projections/words/format.ts";
import { type CommandParts, signalRun } from "./person-commands.ts";

type UndoParts = Pick<CommandParts, "files" | "ids" | "store" | "toolFacts" | "wake">;

export interface UndoRequest {
  /** If false, the undo is refused if it would change a file that decides what Cadre runs (A81). */
  mayChangeProtected?: boolean | undefined;
  /** The files are put back as they were after this event of the run. If absent, as they were before the run started. */
  seq?: number | undefined;
  /** Returns the plan, and changes nothing. */
  dryRun?: boolean | undefined;
}

export interface UndoneFile {
  path: string;
  /** The folder of the path, if it is not the workspace of the run. */
  folder?: string;
  status: UndoStatus | "changed" | "full";
  /** The action of the undo: it `restores` an earlier version, `removes` a new file, or `brings_back` a deleted one. */
  action?: "restores" | "removes" | "brings_back";
}

export interface LastingEffect {
  runId: RunId;
  seq: number;
  text: string;
  /** True if the call was cut off, so that its changes of files are not known. */
  isCutOff?: boolean;
}

export interface Undo {
  runId: RunId;
  seq: number | undefined;
  files: UndoneFile[];
  /** Calls that may have done more than change files. An undo does not take those effects back. */
  lasting: LastingEffect[];
  /** Calls after which not all changes are known, because the folder has too many files or could not be listed. */
  incomplete: { runId: RunId; seq: number }[];
  /** Folders with the files that the undo replaced. Absent in a plan. */
  aside?: string[];
}

export async function undoRun(
  runId: RunId,
  { seq, dryRun = false, mayChangeProtected = true }: UndoRequest,
  by: string,
  parts: UndoParts,
): Promise<Undo> {
  const rows = await subtree(runId, parts);
  if (!dryRun) requireAtRest(rows);
  const work = await workSince({ runId, seq }, rows, parts);
  const folders = await plansOf(work, parts);
  const own = rows[0]!.workspace;
  const found = { runId, seq, lasting: work.lasting, incomplete: work.incomplete };
  const shownIn = (workspace: string) => (workspace === own ? {} : { folder: workspace });
  if (dryRun)
    return {
      ...found,
      files: folders.flatMap(({ workspace, steps }) =>
        steps.map((step) => ({ ...describeStep(step), ...shownIn(workspace) })),
      ),
    };
  if (!mayChangeProtected) requireUnprotected(folders, parts);
  const files: UndoneFile[] = [];
  const aside: string[] = [];
  for (const { workspace, steps } of folders) {
    const todo = orderSteps(steps.filter(isToDo));
    files.push(
      ...steps
        .filter((step) => !todo.includes(step))
        .map((step) => ({ ...describeStep(step), ...shownIn(workspace) })),
    );
    if (todo.length === 0) continue;
    const note = `${by} took back what run ${runId} did${seq === undefined ? "" : ` after its event ${seq}`}.\nThese are the files that were replaced.\n`;
    const restored = await parts.files.restore(workspace, todo, { note, bytesOf: bytesIn(parts) });
    aside.push(restored.aside);
    for (const [index, step] of todo.entries()) {
      const result = restored.results[index]!;
      const shown = { ...describeStep(step), ...shownIn(workspace) };
      const status = result === "lost" ? "unkept" : result;
      files.push(status === "restored" ? shown : { path: shown.path, ...shownIn(workspace), status });
    }
  }
  await tellRuns(rows, files, by, parts);
  return { ...found, files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)), aside };
}

/** The run and all runs below it, parents first. */
async function subtree(runId: RunId, { store }: Pick<UndoParts, "store">): Promise<RunRow[]> {
  const top = await store.runs.get(runId);
  if (!top) throw runNotFound(runId);
  const rows: RunRow[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await store.runs.list({ root: top.rootRunId, limit: PAGE, ...(cursor ? { cursor } : {}) });
    rows.push(...page.runs);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  const below = new Set([runId]);
  return rows.reverse().filter((row) => {
    if (row.parentRunId !== undefined && below.has(row.parentRunId)) below.add(row.id);
    return below.has(row.id);
  });
}

const PAGE = 200;

/** A run that waits for a person or is paused does nothing until the person acts. */
function requireAtRest(rows: readonly RunRow[]): void {
  const busy = rows.find(({ endedAt, status }) => endedAt === undefined && status !== "suspended");
  if (!busy) return;
  throw new CadreError(
    "CONFLICT",
    `Run ${busy.id} (${busy.agent}) is still at work, so its files are not taken back. Nothing was changed. Pause it first: \`cadre freeze ${rows[0]!.id}\`, or cancel it: \`cadre cancel ${rows[0]!.id}\`.`,
  );
}

const isToDo = ({ status }: UndoStep): boolean => status === "undo" || status === "partly";

function requireUnprotected(folders: readonly FolderPlan[], { files }: Pick<UndoParts, "files">): void {
  for (const { workspace, steps } of folders) {
    const found = steps.find((step) => isToDo(step) && files.isProtected(workspace, step.path));
    if (!found) continue;
    throw new CadreError(
      "FORBIDDEN",
      `${found.path} decides what Cadre runs, so only an admin takes its changes back. Nothing was changed.`,
    );
  }
}

interface Work {
  /** The changes after the moment, by workspace. */
  changes: Map<string, FileChanges[]>;
  lasting: LastingEffect[];
  incomplete: { runId: RunId; seq: number }[];
}

interface OpenCall {
  event: JournalEvent;
  text: string;
  isAfter: boolean;
}

async function workSince(
  { runId, seq }: { runId: RunId; seq: number | undefined },
  rows: readonly RunRow[],
  parts: UndoParts,
): Promise<Work> {
  const journals = await Promise.all(
    rows.map(async ({ id }) => [id, await parts.store.journal.read(id)] as const),
  );
  const moment = momentOf(new Map(journals).get(runId)!, seq);
  const work: Work = { changes: new Map(), lasting: [], incomplete: [] };
  for (const [, events] of journals) collectWork(events, moment, work, parts);
  return work;
}

function momentOf(events: readonly JournalEvent[], seq: number | undefined): number {
  if (seq === undefined) return 0;
  const event = events.find((each) => each.seq === seq);
  if (event) return event.position;
  throw new CadreError(
    "BAD_REQUEST",
    `Run ${events[0]!.runId} has no event ${seq}: its last one is ${events.at(-1)!.seq}. Nothing was changed.`,
  );
}

function collectWork(events: readonly JournalEvent[], moment: number, work: Work, parts: UndoParts): void {
  const names = emptyNames();
  const proposals = new Map<string, Payload<"TOOL_PROPOSED">>();
  const open = new Map<string, OpenCall>();
  let workspace = "";
  let home = "";
  for (const event of events) {
    learnNames(names, event);
    const { runId, seq } = event;
    if (event.type === "RUN_STARTED") {
      ({ workspace } = event.payload);
      home = event.payload.mergesInto?.at(-1) ?? workspace;
    }
    if (event.type === "TOOL_PROPOSED") proposals.set(event.payload.toolCallId, event.payload);
    if (event.type === "TOOL_STARTED") {
      const { toolCallId } = event.payload;
      if (proposals.get(toolCallId)?.effect === "read") continue;
      open.set(toolCallId, {
        event,
        text: describeCallById(names, toolCallId),
        isAfter: event.position > moment,
      });
    }
    if (event.type !== "TOOL_RESULT") continue;
    const { toolCallId, changes, outcome } = event.payload;
    const started = open.get(toolCallId);
    open.delete(toolCallId);
    if (event.position <= moment) continue;
    if (changes) {
      // A root with a worktree merges its own work into the folder of the project.
      const changed = toolCallId === mergeCallId(runId) ? home : workspace;
      work.changes.set(changed, [...(work.changes.get(changed) ?? []), changes]);
      if (changes.incomplete) work.incomplete.push({ runId, seq });
    }
    if (!started || outcome === "not_started") continue;
    const merged = isMergeCall(toolCallId) ? mergeText(event.payload.output) : undefined;
    if (merged !== undefined) work.lasting.push({ runId, seq, text: merged });
    else if (!isMergeCall(toolCallId) && canDoMore(proposals.get(toolCallId)?.name, parts))
      work.lasting.push({ runId, seq, text: started.text });
  }
  for (const { event, text, isAfter } of open.values())
    if (isAfter) work.lasting.push({ runId: event.runId, seq: event.seq, text, isCutOff: true });
}

/** Whether a tool can have effects other than file changes. */
const canDoMore = (tool: string | undefined, { toolFacts }: UndoParts): boolean =>
  tool === undefined || canReach(toolFacts(tool), "commands", "network");

/** A merge stays in the history of git. Only its files are taken back. */
function mergeText(output: unknown): string | undefined {
  const { status, commit, squashed } = (output ?? {}) as Record<string, unknown>;
  if (status !== "merged" || typeof commit !== "string") return undefined;
  const id = commit.slice(0, 12);
  const revert = squashed === true ? `git revert ${id}` : `git revert -m 1 ${id}`;
  return `Merge ${id} stays in git's history: \`${revert}\` takes it back there`;
}

interface FolderPlan {
  workspace: string;
  steps: UndoStep[];
}

/** A workspace that is gone was a worktree. The merge has brought its work into the parent's workspace. */
async function plansOf({ changes }: Work, { files }: UndoParts): Promise<FolderPlan[]> {
  const plans: FolderPlan[] = [];
  for (const [workspace, found] of changes) {
    const histories = historiesOf(found);
    const versions = await files.versions(workspace, [...histories.keys()]);
    if (!versions) continue;
    const steps = [...histories].map(([path, history]) =>
      planStep(path, history, versions.get(path) ?? null),
    );
    plans.push({ workspace, steps: steps.toSorted((a, b) => (a.path < b.path ? -1 : 1)) });
  }
  return plans;
}

function describeStep({ path, status, now, target }: UndoStep): UndoneFile {
  if (status !== "undo" && status !== "partly") return { path, status };
  const action = target === null ? "removes" : now === null ? "brings_back" : "restores";
  return { path, status, action };
}

const bytesIn =
  ({ store }: Pick<UndoParts, "store">) =>
  async (blob: string): Promise<Uint8Array | undefined> => {
    const base64 = await store.blobs.get(blob);
    return base64 === undefined ? undefined : Buffer.from(base64, "base64");
  };

/** Tells the agents that can still continue, because their next turns must not rely on files that are gone. */
async function tellRuns(
  rows: readonly RunRow[],
  files: readonly UndoneFile[],
  by: string,
  parts: UndoParts,
): Promise<void> {
  const undone = files.filter(({ action }) => action !== undefined).map(({ path }) => path);
  if (undone.length === 0) return;
  const listed =
    undone.slice(0, 20).join(", ") + (undone.length > 20 ? ` and ${undone.length - 20} more` : "");
  const text = `${by} took back changes of ${plural(undone.length, "file")}: ${listed}. Read a file again before you change it.`;
  const id = `undo/${parts.ids.nonce()}`;
  for (const row of rows) {
    if (row.endedAt !== undefined) continue;
    await signalRun(row.id, parts, (state) =>
      hasEnded(state.status)
        ? { done: undefined }
        : { events: [{ type: "CONTEXT_ADDED", payload: { id, source: "system", text } }], done: undefined },
    );
  }
}
