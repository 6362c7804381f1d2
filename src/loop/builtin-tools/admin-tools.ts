// Looks after the runs of a project for an agent (S1-1, S1-78). What other runs say comes marked as somebody else's, and
// brings their taint with it; what a person has stopped or is asked about stays that person's. Whoever the agent works for
// bounds it: what they do not see it does not see, and what it does is recorded as theirs (A23).

import { CadreError } from "../../errors.ts";
import { childRunId, type RunId } from "../../ids.ts";
import { type EventBody, RUN_STATUSES } from "../../journal/events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { hasEnded, type ToolCall } from "../../projections/folds/run-state.ts";
import { receiptField } from "../../projections/folds/tool-call.ts";
import type { RunFilter, Store } from "../../stores/store.ts";
import { type AdminAnswer, adminResult } from "../admin-answer.ts";
import { beginWork } from "../begin-work.ts";
import { retryRun } from "../commands/retry.ts";
import { lastActivityOf, SILENT_MS } from "../drive/check-on-runs.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { effectOfAdmin, parseAdminCall } from "./declared/admin-tools.ts";

type Asked = Extract<ReturnType<typeof parseAdminCall>, { asked: unknown }>["asked"];

export async function performAdminTool(call: ToolCall, run: RunJournal, parts: LoopParts): Promise<void> {
  const read = parseAdminCall(call);
  if ("problem" in read) return run.record(failed(call, read.problem!));
  const { asked } = read;
  const { store, refusal: forbidden } = await parts.actingFor(run.state.start!.userId);
  const row = asked.run_id === undefined ? undefined : await store.run(asked.run_id);
  const refused =
    asked.run_id === undefined ? undefined : refusal(call.name, { id: asked.run_id, row, forbidden }, run);
  if (refused !== undefined) return run.record(failed(call, refused));
  if (effectOfAdmin(call.name) !== "read") {
    if (!parts.mayBegin()) return run.release();
    const began = await beginWork([{ type: "TOOL_STARTED", payload: started(call, parts) }], run, parts);
    if (began) return;
  }
  return perform({ asked, row: row!, call: run.state.calls.get(call.id)!, run, store, parts });
}

async function perform(errand: Errand): Promise<void> {
  const { call, run, parts } = errand;
  try {
    run.record(await adminResult(call, await PERFORM[call.name]!(errand), parts));
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    run.record(failed(call, error.message));
  }
}

/** What a person sees before saying yes: whose run it is, not only its number. */
export async function previewAdminCall(
  call: ToolCall,
  { state }: RunJournal,
  parts: LoopParts,
): Promise<string> {
  const text = JSON.stringify(call.input, null, 2);
  const { run_id: id } = (call.input ?? {}) as { run_id?: unknown };
  const { store } = await parts.actingFor(state.start!.userId);
  const row = typeof id === "string" ? await store.run(id) : undefined;
  return row ? `${text}\n\n${row.agent}, ${row.status}: ${row.task}` : text;
}

function refusal(
  tool: string,
  { id, row, forbidden }: { id: RunId; row: RunRow | undefined; forbidden: string | undefined },
  { runId, state }: RunJournal,
): string | undefined {
  if (!row) return `There is no run ${id}. mcp__admin__list_runs shows those that there are.`;
  if (effectOfAdmin(tool) === "read") return undefined;
  if (forbidden !== undefined) return forbidden;
  const line = [runId, ...(state.start!.ancestors ?? []).map((above) => above.runId)];
  if (line.includes(id))
    return `${id} is your own run, or one that you work for: end with your report instead.`;
  const ended = hasEnded(row.status);
  if (tool === "mcp__admin__cancel_run" && ended) return `${id} has ended already (${row.status}).`;
  if (tool === "mcp__admin__retry_run" && !ended)
    return `${id} has not ended (${row.status}): there is nothing to try again.`;
  if (tool === "mcp__admin__recover_run" && row.waitingOn?.kind !== "quarantine")
    return `${id} was not set aside (${row.status}). What waits for a person is for that person.`;
  return undefined;
}

interface Errand {
  asked: Asked;
  /** The run that it is about, where it is about one. */
  row: RunRow;
  call: ToolCall;
  run: RunJournal;
  /** What they see whom the agent works for. */
  store: Store;
  parts: LoopParts;
}

/** `oli via factory/orchestrator`. */
function actorOf({ state, definition: { name } }: RunJournal): string {
  const { userId } = state.start!;
  return userId === undefined ? name : `${userId} via ${name}`;
}

const PERFORM: Record<string, (errand: Errand) => Promise<AdminAnswer>> = {
  async mcp__admin__list_runs({ asked: { status, agent, limit = 20 }, store }) {
    const filter = { limit, ...(status ? { status } : {}), ...(agent === undefined ? {} : { agent }) };
    const { runs, nextCursor } = await store.runs(filter);
    return { output: { runs: runs.map(summary), more: nextCursor !== undefined }, words: runs };
  },

  async mcp__admin__cancel_run({ row, asked: { reason }, run, store }) {
    const by = actorOf(run);
    const reached = await store.cancel(row.id, { by, ...(reason === undefined ? {} : { reason }) });
    return { output: { run_id: row.id, status: "cancelling", cancelled: reached } };
  },

  async mcp__admin__retry_run({ row, call, run, parts }) {
    const next = childRunId(parts.digest, run.runId, call.id, call.attempts);
    const { rootRunId, budgetRunId = rootRunId } = run.state.start!;
    const as = { runId: next, budgetRunId, by: actorOf(run) };
    const begun = await retryRun(row.id, { ...parts, wake: async () => {} }, as);
    return { output: { run_id: begun.runId, continues: row.id, status: "started" } };
  },

  async mcp__admin__recover_run({ row, run, store, parts }) {
    const payload = { by: actorOf(run) };
    const resumed: EventBody = { type: "RUN_RESUMED", payload, key: `resumed/${parts.ids.nonce()}` };
    const { refused } = await store.append({
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

  async mcp__monitoring__health({ store, parts }) {
    const counts = RUN_STATUSES.map(async (status) => [status, await store.countRuns({ status: [status] })]);
    const lists = {
      need_a_person: await firstOf({ waiting: "person" }, store),
      set_aside: await firstOf({ waiting: "quarantine" }, store),
      stuck: await stuckOnes(store, parts),
      unreadable: (await store.quarantined()).map(({ runId }) => runId),
    };
    const cut = Object.entries(lists).map(([name, ids]) => [name, ids.slice(0, MOST)]);
    const more = Object.entries(lists).flatMap(([name, ids]) => (ids.length > MOST ? [name] : []));
    const runs = Object.fromEntries(await Promise.all(counts));
    return { output: { runs, ...Object.fromEntries(cut), more } };
  },

  async mcp__monitoring__run_status({ row, store }) {
    const { runs } = await store.runs({ parent: row.id, limit: 50 });
    return { output: { ...summary(row), children: runs.map(summary) }, words: [row, ...runs] };
  },
};

/** More are not named: a list that is longer says so. */
const MOST = 200;

async function firstOf(filter: RunFilter, store: Store): Promise<RunId[]> {
  const { runs } = await store.runs({ ...filter, limit: MOST + 1 });
  return runs.map(({ id }) => id);
}

/** All that are at work are looked at: what is stuck is rarely among the newest. */
async function stuckOnes(store: Store, { clock, drives }: LoopParts): Promise<RunId[]> {
  const stuck: RunId[] = [];
  let cursor: string | undefined;
  do {
    const page = { limit: MOST, ...(cursor === undefined ? {} : { cursor }) };
    const { runs, nextCursor } = await store.runs({ status: ["running"], ...page });
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

const attempt = ({ attempts }: ToolCall): { attempt?: number } => (attempts > 1 ? { attempt: attempts } : {});

function started(call: ToolCall, parts: LoopParts) {
  const next = call.attempts + 1;
  const { host, pid } = parts;
  return {
    toolCallId: call.id,
    ...(next > 1 ? { attempt: next } : {}),
    host,
    pid,
    ...receiptField(call, parts),
  };
}

function failed(call: ToolCall, output: string): EventBody {
  return { type: "TOOL_RESULT", payload: { toolCallId: call.id, ...attempt(call), output, isError: true } };
}
