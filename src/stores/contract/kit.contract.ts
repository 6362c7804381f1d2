// Helpers for the scenarios of the store's contract. They open a store, check it, and create events for journals.

import { expect, test } from "vitest";
import type { FakeClock } from "../../clock.ts";
import { DEFAULT_LIMITS } from "../../journal/definition.ts";
import {
  type EventBody,
  type JournalEvent,
  keyOf,
  type Payload,
  type StopReason,
  TERMINAL_TYPES,
} from "../../journal/events.ts";
import { foldRow, type RunRow } from "../../projections/folds/run-row.ts";
import type { Append, Spawn, Store, Writer } from "../store.ts";

export interface Opened {
  store: Store;
  clock: FakeClock;
  /** Closes the store and opens it again on the same data, as a new process would. */
  reopen(): Promise<Store>;
  /** Closes this store. It is not opened again. */
  close(): Promise<void>;
}

export type Open = () => Promise<Opened>;
export type Scenario = (title: string, body: (opened: Opened) => Promise<void>) => void;

/** Runs each scenario as a test on a new store, and then checks the invariants of all its journals. */
export function scenarios(open: Open, gaps: "dense" | "pruned" = "dense"): Scenario {
  return (title, body) =>
    test(title, async () => {
      const opened = await open();
      const context: Opened = {
        ...opened,
        async reopen() {
          context.store = await opened.reopen();
          return context.store;
        },
      };
      try {
        await body(context);
        await expectInvariants(context.store, gaps);
      } finally {
        await opened.close();
      }
    });
}

/**
 * Checks the invariants. Seqs are dense and chained (I2), which reading verifies. Each row equals a fold of its journal (I3).
 * Nothing follows the end of a run (I6), and positions are dense (J8).
 */
export async function expectInvariants(store: Store, gaps: "dense" | "pruned" = "dense"): Promise<void> {
  const all = await readEverything(store);
  const positions = all.map((event) => event.position);
  if (gaps === "dense") {
    expect(positions).toEqual(all.map((_, index) => index + 1));
    expect(await store.journal.position()).toBe(all.length);
  } else {
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
    expect(await store.journal.position()).toBeGreaterThanOrEqual(positions.at(-1) ?? 0);
  }
  const setAside = new Set((await store.leases.quarantined()).map((entry) => entry.runId));
  const rows = (await allRuns(store)).filter((row) => !setAside.has(row.id));
  // Reads 50 runs in parallel, because reading thousands of runs one after another takes too long.
  for (let at = 0; at < rows.length; at += AT_ONCE)
    await Promise.all(rows.slice(at, at + AT_ONCE).map((row) => expectWhole(store, row)));
}

const AT_ONCE = 50;

async function expectWhole(store: Store, row: RunRow): Promise<void> {
  const journal = await store.journal.read(row.id);
  // The run was deleted between listing and reading.
  if (journal.length === 0 && !(await store.runs.get(row.id))) return;
  expect(journal.map((event) => event.seq)).toEqual(journal.map((_, index) => index + 1));
  expect(journal.slice(0, -1).filter((event) => TERMINAL_TYPES.has(event.type))).toEqual([]);
  expect(row).toEqual(foldRow(journal));
}

export async function readEverything(store: Store): Promise<JournalEvent[]> {
  const all: JournalEvent[] = [];
  for (;;) {
    const page = await store.journal.readAll(all.at(-1)?.position ?? 0, 1000);
    if (page.length === 0) return all;
    all.push(...page);
  }
}

async function allRuns(store: Store): Promise<RunRow[]> {
  const all: RunRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.runs.list({ limit: 500, ...(cursor === undefined ? {} : { cursor }) });
    all.push(...page.runs);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

export const startPayload = (over: Partial<Payload<"RUN_STARTED">> = {}): Payload<"RUN_STARTED"> => ({
  agent: "coder",
  definition: "d1",
  kind: "main",
  depth: 0,
  trigger: "user",
  task: "Mend the service",
  mode: "auto",
  attended: true,
  rootRunId: "r1",
  workspace: "/w",
  limits: DEFAULT_LIMITS,
  approvals: { onTimeout: "reject", unattended: "park" },
  ...over,
});

/** Builds a journal without a store, as input for projections. */
export const buildJournal = (...bodies: EventBody[]): JournalEvent[] =>
  bodies.map((body, index) => {
    const place = { runId: "r1", seq: index + 1, position: index + 1, ts: 1_700_000_000_000 + index };
    return { ...place, type: body.type, key: keyOf(body), payload: body.payload } as JournalEvent;
  });

export const runStarted = (over: Partial<Payload<"RUN_STARTED">> = {}): EventBody => ({
  type: "RUN_STARTED",
  payload: startPayload(over),
});

export async function admit(
  store: Store,
  runId: string,
  over: Partial<Payload<"RUN_STARTED">> = {},
): Promise<string> {
  await store.runs.start(runId, startPayload({ rootRunId: runId, ...over }));
  return runId;
}

export async function admitChild(
  store: Store,
  runId: string,
  parentRunId: string,
  root: string,
  over: Partial<Payload<"RUN_STARTED">> = {},
) {
  return admit(store, runId, {
    ...over,
    parentRunId,
    rootRunId: root,
    kind: "subagent",
    trigger: "delegation",
    depth: 1,
  });
}

export const childStarted = (id: string, key = "m1.0"): EventBody => ({
  type: "CHILD_RUN_STARTED",
  payload: { child_run_id: id, agent_type: "coder", task: "Mend it", trigger: "delegation", key },
});

export function childSpawn(runId: string, parentRunId: string, parentKey = "m1.0"): Spawn {
  const start: Payload<"RUN_STARTED"> = startPayload({
    rootRunId: "r1",
    parentRunId,
    parentKey,
    depth: 1,
    trigger: "delegation",
  });
  return { runId, start, events: [], limits: { children: 20, runs: 100, concurrent: 10 }, slot: "free" };
}

/** Acquires a run. Like the loop, the returned driver remembers the last event that it has received. */
export async function acquireRun(store: Store, runId: string, worker = "w1") {
  const lease = await store.leases.acquire(runId, worker);
  if (!lease) throw new Error(`${runId} could not be taken by ${worker}`);
  const writer: Writer = { worker, epoch: lease.epoch };
  const driver = {
    lease,
    writer,
    after: lease.row.seq,
    async append(events: EventBody[], more: Partial<Append> = {}) {
      const answer = await store.journal.append({ runId, writer, after: driver.after, events, ...more });
      driver.after = answer.events.at(-1)?.seq ?? driver.after;
      return answer;
    },
  };
  return driver;
}

/** Appends events as a writer other than the run's driver. */
export async function sendSignal(store: Store, runId: string, ...events: EventBody[]) {
  return store.journal.append({ runId, after: 0, events });
}

export const contextAdded = (id: string, text = `about ${id}`): EventBody => ({
  type: "CONTEXT_ADDED",
  payload: { id, source: "person", text },
});

export const modelCallStarted = (
  callId: string,
  more: Partial<Payload<"MODEL_CALL_STARTED">> = {},
): EventBody => ({ type: "MODEL_CALL_STARTED", payload: { callId, model: "fake/one", ...more } });

export const agentThought = (callId: string, more: Partial<Payload<"AGENT_THOUGHT">> = {}): EventBody => ({
  type: "AGENT_THOUGHT",
  payload: {
    callId,
    content: [{ type: "text", text: "hm" }],
    usage: { input: 10, output: 5 },
    cost: 0.25,
    finish: "stop",
    ms: 3,
    ...more,
  },
});

export const modelCallFailed = (
  callId: string,
  more: Partial<Payload<"MODEL_CALL_FAILED">> = {},
): EventBody => ({
  type: "MODEL_CALL_FAILED",
  payload: { callId, cause: "interrupted", message: "The process ended.", ...more },
});

export const toolProposed = (
  toolCallId: string,
  more: Partial<Payload<"TOOL_PROPOSED">> = {},
): EventBody => ({
  type: "TOOL_PROPOSED",
  payload: { toolCallId, name: "Bash", effect: "unsafe", verdict: "ask", rule: "project ask Bash", ...more },
});

export const toolStarted = (toolCallId: string, attempt?: number): EventBody => ({
  type: "TOOL_STARTED",
  payload: { toolCallId, ...(attempt === undefined ? {} : { attempt }) },
});

export const toolResult = (toolCallId: string, output: unknown = "done", attempt?: number): EventBody => ({
  type: "TOOL_RESULT",
  payload: { toolCallId, output, ...(attempt === undefined ? {} : { attempt }) },
});

export const approvalDecided = (
  itemId: string,
  decision: Payload<"APPROVAL_DECIDED">["decision"],
  by: string,
  more: Partial<Payload<"APPROVAL_DECIDED">> = {},
): EventBody => ({ type: "APPROVAL_DECIDED", payload: { itemId, decision, by, ...more } });

export const runSuspended = (
  key: string,
  waitingOn: Payload<"RUN_SUSPENDED">["waitingOn"] = { kind: "approval" },
): EventBody => ({ type: "RUN_SUSPENDED", key, payload: { waitingOn } });

export const runEnded = (
  type: "RUN_COMPLETED" | "RUN_FAILED" | "RUN_CANCELLED" = "RUN_COMPLETED",
  summary = "It works.",
  stopReason: StopReason = type === "RUN_COMPLETED"
    ? "final_answer"
    : type === "RUN_FAILED"
      ? "error"
      : "user",
): EventBody => ({
  type,
  payload: {
    stopReason,
    summary,
    result: {
      status: type === "RUN_COMPLETED" ? "completed" : type === "RUN_FAILED" ? "failed" : "cancelled",
      summary,
      files_modified: [],
      files_created: [],
      tests_run: null,
      tests_passed: null,
      warnings: [],
      suggestions: [],
      iteration_count: 1,
      duration_ms: 3,
    },
  },
});
