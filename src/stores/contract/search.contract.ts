// Searching for runs by words in their journals.

import { expect } from "vitest";
import type { Store } from "../store.ts";
import {
  acquireRun,
  admit,
  agentThought,
  contextAdded,
  modelCallStarted,
  type Open,
  runEnded,
  scenarios,
  sendSignal,
  toolResult,
} from "./kit.contract.ts";

export function searchContract(open: Open): void {
  const scenario = scenarios(open);

  scenario("a search finds a run by words of its task, its messages and its result", async ({ store }) => {
    await admit(store, "r1", { task: "Mend the Kühlschrank" });
    await admit(store, "r2", { task: "Paint the door" });
    await sendSignal(store, "r1", contextAdded("c1", "It hums at night."));
    const driver = await acquireRun(store, "r1");
    await driver.append([modelCallStarted("m1")]);
    await driver.append([
      agentThought("m1", { content: [{ type: "text", text: "The compressor is loose." }] }),
    ]);
    await driver.append([runEnded("RUN_COMPLETED", "Tightened three screws.")]);
    for (const q of ["mend", "kuhlschrank", "KÜHLSCHRANK", "hums", "compressor", "screws", "screw"])
      expect(await findRuns(store, q), q).toEqual(["r1"]);
    expect(await findRuns(store, "the")).toEqual(["r2", "r1"]);
    expect(await findRuns(store, "refrigerator")).toEqual([]);
  });

  scenario("a search finds runs whose events together contain every word", async ({ store }) => {
    await admit(store, "r1", { task: "Mend the door" });
    await admit(store, "r2", { task: "Paint the door" });
    await sendSignal(store, "r2", contextAdded("c1", "In green."));
    expect(await findRuns(store, "door green")).toEqual(["r2"]);
    expect(await findRuns(store, "mend green")).toEqual([]);
  });

  scenario(
    "[U04] the best hit in a run is the first event with all words; if there is none, it is the first event with any of the words",
    async ({ store }) => {
      await admit(store, "r1", { task: "Mend the door" });
      await sendSignal(store, "r1", contextAdded("c1", "In green."));
      await sendSignal(store, "r1", contextAdded("c2", "A green door."));
      await admit(store, "r2", { task: "Paint the fence" });
      await sendSignal(store, "r2", contextAdded("c1", "In green."));
      const hits = async (q: string) => {
        const { runs } = await store.runs.list({ q });
        return Object.fromEntries(
          await store.runs.firstHits(
            q,
            runs.map(({ id }) => id),
          ),
        );
      };
      expect(await hits("green")).toEqual({ r1: 2, r2: 2 });
      expect(await hits("green door")).toEqual({ r1: 3 });
      expect(await hits("fence green")).toEqual({ r2: 1 });
      expect(await hits("near( OR green")).toEqual({});
    },
  );

  scenario(
    "a search finds events that were appended after the previous search, even after a restart",
    async (opened) => {
      await admit(opened.store, "r1");
      expect(await findRuns(opened.store, "violet")).toEqual([]);
      await sendSignal(opened.store, "r1", contextAdded("c1", "In violet."));
      expect(await findRuns(opened.store, "violet")).toEqual(["r1"]);
      const next = await opened.reopen();
      await sendSignal(next, "r1", contextAdded("c2", "Or in amber."));
      expect(await findRuns(next, "violet amber")).toEqual(["r1"]);
    },
  );

  scenario(
    "a search finds words near the beginning of a tool's output, but not later words",
    async ({ store }) => {
      await admit(store, "r1");
      await sendSignal(store, "r1", toolResult("m1.0", { output: `early ${"x ".repeat(50_000)} late` }));
      expect(await findRuns(store, "early")).toEqual(["r1"]);
      expect(await findRuns(store, "late")).toEqual([]);
    },
  );

  scenario(
    "a search can be combined with the other filters, and its results come in pages",
    async ({ store }) => {
      for (let i = 1; i <= 5; i++) await admit(store, `r${i}`, { agent: i === 3 ? "other" : "coder" });
      const first = await store.runs.list({ q: "mend", agent: "coder", limit: 3 });
      expect(first.runs.map(({ id }) => id)).toEqual(["r5", "r4", "r2"]);
      const second = await store.runs.list({
        q: "mend",
        agent: "coder",
        limit: 3,
        cursor: first.nextCursor!,
      });
      expect(second).toMatchObject({ runs: [{ id: "r1" }], nextCursor: undefined });
    },
  );

  scenario("[A59] operators of the query language are searched for as plain words", async ({ store }) => {
    await admit(store, "r1", { task: 'Say "near" and not more' });
    const words = ['"near"', "NEAR(", "near*", "near AND not", "words:near -near", 'near" OR "x'];
    const [none, ...rest] = await Promise.all(
      ["", ...words, '"', "*", "'; DROP TABLE runs --", "\0", "\ud800", "^", "{near}"].map((q) =>
        findRuns(store, q),
      ),
    );
    expect(none).toEqual([]);
    expect(rest.slice(0, 3)).toEqual([["r1"], ["r1"], ["r1"]]);
    expect(await findRuns(store, "near")).toEqual(["r1"]);
  });

  scenarios(open, "pruned")("a search does not find pruned runs", async ({ store }) => {
    for (const runId of ["old", "kept"]) {
      await admit(store, runId);
      await (await acquireRun(store, runId)).append([runEnded("RUN_COMPLETED", "Mended.")]);
    }
    expect(await findRuns(store, "mended")).toEqual(["kept", "old"]);
    await store.runs.prune({ root: "old" });
    expect(await findRuns(store, "mended")).toEqual(["kept"]);
  });
}

async function findRuns(store: Store, q: string): Promise<string[]> {
  return (await store.runs.list({ q })).runs.map(({ id }) => id);
}
