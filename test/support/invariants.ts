// The invariants that must hold after every test (FAULTS §1, I1-I11).

import { expect } from "vitest";
import { TERMINAL_TYPES } from "../../src/journal/events.ts";
import { checkReceipts, findTreeProblem } from "../../src/loop/replay/check-journals.ts";
import { foldRow } from "../../src/projections/folds/run-row.ts";
import { digest } from "../../src/stores/hashes.ts";
import type { Store } from "../../src/stores/store.ts";
import { effects } from "./oracle.ts";
import { isReport, type Told, treeProblems } from "./tree-invariants.ts";

export async function checkInvariants(store: Store, oracleFile: string): Promise<void> {
  const { runs } = await store.runs.list({ limit: 10_000 });
  const seen = effects(oracleFile);
  const setAside = new Set((await store.leases.quarantined()).map(({ runId }) => runId));
  const told: Told[] = [];
  for (const row of runs) {
    if (setAside.has(row.id)) continue; // quarantined: its journal cannot be read
    const events = await store.journal.read(row.id); // I2: throws unless dense and chained
    told.push({ row, events });
    expect(
      events.map((event) => event.seq),
      "I2",
    ).toEqual(events.map((_, index) => index + 1));

    expect(events[0]!.type, "a journal begins with RUN_STARTED").toBe("RUN_STARTED");
    expect(row, "I3").toEqual(foldRow(events));

    const ends = events.filter((event) => TERMINAL_TYPES.has(event.type));
    expect(ends.length, "I6").toBeLessThanOrEqual(1);
    if (ends[0]) expect(ends[0].seq, "I6").toBe(events.length);

    const cancel = events.find((event) => event.type === "CANCEL_REQUESTED");
    const lateStart =
      cancel &&
      events.find(
        (event) => event.type === "TOOL_STARTED" && event.seq > cancel.seq && !isReport(event, events),
      );
    expect(lateStart, "I7").toBeUndefined();

    const results = new Map(
      events.flatMap((event) =>
        event.type === "TOOL_RESULT" ? [[event.payload.toolCallId, event.payload] as const] : [],
      ),
    );
    for (const event of events) {
      if (event.type !== "TOOL_PROPOSED" || event.payload.effect !== "unsafe") continue;
      if (event.payload.name !== "charge") continue; // the oracle counts only its own effects
      const { toolCallId } = event.payload;
      const done = seen.filter((effect) => effect.runId === row.id && effect.callId === toolCallId).length;
      const again = events.filter(
        (other) =>
          other.type === "OUTCOME_DECIDED" &&
          other.payload.toolCallId === toolCallId &&
          other.payload.verdict === "run_again",
      ).length;
      expect(done, `I4 ${toolCallId}`).toBeLessThanOrEqual(1 + again);
      const result = results.get(toolCallId);
      const real = result && (result.outcome ?? "ok") === "ok" && !result.isError && result.ms !== undefined;
      if (real) expect(done, `I4 ${toolCallId}`).toBeGreaterThanOrEqual(1);
    }

    const items = events.flatMap((event) =>
      event.type === "APPROVAL_DECIDED" ? [event.payload.itemId] : [],
    );
    expect(new Set(items).size, "I8").toBe(items.length);

    if (row.endedAt === undefined) {
      expect(["pending", "running", "waiting", "suspended"], "I11").toContain(row.status);
      if (row.status === "waiting" || row.status === "suspended") expect(row.waitingOn, "I11").toBeDefined();
    }
  }
  const journals = new Map(told.map(({ row, events }) => [row.id, events]));
  expect(checkReceipts(journals, digest).problem, "I8").toBeUndefined();
  if (setAside.size === 0) expect(findTreeProblem(journals), "J7 P6").toBeUndefined();
  if (setAside.size === 0) expect(treeProblems(told)).toEqual([]);
}
