// What stands in the address of a run's page, and where an address leads that is none.

import { expect, test } from "vitest";
import { withBrowser } from "./browser.fixture.ts";
import { runsProject, withRuns } from "./runs-server.fixture.ts";
import { serveSeparately } from "./server.fixture.ts";

const browser = withBrowser();

test("[U16] the panel's tab and the conversation's filter stay on reload; a run that is none leads to the list; time stands still without a server", async () => {
  await using p = await runsProject();
  const stage = withRuns(p, await serveSeparately(p));
  const runId = await stage.startTree();
  const { page, problems } = await browser.enter(stage.link);
  page.setDefaultTimeout(20_000);
  await page.goto(`${stage.url}/r/${runId}?view=conversation&details=open`);
  await page.getByRole("tab", { name: "Usage" }).click();
  await page.getByLabel("Filter messages by kind").selectOption("Tools");
  await page.getByLabel("Filter messages by words").fill("delegate");
  await page.waitForURL(/tab=usage.*talk=tools.*words=delegate/);
  await page.reload();
  await page.getByRole("tab", { name: "Usage", selected: true }).waitFor();
  expect(await page.getByLabel("Filter messages by words").inputValue()).toBe("delegate");
  expect(await page.getByLabel("Filter messages by kind").inputValue()).toBe("tools");

  await page.goto(`${stage.url}/r/nope-nope`);
  await page.getByRole("link", { name: "All runs" }).click();
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  // Paused is nobody's turn: it waits for no answer.
  const idle = await stage.start("lead", "Mend it later");
  await stage.client.pause(idle);
  await page.getByRole("link", { name: "Needs me 1" }).waitFor();

  await page.clock.install();
  await page.goto(`${stage.url}/r/${runId}`);
  const elapsed = page.getByRole("treeitem").first().locator(".tabular-nums");
  await expect.poll(() => elapsed.first().innerText()).toMatch(/[1-9]\d* (s|min)/);
  stage.up.process.kill("SIGKILL");
  await page.getByText(/times stand still/).waitFor();
  const stood = await elapsed.first().innerText();
  await page.clock.fastForward("10:00");
  expect(await elapsed.first().innerText()).toBe(stood);
  expect(problems).toEqual([]);
});
