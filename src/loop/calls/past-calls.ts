// The latest calls that people decided on, as requests to the judge.
// Each request has the current rules, but the definition that the agent had at the time of the call.

import { CadreError } from "../../errors.ts";
import type { Definition } from "../../journal/definition.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import type { Grant, PastCall } from "../../permissions/permission.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { emptyRunState } from "../../projections/folds/run-state.ts";
import { type PastDecision, pastDecisions } from "../../projections/views/past-decisions.ts";
import { describeCall } from "../../projections/views/timeline.ts";
import type { Store } from "../../stores/store.ts";
import { loadDefinition } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { permissionRequest } from "./judge.ts";

type Parts = Pick<LoopParts, "authority" | "clock">;

/** The maximum number of decisions to read: enough to show habits, and few enough to read quickly. */
const MOST_DECISIONS = 200;
const MOST_RUNS = 300;
const PAGE = 100;

export async function pastCalls(store: Store, parts: Parts): Promise<PastCall[]> {
  const grants = (await store.inbox.grants()).filter(({ scope }) => scope === "always");
  const calls: PastCall[] = [];
  for await (const row of latestRuns(store)) {
    calls.push(...(await callsOf(row, { store, grants, parts })));
    if (calls.length >= MOST_DECISIONS) break;
  }
  return calls.slice(0, MOST_DECISIONS);
}

async function* latestRuns(store: Store): AsyncGenerator<RunRow> {
  let cursor: string | undefined;
  for (let read = 0; read < MOST_RUNS; read += PAGE) {
    const page = await store.runs.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.runs;
    cursor = page.nextCursor;
    if (cursor === undefined) return;
  }
}

interface Around {
  store: Store;
  grants: readonly Grant[];
  parts: Parts;
}

/** A run's past calls, latest first. A journal that cannot be read is skipped: the run's driver reports why. */
async function callsOf(row: RunRow, { store, grants, parts }: Around): Promise<PastCall[]> {
  try {
    const events = await store.journal.read(row.id);
    const decisions = pastDecisions(events);
    if (decisions.length === 0) return [];
    const definition = await loadDefinition(store, row.definition);
    return decisions.toReversed().map((decision) => {
      const { tool: name, input, effect, decided } = decision;
      const view = viewAt(decision, events, definition);
      const request = permissionRequest({ name }, input, effect, grants, view, parts);
      return { request, decided, title: describeCall(name, input) };
    });
  } catch (error) {
    if (error instanceof CadreError) return [];
    throw error;
  }
}

/** The part of a run's state that the judge reads. */
function viewAt(
  { untrusted }: PastDecision,
  [first]: readonly JournalEvent[],
  definition: Definition,
): DecisionView {
  const start = first?.type === "RUN_STARTED" ? first.payload : undefined;
  return {
    definition,
    state: { ...emptyRunState(), start, taint: { sources: untrusted, hosts: [], asks: start?.asks ?? [] } },
  };
}
