// The cursors and deliveries of webhooks.

import { expect } from "vitest";
import type { Delivery } from "../outbox.ts";
import { admit, type Open, scenarios } from "./kit.contract.ts";

export function outboxContract(open: Open): void {
  const scenario = scenarios(open);
  const delivery = (over: Partial<Delivery> = {}): Delivery => ({
    webhook: "team",
    id: "d.3",
    event: "done",
    runId: "r1",
    position: 3,
    at: 1_000,
    attempts: 1,
    outcome: "delivered",
    detail: "200",
    ...over,
  });

  scenario(
    "[WH1] a new webhook starts after the last stored event, and its cursor survives a restart",
    async (opened) => {
      await admit(opened.store, "r1");
      const begun = { position: 1, attempts: 0, retryAt: undefined };
      expect(await opened.store.outbox.acquire("team", "me", 1_000)).toEqual(begun);
      await admit(opened.store, "r2");
      const later = await opened.reopen();
      expect(await later.outbox.acquire("team", "me", 1_000)).toEqual(begun);
      await later.outbox.advance("team", 2);
      expect(await later.outbox.cursors()).toEqual([
        { webhook: "team", position: 2, attempts: 0, retryAt: undefined },
      ]);
    },
  );

  scenario(
    "[WH1] a failed delivery attempt leaves the cursor in place; a final outcome advances the cursor",
    async ({ store }) => {
      await store.outbox.acquire("team", "me", 1_000);
      await store.outbox.record(delivery({ outcome: "failed", detail: "503" }), 5_000);
      expect(await store.outbox.acquire("team", "me", 1_000)).toEqual({
        position: 0,
        attempts: 1,
        retryAt: 5_000,
      });
      await store.outbox.record(delivery({ attempts: 2 }));
      expect(await store.outbox.acquire("team", "me", 1_000)).toEqual({
        position: 3,
        attempts: 0,
        retryAt: undefined,
      });
      expect(await store.outbox.deliveries("team", 10)).toEqual([delivery({ attempts: 2 })]);
      expect(await store.outbox.deliveries("other", 10)).toEqual([]);
    },
  );

  scenario(
    "[WH2] only one process serves a webhook, until that process releases the webhook or falls silent",
    async ({ store, clock }) => {
      expect(await store.outbox.acquire("team", "me", 1_000)).toBeDefined();
      expect(await store.outbox.acquire("team", "another", 1_000)).toBeUndefined();
      expect(await store.outbox.acquire("second", "another", 1_000)).toBeDefined();
      clock.advance(1_001);
      expect(await store.outbox.acquire("team", "another", 1_000)).toBeDefined();
      await store.outbox.release("another");
      expect(await store.outbox.acquire("team", "me", 1_000)).toBeDefined();
    },
  );

  scenario("the store keeps only the latest 100 deliveries of a webhook", async ({ store }) => {
    await store.outbox.acquire("team", "me", 1_000);
    for (let position = 1; position <= 105; position++)
      await store.outbox.record(delivery({ id: `d.${position}`, position }));
    const kept = await store.outbox.deliveries("team", 1_000);
    expect(kept.map(({ position }) => position).slice(0, 2)).toEqual([105, 104]);
    expect(kept).toHaveLength(100);
  });
}
