// The states and entries of schedules and inbound hooks.

import { expect } from "vitest";
import type { TriggerEntry } from "../triggers.ts";
import { type Open, scenarios } from "./kit.contract.ts";

export function triggerContract(open: Open): void {
  const scenario = scenarios(open);
  const NAME = "schedule/nightly";
  const entry = (over: Partial<TriggerEntry> = {}): TriggerEntry => ({
    ...{ trigger: NAME, id: "t1", at: 1_000, startAt: 1_000, outcome: "pending" },
    ...{ runId: undefined, detail: "", payload: '{"task":"first"}' },
    ...over,
  });

  scenario(
    "[TR1] a trigger begins once, moves on only from where it is, and survives a restart",
    async (opened) => {
      const { triggers } = opened.store;
      const begun = { name: NAME, reached: 500, pausedAt: undefined, pausedBy: undefined };
      expect(await triggers.begin(NAME, 500)).toEqual(begun);
      expect(await triggers.begin(NAME, 900)).toEqual(begun);
      expect(await triggers.advance(NAME, 400, 800)).toBe(false);
      expect(await triggers.advance(NAME, 500, 800)).toBe(true);
      expect(await triggers.pause(NAME, "ann")).toBe(true);
      expect(await triggers.pause("schedule/unknown", "ann")).toBe(false);
      const later = (await opened.reopen()).triggers;
      expect(await later.states()).toEqual([
        { name: NAME, reached: 800, pausedAt: opened.clock.now(), pausedBy: "ann" },
      ]);
      await later.pause(NAME, undefined);
      expect(await later.states()).toMatchObject([{ pausedAt: undefined, pausedBy: undefined }]);
    },
  );

  scenario("[TR1] the first writer of an entry wins, however many write it at once", async ({ store }) => {
    const claims = await Promise.all(
      ["first", "second", "third"].map((task) =>
        store.triggers.claim(entry({ payload: JSON.stringify({ task }) })),
      ),
    );
    expect(claims.filter(({ existed }) => !existed)).toHaveLength(1);
    expect(new Set(claims.map((each) => each.entry.payload))).toEqual(new Set(['{"task":"first"}']));
  });

  scenario("[TR2] an entry is settled once; only a failed one can be opened again", async ({ store }) => {
    const { triggers } = store;
    await triggers.claim(entry());
    expect(await triggers.reopen(NAME, "t1", "{}")).toBe(false);
    expect(await triggers.settle(NAME, "t1", { outcome: "failed", detail: "no such agent" })).toBe(true);
    expect(await triggers.settle(NAME, "t1", { outcome: "skipped", detail: "" })).toBe(false);
    expect(await triggers.reopen(NAME, "t1", "{}")).toBe(true);
    await triggers.settle(NAME, "t1", { outcome: "started", detail: "", runId: "r1" });
    expect(await triggers.entry(NAME, "t1")).toEqual(
      entry({ outcome: "started", runId: "r1", payload: "{}" }),
    );
    expect(await triggers.entry(NAME, "t2")).toBeUndefined();
  });

  scenario("[TR1] pending entries come oldest first, and not before their time", async ({ store }) => {
    const { triggers } = store;
    await triggers.claim(entry({ id: "late", at: 3_000, startAt: 3_000 }));
    await triggers.claim(entry({ id: "second", at: 2_000, startAt: 2_500 }));
    await triggers.claim(entry());
    expect((await triggers.pending(NAME, 2_500, 10)).map(({ id }) => id)).toEqual(["t1", "second"]);
    expect((await triggers.pending(NAME, 9_000, 2)).map(({ id }) => id)).toEqual(["t1", "second"]);
    expect(await triggers.countSince(NAME, 2_000)).toBe(2);
    expect((await triggers.entries(NAME, 2)).map(({ id }) => id)).toEqual(["late", "second"]);
  });

  scenario("the store keeps the latest 1,000 settled entries of a trigger", async ({ store }) => {
    const { triggers } = store;
    await triggers.claim(entry({ id: "open", at: 1 }));
    await Promise.all(
      Array.from({ length: 1_003 }, (_, index) =>
        triggers.claim(entry({ id: `s${index}`, at: 10 + index, outcome: "filtered" })),
      ),
    );
    const kept = await triggers.entries(NAME, 2_000);
    expect(kept).toHaveLength(1_001);
    expect(kept.at(-1)).toMatchObject({ id: "open", outcome: "pending" });
    expect(kept.at(-2)).toMatchObject({ id: "s3" });
  });
}
