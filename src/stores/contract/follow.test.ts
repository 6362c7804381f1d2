import { expect, test } from "vitest";
import { fakeClock } from "../../clock.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { overrideStore } from "../override-store.ts";
import { openSqliteStore } from "../sqlite/store.ts";
import type { Store } from "../store.ts";
import { follow } from "./follow.fixture.ts";
import { admit, contextAdded, sendSignal } from "./kit.contract.ts";

async function withStore(body: (store: Store) => Promise<void>): Promise<void> {
  const store = openSqliteStore({ path: ":memory:", clock: fakeClock() });
  await admit(store, "r1");
  try {
    await body(store);
  } finally {
    await store.close();
  }
}

const say = (store: Store, from: number, count: number) =>
  sendSignal(store, "r1", ...Array.from({ length: count }, (_, i) => contextAdded(`c${from + i}`)));

test.each([499, 500, 501, 999, 1000, 1001])(
  "[F38] [P10] follow continues across page boundaries: %i events",
  (length) =>
    withStore(async (store) => {
      await say(store, 0, length - 1);
      const seen: JournalEvent[] = [];
      for await (const page of follow(store, { after: 0, signal: new AbortController().signal })) {
        seen.push(...page);
        if (seen.length === length) await say(store, length, 1);
        if (seen.length > length) break;
      }
      expect(seen.map(({ position }) => position)).toEqual(
        Array.from({ length: length + 1 }, (_, i) => i + 1),
      );
    }),
);

test("[P10] follow does not miss events that are committed while it reads a page", () =>
  withStore(async (store) => {
    let between: Promise<unknown> | undefined;
    const slow = overrideStore(store, {
      journal: {
        async readAll(...range) {
          const page = await store.journal.readAll(...range);
          if (page.length === 0) between ??= say(store, 0, 1);
          await between;
          return page;
        },
      },
    });
    const pages = follow(slow, { after: 0, signal: new AbortController().signal });
    expect((await pages.next()).value).toHaveLength(1);
    expect((await pages.next()).value).toMatchObject([{ key: "context/c0" }]);
    await pages.return();
  }));

test("an abort ends `follow` immediately: before its first read, while it waits, and between pages", () =>
  withStore(async (store) => {
    expect(await follow(store, { after: 0, signal: AbortSignal.abort() }).next()).toEqual({
      done: true,
      value: undefined,
    });
    const controller = new AbortController();
    const waiting = follow(store, { after: 1, signal: controller.signal }).next();
    await store.journal.readAll(0, 1);
    controller.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });

    await say(store, 0, 600);
    const second = new AbortController();
    const pages = follow(store, { after: 0, signal: second.signal });
    expect((await pages.next()).value).toHaveLength(500);
    second.abort();
    expect(await pages.next()).toEqual({ done: true, value: undefined });
  }));

test("[F48] follow removes its listener when the reader stops", () =>
  withStore(async (store) => {
    let listeners = 0;
    const counted = overrideStore(store, {
      journal: {
        onCommit(listener) {
          listeners++;
          const stop = store.journal.onCommit(listener);
          return () => {
            listeners--;
            stop();
          };
        },
      },
    });
    for (let i = 0; i < 20; i++) {
      for await (const _page of follow(counted, { after: 0, signal: new AbortController().signal })) break;
    }
    expect(listeners).toBe(0);
    const failing = overrideStore(counted, {
      journal: { readAll: () => Promise.reject(new Error("gone")) },
    });
    await expect(follow(failing, { after: 0, signal: new AbortController().signal }).next()).rejects.toThrow(
      "gone",
    );
    expect(listeners).toBe(0);
  }));
