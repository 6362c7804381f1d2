// The usage of each tree. It is stored in a table that is updated from the journals.

import { expect } from "vitest";
import { applyTreeUsage, emptyTreeUsage, type TreeUsage } from "../../projections/usage/tree-usage.ts";
import type { Store } from "../store.ts";
import {
  acquireRun,
  admit,
  agentThought,
  childSpawn,
  childStarted,
  modelCallStarted,
  type Open,
  readEverything,
  runEnded,
  scenarios,
} from "./kit.contract.ts";

export function treeUsageContract(open: Open): void {
  const scenario = scenarios(open);

  scenario("[S1-75] the usage of each tree equals a fold of its journals at any time", async (opened) => {
    const { store } = opened;
    await admit(store, "r1");
    const lead = await acquireRun(store, "r1");
    await lead.append([modelCallStarted("m1"), agentThought("m1")]);
    expect(await all(store)).toEqual(await foldUsage(store));
    await lead.append([childStarted("c1")], { spawn: childSpawn("c1", "r1") });
    const child = await acquireRun(store, "c1");
    await child.append([modelCallStarted("m1"), agentThought("m1")]);
    await child.append([runEnded()]);
    await admit(store, "r2");
    const rows = await all(store);
    expect(rows).toEqual(await foldUsage(store));
    expect(rows.map(({ top, end }) => [top, end])).toEqual([
      ["r1", undefined],
      ["r2", undefined],
    ]);
    expect(await all(await opened.reopen())).toEqual(rows);
  });

  scenario(
    "the usage of trees that changed since a given time is listed page by page",
    async ({ store, clock }) => {
      await admit(store, "r1");
      clock.advance(60_000);
      const since = clock.now();
      await admit(store, "r2");
      await admit(store, "r3");
      expect((await all(store, since)).map(({ top }) => top)).toEqual(["r2", "r3"]);
      const first = await store.usage.trees({ limit: 2 });
      expect([first.trees.length, first.nextCursor]).toEqual([2, "r2"]);
    },
  );
}

async function all(store: Store, since?: number): Promise<TreeUsage[]> {
  const trees: TreeUsage[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.usage.trees({ since, cursor, limit: 2 });
    trees.push(...page.trees);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return trees;
}

async function foldUsage(store: Store): Promise<TreeUsage[]> {
  const trees = new Map<string, TreeUsage>();
  for (const event of await readEverything(store)) {
    const root = (await store.runs.get(event.runId))!.rootRunId;
    trees.set(root, applyTreeUsage(trees.get(root) ?? emptyTreeUsage(root), event));
  }
  return [...trees.values()].map((tree) => JSON.parse(JSON.stringify(tree)));
}
