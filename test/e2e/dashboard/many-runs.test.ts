// A tree of two hundred runs opens with few elements, and the keyboard reaches its last run.

import { join } from "node:path";
import { expect, test } from "vitest";
import type { Project } from "../../../src/cli/cli.fixture.ts";
import { systemClock } from "../../../src/clock.ts";
import {
  acquireRun,
  admit,
  childSpawn,
  childStarted,
  runEnded,
} from "../../../src/stores/contract/kit.contract.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/store.ts";
import { withBrowser } from "./browser.fixture.ts";
import { serve, treeProject } from "./server.fixture.ts";

const CHILDREN = 200;
const MAX_ELEMENTS = 1_500;

const browser = withBrowser();

test(`[29.3] [29.20] a tree of ${CHILDREN + 1} runs needs fewer than ${MAX_ELEMENTS} elements; each row shows its task, and End selects the last run`, async () => {
  await using p = await treeProject();
  await fill(p);
  const { url, link } = await serve(p);
  const { page, problems } = await browser.enter(link, { width: 1440, height: 900 });
  await page.goto(`${url}/r/r1`);
  await page
    .getByText(`${CHILDREN + 1} runs in this tree`)
    .first()
    .waitFor();
  const tree = page.getByRole("tree");
  await tree.getByText("Task 1 of the tree", { exact: true }).waitFor();
  expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(MAX_ELEMENTS);
  await tree.getByRole("treeitem").first().focus();
  await page.keyboard.press("End");
  await tree.getByText(`Task ${CHILDREN} of the tree`, { exact: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${url}/r/c${CHILDREN}`);
  expect(problems).toEqual([]);
});

async function fill(p: Project): Promise<void> {
  // Cadre creates the store first, because it does not open a store that another program made.
  await p.cadre("runs");
  const store = openSqliteStore({ path: join(p.folder, ".cadre", "cadre.db"), clock: systemClock });
  try {
    await admit(store, "r1", { workspace: p.folder });
    const driver = await acquireRun(store, "r1");
    for (let n = 1; n <= CHILDREN; n++) {
      const spawn = childSpawn(`c${n}`, "r1", `m1.${n}`);
      spawn.start.task = `Task ${n} of the tree`;
      await driver.append([childStarted(`c${n}`, `m1.${n}`)], {
        spawn: { ...spawn, limits: { children: 500, runs: 500, concurrent: 500 } },
      });
      const child = await acquireRun(store, `c${n}`);
      await child.append([runEnded()]);
    }
    // The store has written the children's ends into this journal.
    await driver.append([runEnded()], { after: (await store.runs.get("r1"))!.seq });
  } finally {
    await store.close();
  }
}
