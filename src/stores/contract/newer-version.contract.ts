// During an upgrade, two versions of Cadre share a store.
// The older version does not touch events that only the newer version understands.

import { expect } from "vitest";
import type { Store } from "../store.ts";
import {
  acquireRun,
  admit,
  agentThought,
  contextAdded,
  modelCallStarted,
  type Open,
  scenarios,
  sendSignal,
} from "./kit.contract.ts";
import { asOlderVersion, withDamagedEvents } from "./other-version.fixture.ts";

export function newerVersionContract(open: Open): void {
  const scenario = scenarios(open);

  scenario(
    "[E9] [F39] after an upgrade, the newer version completes the usage report and the search index; the view `messages` needs no upgrade",
    async ({ store }) => {
      await fillStore(store);
      await asOlderVersion("AGENT_THOUGHT", async () => {
        // `messages` is a view of the journals. It shows what is stored, whichever version reads it.
        const early = { answers: ["hm", "hm"], calls: 0, violet: [] };
        expect(await derivedData(store)).toEqual(early);
        expect(await derivedData(store), "a second read gives the same").toEqual(early);
      });
      expect(await derivedData(store)).toEqual({ answers: ["hm", "hm"], calls: 2, violet: ["r1"] });
    },
  );

  scenario(
    "[P9] the derived tables leave out a damaged event and include the events after it",
    async ({ store }) => {
      await fillStore(store);
      await withDamagedEvents("AGENT_THOUGHT", async () =>
        expect(await derivedData(store)).toEqual({ answers: ["hm", "hm"], calls: 0, violet: ["r1"] }),
      );
    },
  );

  scenario(
    "[E9] a reader with a cursor stops before an event of a newer version and gets the error JOURNAL_NEWER",
    async ({ store }) => {
      await fillStore(store);
      await asOlderVersion("AGENT_THOUGHT", async () => {
        const types = async (after: number, understood?: true) =>
          (await store.journal.readAll(after, 10, understood ? { stopAtNewer: understood } : {})).map(
            ({ type }) => type,
          );
        const all = ["RUN_STARTED", "MODEL_CALL_STARTED", "MODEL_CALL_STARTED", "CONTEXT_ADDED"];
        expect(await types(0), "a reader without a cursor continues").toEqual(all);
        expect(await types(0, true)).toEqual(["RUN_STARTED", "MODEL_CALL_STARTED"]);
        await expect(types(2, true)).rejects.toMatchObject({ code: "JOURNAL_NEWER" });
        await expect(store.journal.readAll(0, 1, { stopAtNewer: true })).resolves.toHaveLength(1);
        expect(await types(6, true)).toEqual([]);
      });
    },
  );
}

async function fillStore(store: Store): Promise<void> {
  await admit(store, "r1");
  const driver = await acquireRun(store, "r1");
  await driver.append([modelCallStarted("m1"), agentThought("m1")]);
  await driver.append([modelCallStarted("m2"), agentThought("m2")]);
  await sendSignal(store, "r1", contextAdded("c1", "In violet."));
}

async function derivedData(store: Store) {
  const { messages } = await store.usage.messages({ limit: 10 });
  const { trees } = await store.usage.trees({ limit: 10 });
  const { runs } = await store.runs.list({ q: "violet" });
  return {
    answers: messages.map(({ response_content }) => response_content),
    calls: (trees[0]?.cells ?? []).reduce((sum, { turns }) => sum + turns, 0),
    violet: runs.map(({ id }) => id),
  };
}
