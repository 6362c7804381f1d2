// Time travel, forks and comparisons on the page, with real runs.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { clientOf, serve, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

test("[FK8] [U38] the scrubber shows the whole tree at a past moment; the URL contains the moment, and the page is marked as past", async () => {
  await using p = await treeProject();
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link);
  const wanted = { agent: "lead", task: "Mend both parts", attended: true };
  const { runId: root } = await clientOf(server, p).post("/api/runs", { body: wanted });
  await page.goto(`${server.url}/r/${root}`);
  await approveAll(page, 2);
  await page.getByTestId("status-text").getByText("Completed in").waitFor();
  await expect.poll(() => page.getByRole("treeitem").count()).toBe(5);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Time travel" }).click();
  const moment = page.getByRole("region", { name: "Moment" });
  const slider = moment.getByRole("slider", { name: "Moment of the tree" });

  await slider.fill("1");
  await moment.getByText("The past").waitFor();
  await expect.poll(() => page.getByRole("treeitem").count()).toBe(1);
  expect(
    await page.getByRole("button", { name: "Fork", exact: true }).count(),
    "the past offers no actions",
  ).toBe(0);

  // Both editors wait for approval at this position, and no person has answered yet.
  const asked = await positionWhenOpen(page, root);
  await page.goto(`${server.url}/r/${root}?at=${asked}`);
  await page.getByText("Was waiting for a person").waitFor();
  await page.getByTestId("status-text").getByText("Waiting for child approval").waitFor();
  await expect.poll(() => page.getByRole("treeitem").count()).toBe(5);
  expect(await page.getByRole("link", { name: "Answer in the inbox" }).count()).toBe(0);
  expect(await accessibilityProblems(page)).toEqual([]);

  await page.keyboard.press(".");
  await expect.poll(() => new URL(page.url()).searchParams.get("at")).not.toBe(String(asked));
  await page.keyboard.press(";");
  await moment.waitFor({ state: "hidden" });
  await page.getByTestId("status-text").getByText("Completed in").waitFor();
  expect(new URL(page.url()).searchParams.get("at")).toBeNull();
  expect(problems).toEqual([]);
});

test("[FK1] [FK2] [FK4] [FK7] [U37] [U38] [U39] a fork links to its original run; comparing the two runs shows the first divergence", async () => {
  await using p = await treeProject();
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link);
  const wanted = { agent: "worker", task: "Mend the parser", attended: true };
  const { runId: root } = await clientOf(server, p).post("/api/runs", { body: wanted });
  await page.goto(`${server.url}/r/${root}`);
  await approveAll(page, 1);
  await page.getByTestId("status-text").getByText("Completed in").waitFor();
  expect(existsSync(join(p.folder, "parser.txt"))).toBe(true);

  await page.goto(`${server.url}/r/${root}#1`);
  const details = page.getByRole("region", { name: "Details" });
  await details.getByRole("button", { name: "Fork from here" }).click();
  const dialog = page.getByRole("dialog", { name: "Fork worker at event 1" });
  await dialog.getByRole("button", { name: "Edit the agent’s file for this fork" }).click();
  await expect
    .poll(() => dialog.getByLabel("The agent’s file, for this fork only").inputValue())
    .toMatch(/Do it\./);
  expect(await accessibilityProblems(page)).toEqual([]);
  await dialog.getByLabel("New message at this point").fill("Mend the printer");
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();

  const branches = page.getByRole("navigation", { name: "Branches" });
  await branches.getByText("changed message").waitFor();
  const fork = new URL(page.url()).pathname.slice(3);
  expect(fork).not.toBe(root);
  await approveAll(page, 1);
  await page.getByTestId("status-text").getByText("Completed in").waitFor();
  expect(existsSync(join(p.folder, "printer.txt"))).toBe(true);

  await branches.getByRole("link", { name: "Compare with the original run" }).click();
  await page.getByText("First divergence: worker").waitFor();
  await page.reload();
  const first = page.getByTestId("first-divergence");
  await first.getByText("Mend the parser").waitFor();
  await first.getByText("Mend the printer").waitFor();
  await expect.poll(() => first.evaluate((row) => row.getBoundingClientRect().top < innerHeight)).toBe(true);
  expect(await accessibilityProblems(page)).toEqual([]);

  await page.goto(`${server.url}/r/${root}`);
  await branches.getByRole("link", { name: `Fork ${fork.slice(0, 12)}` }).waitFor();
  expect(problems).toEqual([]);
});

/** The journal position before the first decision, when all approvals are open. */
const positionWhenOpen = (page: Page, root: string): Promise<number> =>
  page.evaluate(async (id) => {
    const answer = await fetch(`/api/runs/${id}/events?tree=1`, {
      headers: { "X-Cadre-Page": localStorage.getItem("cadre-page-keys") ?? "" },
    });
    const { events } = (await answer.json()) as { events: { type: string; position: number }[] };
    return events.find(({ type }) => type === "APPROVAL_DECIDED")!.position - 1;
  }, root);

/** Waits until `wanted` approvals are open, and then approves all of them. */
async function approveAll(page: Page, wanted: number): Promise<void> {
  const open = () =>
    page.evaluate(async () => {
      const answer = await fetch("/api/approvals", {
        headers: { "X-Cadre-Page": localStorage.getItem("cadre-page-keys") ?? "" },
      });
      return ((await answer.json()) as { approvals: { id: string }[] }).approvals.map(({ id }) => id);
    });
  await expect.poll(async () => (await open()).length, { timeout: 30_000 }).toBe(wanted);
  await page.evaluate(
    async (ids) => {
      const headers = {
        "Content-Type": "application/json",
        "X-Cadre-Page": localStorage.getItem("cadre-page-keys") ?? "",
      };
      const body = JSON.stringify({ decision: "approve" });
      for (const id of ids)
        await fetch(`/api/approvals/${encodeURIComponent(id)}`, { method: "POST", headers, body });
    },
    await open(),
  );
}
