import { expect, test } from "vitest";
import { fakeClock } from "../../clock.ts";
import { runStateProjection } from "../../projections/folds/run-state.ts";
import { fold } from "../../projections/projection.ts";
import { acquireRun, admit, contextAdded, runEnded, sendSignal } from "../../stores/contract/kit.contract.ts";
import { overrideStore } from "../../stores/override-store.ts";
import { openSqliteStore } from "../../stores/sqlite/store.ts";
import type { Store } from "../../stores/store.ts";
import { currentRunState } from "./run-state-cache.ts";

async function withStore(body: (store: Store) => Promise<void>): Promise<void> {
  const store = openSqliteStore({ path: ":memory:", clock: fakeClock() });
  try {
    await body(store);
  } finally {
    await store.close();
  }
}

test("a second read gives the same state as a fold of the whole journal, but reads only the new events", () =>
  withStore(async (store) => {
    await admit(store, "r1");
    for (let n = 0; n < 20; n++) await sendSignal(store, "r1", contextAdded(`before ${n}`));
    const read: number[] = [];
    const counting = overrideStore(store, {
      journal: {
        async read(...asked) {
          const events = await store.journal.read(...asked);
          read.push(events.length);
          return events;
        },
      },
    });
    await currentRunState(counting, "r1");
    await sendSignal(store, "r1", contextAdded("after"));
    expect(await currentRunState(counting, "r1")).toEqual(
      fold(runStateProjection, await store.journal.read("r1")),
    );
    expect(read).toEqual([21, 2]);
  }));

test("concurrent readers count each event once", () =>
  withStore(async (store) => {
    await admit(store, "r1");
    await currentRunState(store, "r1");
    await sendSignal(store, "r1", contextAdded("one"), contextAdded("two"));
    const [state] = await Promise.all([currentRunState(store, "r1"), currentRunState(store, "r1")]);
    expect(state).toEqual(fold(runStateProjection, await store.journal.read("r1")));
  }));

test("[E7] a new journal under the id of a pruned run is recognised as another journal", () =>
  withStore(async (store) => {
    await admit(store, "r1");
    await (await acquireRun(store, "r1")).append([runEnded()]);
    expect((await currentRunState(store, "r1")).status).toBe("completed");
    await store.runs.prune({ root: "r1" });
    expect((await currentRunState(store, "r1")).seq, "it is gone").toBe(0);

    await admit(store, "r1");
    await (await acquireRun(store, "r1")).append([runEnded()]);
    await currentRunState(store, "r1");
    await store.runs.prune({ root: "r1" });
    await admit(store, "r1");
    await sendSignal(store, "r1", contextAdded("again"), contextAdded("and again"));
    expect(await currentRunState(store, "r1")).toEqual(
      fold(runStateProjection, await store.journal.read("r1")),
    );
  }));
