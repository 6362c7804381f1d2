// Whether the page is live, and says so: many tabs, and a server that dies and comes back.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { says, useBrowser } from "./browser.fixture.ts";
import { runsStage, serveRuns } from "./runs-stage.fixture.ts";
import { serve, stageProject } from "./stage.fixture.ts";

const browser = useBrowser();

test("[U19] of many tabs one holds the feed; when it is closed the next one does, and none misses anything", async () => {
  await using p = await stageProject();
  const { url, link } = await serve(p);
  const { page: first, context } = await browser.open(link);
  await says(first, "Live");
  const feeds: string[] = [];
  context.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/events") feeds.push(request.url());
  });
  const others = await Promise.all([context.newPage(), context.newPage()]);
  for (const page of others) {
    await page.goto(url);
    await says(page, "Live");
  }
  expect(feeds).toHaveLength(0);

  await p.spawn("run", "--detach", "lead", "told to all tabs");
  for (const page of [first, ...others]) await page.getByText("told to all tabs").first().waitFor();

  await first.close();
  await expect.poll(() => feeds.length, { timeout: 20_000 }).toBe(1);
  await p.spawn("run", "--detach", "lead", "told to those that are left");
  for (const page of others) await page.getByText("told to those that are left").first().waitFor();
  expect(feeds).toHaveLength(1);
});

test("[U19] eight tabs of runs that go on leave room for the next one: who is not in sight holds no connection", async () => {
  await using p = await runsStage();
  const { url, link, startTree, client } = await serveRuns(p);
  const tree = await startTree();
  const { context } = await browser.open(link);
  await context.addInitScript(() => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => !("seen" in globalThis) });
  });
  const tabs: Page[] = [];
  for (let each = 0; each < 8; each++) {
    const page = await context.newPage();
    await page.goto(`${url}/r/${tree}`);
    await page.getByRole("treeitem").first().waitFor();
    tabs.push(page);
  }
  await client.cancel(tree);
  const [first] = tabs as [Page];
  await first.evaluate(() => {
    Object.assign(globalThis, { seen: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await first
    .getByText(/Cancelled after/)
    .first()
    .waitFor();
});

test("[U19] [F46] a server that is killed is shown as gone, and its return as what it is", async () => {
  await using p = await stageProject();
  const { url, link, up } = await serve(p);
  const { page, problems } = await browser.open(link);
  await says(page, "Live");
  await p.spawn("run", "--detach", "lead", "before");
  await page.getByText("before").first().waitFor();

  up.process.kill("SIGKILL");
  await says(page, "Reconnecting");
  await up.end();
  await p.spawn("run", "lead", "while it was gone", "--yes");
  await serve(p, Number(new URL(url).port));
  await says(page, /^Caught up \d+ events?$/);
  await page.getByText("while it was gone").first().waitFor();
  expect(problems).toEqual([]);
});
