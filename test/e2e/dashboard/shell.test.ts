// The frame around every page: shortcuts, palette, notices, server restarts, and sign-in.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { withBrowser } from "./browser.fixture.ts";
import { runsProject, serveRuns, untilEnded, withRuns } from "./runs-server.fixture.ts";
import { serve, serveSeparately } from "./server.fixture.ts";

const browser = withBrowser();

const isLive = (page: Page) =>
  page.getByTestId("connection").getByText("Live").filter({ visible: true }).waitFor();

test("[U31] [U30] the palette finds pages, agents, runs and actions; the help dialog lists the active shortcuts", async () => {
  await using p = await runsProject();
  const { link, start, client } = await serveRuns(p);
  const runId = await start("quick", "Paint the fence violet");
  await untilEnded(client, runId);
  const { page, problems } = await browser.open(link);
  await isLive(page);
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: /^Find a run/ });
  await field.fill("fence violet");
  await page.getByRole("option", { name: /Paint the fence violet/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/r/${runId}(#1)?$`));
  await page.keyboard.press("Control+k");
  await field.fill("theme dark");
  await page.keyboard.press("Enter");
  await page.locator("html[data-theme=dark]").waitFor();
  await page.keyboard.press("Control+k");
  await field.fill("worker");
  await page.getByRole("option", { name: /^worker/ }).click();
  await page.waitForURL(/\/agents\/worker$/);
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.waitForURL(/\/$/);
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  for (const label of ["Next run", "Select the run", "Go to Inbox", "Find anything"])
    await help.getByText(label, { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await page.getByRole("dialog", { name: "Start a run" }).waitFor();
  expect(problems).toEqual([]);
});

test("[U43] [U19] [U33] a banner reports that the server is down; after the restart it says how many runs resumed", async () => {
  await using p = await runsProject();
  const { url, link, up, start, startTree } = withRuns(p, await serveSeparately(p));
  await start("slow", "think");
  await startTree();
  const { page } = await browser.open(link);
  await isLive(page);
  await page.waitForFunction(() => document.title === "(2) Runs · Cadre");
  expect(await page.locator('link[rel="icon"]').getAttribute("href")).toMatch(/^data:image\/svg/);
  up.process.kill("SIGKILL");
  const banner = page.getByTestId("server");
  await banner.getByText(/The server has not responded since .*Everything recorded is safe/).waitFor();
  await page.waitForFunction(() => document.title === "Reconnecting · Cadre");
  await page.getByTestId("connection").getByText("Reconnecting").filter({ visible: true }).waitFor();
  const again = withRuns(p, await serve(p, Number(new URL(url).port)));
  await banner.getByText(/The server restarted at .*: 1 run resumed/).waitFor();
  await banner.getByRole("link", { name: "2 need a decision" }).click();
  await page.waitForURL(/\/inbox/);
  await isLive(page);
  await page.waitForFunction(() => document.title === "(2) Inbox · Cadre");
  await again.client.get("/api/health");
});

test("[U32] [U49] for a tree that needs a person, the page shows and reads out a toast, plays a sound and notifies the desktop; a completed run gets only a toast", async () => {
  await using p = await runsProject();
  const { url, link, start, startTree, client } = await serveRuns(p);
  const { page, context, problems } = await browser.enter(link);
  // A headless browser shows no notifications, so the test records the notifications that the page requests.
  await context.addInitScript(() => {
    const shown: { title: string; tag: string }[] = [];
    class Kept {
      static permission = "granted";
      onclick: (() => void) | undefined;
      constructor(title: string, { tag }: { tag: string }) {
        shown.push({ title, tag });
      }
      close() {}
    }
    const tones: number[] = [];
    const begin = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (this: OscillatorNode, when?: number) {
      tones.push(this.frequency.value);
      begin.call(this, when);
    };
    Object.assign(window, { Notification: Kept, shown, tones });
    Object.defineProperty(document, "hidden", { get: () => true });
  });
  await page.goto(`${url}/settings`);
  await page.getByLabel("When something needs you", { exact: true }).check();
  await page.getByLabel("A sound when something needs you").check();
  const tones = () => page.evaluate(() => (window as unknown as { tones: number[] }).tones.length);
  const before = await tones();
  const told = page.getByRole("region", { name: "Notices" });
  await isLive(page);
  const tree = await startTree();
  await told.getByRole("link", { name: /lead needs you/ }).waitFor();
  expect(await told.getByRole("status").textContent()).toContain("lead needs you");
  const [toast, main] = await Promise.all([told.boundingBox(), page.getByRole("main").boundingBox()]);
  expect(toast!.x + toast!.width, "[26.14] a toast covers nothing that the user reads").toBeLessThanOrEqual(
    main!.x,
  );
  await expect.poll(tones).toBeGreaterThan(before);
  await untilEnded(client, await start("quick", "violet"));
  await told.getByRole("link", { name: /quick is done/ }).waitFor();
  const notifications = () =>
    page.evaluate(() => (window as unknown as { shown: { title: string; tag: string }[] }).shown);
  expect(new Set((await notifications()).map(({ title, tag }) => `${title} / ${tag}`))).toEqual(
    new Set([`lead needs you / cadre ${tree}`]),
  );
  await told.getByRole("link", { name: /lead needs you/ }).click();
  await page.waitForURL(/\/inbox\?item=/);
  expect(problems).toEqual([]);
});

test("[U25] the settings list a permanent grant, and one click revokes it", async () => {
  await using p = await runsProject();
  const { url, link, startTree, client } = await serveRuns(p);
  await startTree();
  const [item] = (await client.get("/api/approvals")).approvals;
  await client.post("/api/approvals/{id}", { id: item!.id, body: { decision: "approve", scope: "always" } });
  const { page, problems } = await browser.enter(link);
  await page.goto(`${url}/settings`);
  await page.getByText(item!.grant!, { exact: true }).waitFor();
  await page.getByRole("button", { name: /^Revoke/ }).click();
  await page.getByText(/^None: every call/).waitFor();
  expect((await client.get("/api/grants")).grants).toEqual([]);
  expect(problems).toEqual([]);
});

test("[A09] [U47] signing out other browsers keeps this browser signed in; the other browsers show how to get a new link", async () => {
  await using p = await runsProject();
  const { url, link, client } = await serveRuns(p);
  const { page } = await browser.open(link);
  const other = await browser.open((await client.post("/api/link")).url);
  await isLive(other.page);
  await page.goto(`${url}/settings`);
  await isLive(page);
  await page.getByRole("button", { name: /^Sign out all other/ }).click();
  await page.getByRole("button", { name: "Sign them out" }).click();
  await page.getByText(/only this browser is signed in/).waitFor();
  await isLive(page);
  await page.reload();
  await isLive(page);
  await other.page
    .getByText(/no longer signed in/)
    .first()
    .waitFor();
  const answer = await other.page.goto(`${url}/r/anything`);
  expect(answer?.status()).toBe(401);
  await other.page.getByRole("heading", { name: "This browser is not signed in" }).waitFor();
  await other.page.getByText(`-C ${p.folder} up`).waitFor();
  await other.page.goto(link);
  await other.page.getByRole("heading", { name: /used already/ }).waitFor();
  await page.goto(`${url}/no/such/page`);
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await page.getByRole("link", { name: "All runs" }).click();
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  expect(other.problems.filter((problem) => problem.includes("Policy"))).toEqual([]);
});
