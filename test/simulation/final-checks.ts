// Checks at the end of a simulation: the usual invariants hold, and `decide` works at every point of every journal.

import { writeFileSync } from "node:fs";
import type { Definition } from "../../src/journal/definition.ts";
import type { JournalEvent } from "../../src/journal/events.ts";
import { decide } from "../../src/loop/drive/decide.ts";
import { loadDefinition } from "../../src/loop/drive/run-journal.ts";
import { openItems } from "../../src/projections/folds/approvals.ts";
import { applyRunState, emptyRunState, type RunState } from "../../src/projections/folds/run-state.ts";
import { applyTranscript, emptyTranscript } from "../../src/projections/folds/transcript.ts";
import type { Store } from "../../src/stores/store.ts";
import { checkInvariants } from "../support/invariants.ts";
import { scratchFile } from "./scratch.ts";
import { spendingProblems } from "./spending-check.ts";
import type { Watch } from "./watch.ts";

export async function finalProblems(store: Store, watch: Watch): Promise<string[]> {
  try {
    return await problemsOf(store, watch);
  } catch (error) {
    return [`P13 a journal cannot be read: ${(error as Error).message}`];
  }
}

async function problemsOf(store: Store, watch: Watch): Promise<string[]> {
  const problems = await watch.missing((runId) => store.journal.read(runId));
  problems.push(...watch.deniedEffects(), ...watch.inventedResults());
  const oracle = scratchFile("effects.log");
  writeFileSync(oracle, watch.effects.map((effect) => `${JSON.stringify(effect)}\n`).join(""));
  try {
    await checkInvariants(store, oracle);
  } catch (error) {
    problems.push((error as Error).message);
  }
  const open = await store.inbox.openItems();
  if (open.length > 0) problems.push(`I8 an ended run still asks: ${JSON.stringify(open[0])}`);
  const rows = (await store.runs.list({ limit: 100 })).runs;
  for (const row of rows) {
    problems.push(
      ...undecidable(await store.journal.read(row.id), await loadDefinition(store, row.definition)),
    );
  }
  problems.push(...(await spendingProblems(store, rows)));
  return problems;
}

/** L2: `decide` returns an action at every point of a journal. A second call returns the same action. */
function undecidable(journal: readonly JournalEvent[], definition: Definition): string[] {
  const state = emptyRunState();
  const transcript = emptyTranscript();
  for (const event of journal) {
    applyRunState(state, event);
    applyTranscript(transcript, event);
    const facts = { now: event.ts, contextWindow: 1_000, readsResults: true };
    const ask = (): string => JSON.stringify(decide({ state, transcript, definition }, facts));
    try {
      const first = ask();
      if (ask() !== first) return [`L2 another decision for the same journal at #${event.seq}`];
    } catch (error) {
      return [`L2 no decision at #${event.seq}: ${(error as Error).stack}`];
    }
  }
  return [];
}

/**
 * P8: finds expired items that Cadre would never handle, because their run is not scheduled.
 * Skips runs that wait for a provider, and paused or quarantined runs, which wait only for a person.
 */
export function missedTimers(states: readonly RunState[], now: number): string[] {
  return states
    .filter(({ status, waitingOn }) => status !== "suspended" || !NEEDS_PERSON.has(waitingOn?.kind))
    .filter(({ waitingOn }) => waitingOn?.kind !== "provider")
    .flatMap(openItems)
    .filter(({ expiresAt }) => (expiresAt ?? Infinity) <= now)
    .map(({ id }) => `P8 the time of ${id} has passed, and its run is not due`);
}

const NEEDS_PERSON: ReadonlySet<string | undefined> = new Set(["paused", "quarantine"]);
