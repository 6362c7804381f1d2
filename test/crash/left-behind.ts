// The final state of a scenario, except the parts that differ each time: ids, nonces and durations.
// If two executions have the same final state, a user cannot tell them apart.

import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import type { JournalEvent } from "../../src/journal/events.ts";
import type { RunRow } from "../../src/projections/folds/run-row.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import type { Store } from "../../src/stores/store.ts";
import { checkInvariants } from "../support/invariants.ts";
import { effects } from "../support/oracle.ts";
import { payloadsOf, resultsRead } from "../support/scenario.ts";

export interface LeftBehind {
  runs: RunLeft[];
  /** The effects that really happened, except reads. Each effect must occur only once. */
  done: string[];
}

interface RunLeft {
  /** The agents on the path from the root to this run. For a team member, the name includes the round. */
  path: string;
  status: string;
  stopReason: string | undefined;
  summary: string | undefined;
  /** The tool results that the model of this run read, in order. */
  read: string[];
  /** Texts that the run received in addition to its task. */
  heard: string[];
  /** The number of model answers in the journal. */
  thoughts: number;
  /** Each item that a person decided, together with the decision. */
  decisions: string[];
}

export async function leftBehind(folder: string): Promise<LeftBehind> {
  const oracle = join(folder, "effects.log");
  const store = openSqliteStore({ path: join(folder, "cadre.db"), clock: systemClock });
  try {
    await checkInvariants(store, oracle);
    const { runs } = await store.runs.list({});
    const paths = new Map(runs.map((row) => [row.id, pathOf(row, runs)]));
    const left = await Promise.all(runs.map((row) => runLeft(row, paths, store)));
    const done = effects(oracle).filter(({ tool }) => tool !== "look");
    return {
      runs: left.sort((one, other) => one.path.localeCompare(other.path)),
      done: done.map(({ tool, runId, input }) => `${paths.get(runId)}: ${tool} ${input}`).sort(),
    };
  } finally {
    await store.close();
  }
}

async function runLeft(row: RunRow, paths: ReadonlyMap<string, string>, store: Store): Promise<RunLeft> {
  const events = await store.journal.read(row.id);
  const { status, stopReason, summary } = row;
  return {
    path: paths.get(row.id)!,
    status,
    stopReason,
    summary,
    read: resultsRead(events).map((text) => plain(text, paths)),
    heard: payloadsOf(events, "CONTEXT_ADDED").map(({ text }) => plain(text, paths)),
    thoughts: events.filter(({ type }) => type === "AGENT_THOUGHT").length,
    decisions: decisionsIn(events),
  };
}

function decisionsIn(events: readonly JournalEvent[]): string[] {
  const decided = payloadsOf(events, "APPROVAL_DECIDED");
  return payloadsOf(events, "TOOL_PROPOSED")
    .filter(({ verdict }) => verdict === "ask")
    .map(({ toolCallId }) => {
      const own = decided.filter(({ itemId }) => itemId === toolCallId);
      return `${toolCallId}: ${own.map(({ decision, by }) => `${decision} by ${by}`).join(", ")}`;
    });
}

function pathOf(row: RunRow, runs: readonly RunRow[]): string {
  const parent = runs.find(({ id }) => id === row.parentRunId);
  const round = /^team\/(\d+)\//.exec(row.parentKey ?? "")?.[1];
  if (row.trigger === "fork") return `fork of ${row.agent}`;
  const name = round === undefined ? row.agent : `${row.agent} ${round}`;
  return parent ? `${pathOf(parent, runs)} > ${name}` : name;
}

function plain(text: string, paths: ReadonlyMap<string, string>): string {
  const named = [...paths].reduce((all, [id, path]) => all.replaceAll(id, path), text);
  return named
    .replaceAll(/untrusted-\w+/g, "untrusted")
    .replaceAll(/"duration_ms": [\d.]+/g, '"duration_ms": 0');
}
