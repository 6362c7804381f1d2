// Performs the tools `mcp__admin__*` and `mcp__monitoring__*` (S1-1, S1-78).
// Text from other runs is marked as untrusted. Text from a tainted run also taints this run.
// The tools do not change a run that a person has stopped, or that waits for a person's decision.
// The agent has the rights of the user that it works for, and the journal records its actions under that user's name (A23).

import { CadreError } from "../../errors.ts";
import { childRunId, type RunId } from "../../ids.ts";
import { type EventBody, RUN_STATUSES } from "../../journal/events.ts";
import { markUntrusted } from "../../journal/untrusted.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { hasEnded } from "../../projections/folds/run-state.ts";
import { emptyTaint, trackTaint } from "../../projections/folds/taint.ts";
import { receiptField, type ToolCall } from "../../projections/folds/tool-call.ts";
import type { RunFilter, Store } from "../../stores/store.ts";
import { retryRun as retry } from "../commands/retry.ts";
import { lastActivityOf, SILENT_MS } from "../drive/check-on-runs.ts";
import { eventsBefore, type RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { type BuiltinTool, loopTool } from "./builtin-tool.ts";
import {
  type AdminInput,
  cancelRun,
  type DeclaredAdminTool,
  health,
  listRuns,
  parseAdminCall,
  recoverRun,
  retryRun,
  runStatus,
} from "./declared/admin-tools.ts";

interface AdminCall {
  asked: AdminInput;
  /** The run that the call is about, if there is one. */
  row: RunRow;
  call: ToolCall;
  run: RunJournal;
  /** The store with the access rights of the user that the agent works for. */
  store: Store;
  parts: LoopParts;
}

/** The output of a call, and the runs whose text is in the output. */
interface AdminAnswer {
  output: unknown;
  words?: readonly RunRow[];
}

export const ADMIN: readonly BuiltinTool[] = [
  adminTool(listRuns, async ({ asked: { status, agent, limit = 20 }, store }) => {
    const { runs, nextCursor } = await store.runs.list({ limit, ...omitUndefined({ status, agent }) });
    return { output: { runs: runs.map(summary), more: nextCursor !== undefined }, words: runs };
  }),

  adminTool(
    cancelRun,
    async ({ row, asked: { reason }, run, store }) => {
      const by = actorOf(run);
      const reached = await store.runs.cancel(row.id, { by, ...omitUndefined({ reason }) });
      return { output: { run_id: row.id, status: "cancelling", cancelled: reached } };
    },
    ({ row, id }) => (hasEnded(row.status) ? `${id} has ended already (${row.status}).` : undefined),
  ),

  adminTool(
    retryRun,
    async ({ row, call, run, parts }) => {
      const next = childRunId(parts.digest, run.runId, call.id, call.attempts);
      const { rootRunId, budgetRunId = rootRunId } = run.state.start!;
      const as = { runId: next, budgetRunId, by: actorOf(run) };
      const begun = await retry(row.id, { ...parts, wake: async () => {} }, as);
      return { output: { run_id: begun.runId, continues: row.id, status: "started" } };
    },
    ({ row, id }) =>
      hasEnded(row.status)
        ? undefined
        : `${id} has not ended (${row.status}): there is nothing to try again.`,
  ),

  adminTool(
    recoverRun,
    async ({ row, run, store, parts }) => {
      const payload = { by: actorOf(run) };
      const resumed: EventBody = { type: "RUN_RESUMED", payload, key: `resumed/${parts.ids.nonce()}` };
      const { refused } = await store.journal.append({
        runId: row.id,
        after: row.seq,
        events: [resumed],
        guard: "unchanged",
      });
      if (refused)
        throw new CadreError(
          "CONFLICT",
          `${row.id} has changed meanwhile. Nothing was changed: look at it again.`,
        );
      return { output: { run_id: row.id, status: "goes on" } };
    },
    ({ row, id }) =>
      row.waitingOn?.kind === "quarantine"
        ? undefined
        : `${id} was not set aside (${row.status}). What waits for a person is for that person.`,
  ),

  adminTool(health, async ({ store, parts }) => {
    const counts = RUN_STATUSES.map(async (status) => [status, await store.runs.count({ status: [status] })]);
    const lists = {
      need_a_person: await firstOf({ waiting: "person" }, store),
      set_aside: await firstOf({ waiting: "quarantine" }, store),
      stuck: await stuckRuns(store, parts),
      unreadable: (await store.leases.quarantined()).map(({ runId }) => runId),
    };
    const cut = Object.entries(lists).map(([name, ids]) => [name, ids.slice(0, MOST)]);
    const more = Object.entries(lists).flatMap(([name, ids]) => (ids.length > MOST ? [name] : []));
    const runs = Object.fromEntries(await Promise.all(counts));
    return { output: { runs, ...Object.fromEntries(cut), more } };
  }),

  adminTool(runStatus, async ({ row, store }) => {
    const { runs } = await store.runs.list({ parent: row.id, limit: 50 });
    return { output: { ...summary(row), children: runs.map(summary) }, words: [row, ...runs] };
  }),
];

/** Builds an admin tool. `unfit` returns an error if the tool cannot act on the named run, for example because the run has ended. */
function adminTool(
  tool: DeclaredAdminTool,
  act: (call: AdminCall) => Promise<AdminAnswer>,
  unfit: (target: Target) => string | undefined = () => undefined,
): BuiltinTool {
  return loopTool(tool, {
    preview: previewAdminCall,
    async perform(call, run, parts) {
      const read = parseAdminCall(tool, call);
      if ("problem" in read) return run.record(errorResult(call, read.problem));
      const { asked } = read;
      const { store, refusal: forbidden } = await parts.actingFor(run.state.start!.userId);
      const id = asked.run_id;
      const row = id === undefined ? undefined : await store.runs.get(id);
      const refused =
        id === undefined
          ? undefined
          : (refusal(tool, { id, row }, forbidden, run) ?? unfit({ id, row: row! }));
      if (refused !== undefined) return run.record(errorResult(call, refused));
      if (tool.effect !== "read") {
        if (!parts.mayBegin()) return run.release();
        const { host, pid } = parts;
        const base = { toolCallId: call.id, ...attemptField(call.attempts + 1), host, pid };
        const payload = { ...base, ...receiptField(call, parts) };
        if (await run.beginWork([{ type: "TOOL_STARTED", payload }])) return;
      }
      // The call is looked up again, because the fold might have been rebuilt.
      const begun = { asked, row: row!, call: run.state.calls.get(call.id)!, run, store, parts };
      run.record(await outcomeOf(act, begun));
    },
  });
}

async function outcomeOf(
  act: (call: AdminCall) => Promise<AdminAnswer>,
  begun: AdminCall,
): Promise<EventBody> {
  try {
    return await adminResult(begun.call, await act(begun), begun.parts);
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    return errorResult(begun.call, error.message);
  }
}

/** The preview of an admin call. It shows the agent and the task of the run that the call names, not only the run's id. */
async function previewAdminCall(
  call: ToolCall,
  { state }: RunJournal,
  { actingFor }: Pick<LoopParts, "actingFor">,
): Promise<string> {
  const text = JSON.stringify(call.input, null, 2);
  const { run_id: id } = (call.input ?? {}) as { run_id?: unknown };
  const { store } = await actingFor(state.start!.userId);
  const row = typeof id === "string" ? await store.runs.get(id) : undefined;
  return row ? `${text}\n\n${row.agent}, ${row.status}: ${row.task}` : text;
}

interface Target {
  id: RunId;
  row: RunRow;
}

function refusal(
  { effect }: DeclaredAdminTool,
  { id, row }: { id: RunId; row: RunRow | undefined },
  forbidden: string | undefined,
  { runId, state }: RunJournal,
): string | undefined {
  if (!row) return `There is no run ${id}. mcp__admin__list_runs shows those that there are.`;
  if (effect === "read") return undefined;
  if (forbidden !== undefined) return forbidden;
  const line = [runId, ...(state.start!.ancestors ?? []).map((above) => above.runId)];
  if (line.includes(id))
    return `${id} is your own run, or one that you work for: end with your report instead.`;
  return undefined;
}

/** Name of the actor in the journal, for example `oli via factory/orchestrator`. */
function actorOf({ state, definition: { name } }: RunJournal): string {
  const { userId } = state.start!;
  return userId === undefined ? name : `${userId} via ${name}`;
}

/** Maximum number of entries in a list that the model receives. */
const MOST = 200;

async function firstOf(filter: RunFilter, store: Store): Promise<RunId[]> {
  const { runs } = await store.runs.list({ ...filter, limit: MOST + 1 });
  return runs.map(({ id }) => id);
}

/** Looks at every running run, because a stuck run is rarely among the newest. */
async function stuckRuns(
  store: Store,
  { clock, drives }: Pick<LoopParts, "clock" | "drives">,
): Promise<RunId[]> {
  const stuck: RunId[] = [];
  let cursor: string | undefined;
  do {
    const page = { limit: MOST, ...omitUndefined({ cursor }) };
    const { runs, nextCursor } = await store.runs.list({ status: ["running"], ...page });
    const silent = runs.filter((row) => clock.now() - lastActivityOf(row, drives) > SILENT_MS);
    stuck.push(...silent.map(({ id }) => id));
    cursor = nextCursor;
  } while (cursor !== undefined);
  return stuck;
}

const LONGEST = 300;

function summary(row: RunRow): object {
  const { id, agent, status, parentRunId, waitingOn, stopReason, turns, usage } = row;
  return {
    run_id: id,
    agent,
    status,
    parent: parentRunId,
    waiting_on: waitingOn?.kind,
    stop_reason: stopReason,
    task: row.task.slice(0, LONGEST),
    summary: row.summary?.slice(0, LONGEST),
    turns,
    cost: usage.cost,
    updated_at: new Date(row.updatedAt).toISOString(),
  };
}

const attemptField = (attempt: number): { attempt?: number } => (attempt > 1 ? { attempt } : {});

function errorResult({ id, attempts }: ToolCall, output: string): EventBody {
  const payload = { toolCallId: id, ...attemptField(attempts), output, isError: true as const };
  return { type: "TOOL_RESULT", payload };
}

async function adminResult(
  call: ToolCall,
  { output, words = [] }: AdminAnswer,
  { store, ids }: Pick<LoopParts, "store" | "ids">,
): Promise<EventBody> {
  const base = { toolCallId: call.id, ...attemptField(call.attempts) };
  if (words.length === 0) return { type: "TOOL_RESULT", payload: { ...base, output } };
  const sources = await Promise.all(words.map((row) => firstTaint(row.id, store)));
  const source = sources.find((found) => found !== undefined);
  const marked = markUntrusted(ids.nonce(), "runs of this project", JSON.stringify(output, null, 1));
  const payload = { ...base, output: marked, ...omitUndefined({ untrusted: source }) };
  return { type: "TOOL_RESULT", payload };
}

/** The first untrusted source of a run, or of the runs that it continues. */
async function firstTaint(runId: RunId, store: Store): Promise<string | undefined> {
  const events = await store.journal.read(runId);
  const [first] = events;
  const before = first?.type === "RUN_STARTED" ? await eventsBefore(store, first.payload) : [];
  const taint = emptyTaint();
  for (const event of [...before, ...events]) trackTaint(taint, event);
  return taint.sources[0];
}
