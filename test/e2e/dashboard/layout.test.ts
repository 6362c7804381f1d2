// Layout on a phone and on a small screen.

import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { withBrowser } from "./browser.fixture.ts";
import { PATTERNS } from "./patterns.fixture.ts";
import { clientOf, serve, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

const boxOf = async (where: Locator) => (await where.boundingBox())!;

test("[U34] on a phone the timeline starts in the upper half, every view tab fits, and the Reload button is next to the agent filter", async () => {
  await using p = await treeProject();
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link, { width: 390, height: 844 });
  const { runId } = await clientOf(server, p).post("/api/runs", {
    body: { agent: "lead", task: "Mend both parts" },
  });
  await page.goto(`${server.url}/r/${runId}`);
  await page.getByTestId("status-text").getByText("Waiting for child approval").waitFor();
  await page.getByText("and 1 more").filter({ visible: true }).waitFor();
  expect((await boxOf(page.getByTestId("timeline"))).y).toBeLessThan(440);
  const why = await boxOf(page.getByRole("tab", { name: "Why" }));
  expect(why.x + why.width).toBeLessThanOrEqual(390);

  await page.goto(`${server.url}/agents`);
  const reload = await boxOf(page.getByRole("button", { name: "Reload" }));
  expect(reload.y).toBe((await boxOf(page.getByLabel("Which agents"))).y);
  expect(problems).toEqual([]);
});

test("[29.2] the timeline gets most of the screen; on a short screen, such as at 200 % zoom, the page scrolls", async () => {
  await using p = await treeProject();
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link, { width: 1440, height: 900 });
  const { runId } = await clientOf(server, p).post("/api/runs", {
    body: { agent: "lead", task: "Mend both parts" },
  });
  await page.goto(`${server.url}/r/${runId}`);
  await page.getByText("Needs you", { exact: true }).waitFor();
  const timeline = page.getByTestId("timeline");
  expect((await boxOf(timeline)).height).toBeGreaterThan(700);
  expect(await page.getByRole("region", { name: "Details" }).count()).toBe(0);
  await timeline
    .getByRole("link", { name: /^Started: lead/ })
    .or(timeline.getByText("Started: lead"))
    .first()
    .click();
  await page.getByRole("region", { name: "Details" }).waitFor();
  // `?tab=` opens the panel, and the selected tab is visible.
  await page.goto(`${server.url}/r/${runId}?tab=prompt`);
  const tab = page.getByRole("tab", { name: "Context", selected: true });
  await tab.waitFor();
  const { x, width } = await boxOf(tab);
  expect(x + width).toBeLessThanOrEqual(1440);
  await page.goto(`${server.url}/r/${runId}`);
  await page.setViewportSize({ width: 720, height: 360 });
  await expect.poll(async () => (await boxOf(timeline)).height).toBeGreaterThan(200);
  await page.getByTestId("timeline").getByText("Started: lead").scrollIntoViewIfNeeded();
  expect(problems).toEqual([]);
});

test("[U01] [S1-60] at 1280 pixels a long duration fits its column; the zoom buttons cover no card of the graph", async () => {
  await using p = await treeProject(PATTERNS);
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link, { width: 1280 });
  await clientOf(server, p).post("/api/runs", { body: { agent: "author", task: "Write the terms" } });
  await page.goto(server.url);
  const took = page
    .getByRole("row", { name: /Write the terms/ })
    .getByRole("cell")
    .nth(6);
  await took.waitFor();
  const spare = await took.evaluate((cell) => {
    cell.textContent = "17 min 26 s";
    const words = document.createRange();
    words.selectNodeContents(cell);
    const { paddingLeft, paddingRight } = getComputedStyle(cell);
    const room = cell.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    return room - words.getBoundingClientRect().width;
  });
  expect(spare).toBeGreaterThanOrEqual(0);

  await page.goto(`${server.url}/agents?view=graph`);
  const graph = page.getByTestId("graph");
  await graph.getByRole("link", { name: /referee/ }).waitFor();
  const buttons = await boxOf(graph.locator(".cadre-graph-controls"));
  const cards = await graph.getByRole("link").all();
  const rights = await Promise.all(cards.map(async (card) => boxOf(card)));
  expect(Math.max(...rights.map(({ x, width }) => x + width))).toBeLessThanOrEqual(buttons.x);
  expect(problems).toEqual([]);
});
