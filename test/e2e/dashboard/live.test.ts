// Live updates: several tabs, and a server that dies and restarts.

import type { Page, Request } from "playwright-core";
import { expect, test } from "vitest";
import { expectConnection, withBrowser } from "./browser.fixture.ts";
import { serve, serveSeparately, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

test("[U19] one tab reads the feed for all tabs; when that tab closes, another tab takes over and no tab misses an event", async () => {
  await using p = await treeProject();
  const { url, link } = await serve(p);
  const { page: first, context } = await browser.open(link);
  await expectConnection(first, "Live");
  const feeds: string[] = [];
  context.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/events") feeds.push(request.url());
  });
  const others = await Promise.all([context.newPage(), context.newPage()]);
  for (const page of others) {
    await page.goto(url);
    await expectConnection(page, "Live");
  }
  expect(feeds).toHaveLength(0);

  await p.cadre("run", "--detach", "lead", "told to all tabs");
  for (const page of [first, ...others]) await page.getByText("told to all tabs").first().waitFor();

  await first.close();
  await expect.poll(() => feeds.length, { timeout: 20_000 }).toBe(1);
  await p.cadre("run", "--detach", "lead", "told to those that are left");
  for (const page of others) await page.getByText("told to those that are left").first().waitFor();
  expect(feeds).toHaveLength(1);
});

test("[U19] [F46] the page shows that the server is down; after the restart it shows the missed events", async () => {
  await using p = await treeProject();
  const { url, link, up } = await serveSeparately(p);
  const { page, problems } = await browser.open(link);
  await expectConnection(page, "Live");
  await p.cadre("run", "--detach", "lead", "before");
  await page.getByText("before").first().waitFor();

  up.process.kill("SIGKILL");
  await expectConnection(page, "Reconnecting");
  await up.end();
  await p.cadre("run", "lead", "while it was gone", "--yes");
  await serve(p, Number(new URL(url).port));
  await expectConnection(page, /^Caught up \d+ events?$/);
  await page.getByText("while it was gone").first().waitFor();
  expect(problems).toEqual([]);
});

test("[U19] a hidden tab closes its stream; when the tab becomes visible, it loads the missed events", async () => {
  await using p = await treeProject();
  const { url, link } = await serve(p);
  const { page, problems } = await browser.enter(link);
  const { lines } = await p.cadre("run", "--detach", "lead", "look away", "--json");
  const runId = String(lines()[0]!["runId"] ?? lines()[0]!["id"]);
  await page.goto(`${url}/r/${runId}`);
  await page.getByText("Answer in the inbox").first().waitFor();
  const isStream = (request: Request) =>
    request.url().includes("/events?") && request.url().includes("follow=1");
  const closed = page.waitForEvent("requestfailed", isStream);
  await setVisible(page, false);
  await closed;

  for (const id of (await p.cadre("approve", "--json")).lines()) await p.cadre("approve", String(id["id"]));
  const again = page.waitForRequest(isStream);
  await setVisible(page, true);
  await again;
  await page.getByTestId("status-text").getByText("Completed in").waitFor();
  expect(problems).toEqual([]);
});

test("[U19] a user at the end of the timeline sees the last events, even if many arrive together", async () => {
  // The page has already scrolled to the other events when the run's end arrives a second later.
  await using p = await treeProject({
    "lead.script.yaml": `turns:
  - when: { turn: 1 }
    text: "${Array.from({ length: 60 }, (_, index) => `- step ${index}\\n`).join("")}"
    calls:
      - { tool: delegate, input: { agent: worker, task: "Mend the parser" } }
      - { tool: delegate, input: { agent: worker, task: "Mend the printer" } }
  - { report: { summary: "Both parts are mended." }, delay: 1000 }
`,
  });
  const { url, link } = await serve(p);
  const { page } = await browser.enter(link, { height: 420 });
  const { lines } = await p.cadre("run", "--detach", "lead", "stay with it", "--json");
  await page.goto(`${url}/r/${String(lines()[0]!["runId"])}`);
  await page.getByText("Answer in the inbox").first().waitFor();
  for (const { id } of (await p.cadre("approve", "--json")).lines()) await p.cadre("approve", String(id));
  await page.getByTestId("status-text").getByText("Completed in").waitFor();
  const below = () =>
    page
      .getByTestId("timeline")
      .evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
  await expect.poll(below, { timeout: 20_000 }).toBeLessThan(2);
  expect(await page.getByTestId("timeline").evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
});

/** Hides or shows the page, as if the user switched tabs. */
const setVisible = (page: Page, visible: boolean) =>
  page.evaluate((isVisible) => {
    Object.defineProperty(document, "hidden", { value: !isVisible, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, visible);
