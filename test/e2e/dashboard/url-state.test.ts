// Tests the state that the URL of a run's page keeps, and the page of an unknown run.

import { expect, test } from "vitest";
import { withBrowser } from "./browser.fixture.ts";
import { runsProject, withRuns } from "./runs-server.fixture.ts";
import { serveSeparately } from "./server.fixture.ts";

const browser = withBrowser();

test("[U16] the selected tab and filter survive a reload, an unknown run's page links to the list, and clocks stop while the server is down", async () => {
  await using p = await runsProject();
  const server = withRuns(p, await serveSeparately(p));
  const runId = await server.startTree();
  const { page, problems } = await browser.enter(server.link);
  page.setDefaultTimeout(20_000);
  await page.goto(`${server.url}/r/${runId}?view=conversation&details=open`);
  await page.getByRole("tab", { name: "Usage" }).click();
  await page.getByLabel("Filter messages by kind").selectOption("Tools");
  await page.getByLabel("Filter messages by text").fill("delegate");
  await page.waitForURL(/tab=usage.*talk=tools.*words=delegate/);
  await page.reload();
  await page.getByRole("tab", { name: "Usage", selected: true }).waitFor();
  expect(await page.getByLabel("Filter messages by text").inputValue()).toBe("delegate");
  expect(await page.getByLabel("Filter messages by kind").inputValue()).toBe("tools");

  await page.goto(`${server.url}/r/nope-nope`);
  await page.getByRole("link", { name: "All runs" }).click();
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  // A paused run asks no question, so the page does not count it as an open request.
  const idle = await server.start("lead", "Mend it later");
  await server.client.post("/api/runs/{id}/pause", { id: idle });
  await page.getByRole("link", { name: "Needs me 1" }).waitFor();

  await page.clock.install();
  await page.goto(`${server.url}/r/${runId}`);
  const elapsed = page.getByRole("treeitem").first().locator(".tabular-nums");
  await expect.poll(() => elapsed.first().innerText()).toMatch(/[1-9]\d* (s|min)/);
  server.up.process.kill("SIGKILL");
  await page.getByText(/all clocks are stopped/).waitFor();
  const stood = await elapsed.first().innerText();
  await page.clock.fastForward("10:00");
  expect(await elapsed.first().innerText()).toBe(stood);
  expect(problems).toEqual([]);
});
