// One run's page, as a person meets it: the tree, the timeline, what can be done, and what is said when something goes
// wrong. The streams are real ones, of a real server.

import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Project } from "../../../src/cli/cli.fixture.ts";
import { agent } from "../../../src/cli/cli.fixture.ts";
import { useBrowser } from "./browser.fixture.ts";
import { serve, stageProject } from "./stage.fixture.ts";

const browser = useBrowser();

async function start(p: Project, agentName: string, task: string): Promise<string> {
  const { stdout } = await p.spawn("run", agentName, task, "--detach", "--json");
  const { runId } = JSON.parse(stdout.trim().split("\n")[0]!) as { runId: string };
  return runId;
}

const event = (page: Page, text: string) => page.getByTestId("timeline").getByText(text);
const treeItem = (page: Page, name: RegExp) => page.getByRole("treeitem", { name });

test("[U07] [S0-63] [S0-64] [S0-76] [S0-77] [S0-78] [S2-83] the tree is the way about, and a blocked parent leads to the child", async () => {
  await using p = await stageProject();
  const { url, link } = await serve(p);
  const { page, problems } = await browser.open(link);
  const root = await start(p, "lead", "Mend both parts");
  await page.goto(`${url}/r/${root}`);
  const status = page.getByTestId("status-text");
  await status.getByText("Waiting for child approval").waitFor();
  await page.getByText("DELEGATING").first().waitFor();
  expect(await page.getByRole("link", { name: "View child run" }).count()).toBeGreaterThan(0);

  // By keyboard alone: down to the first editor.
  await treeItem(page, /^main lead/).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "editor" }).waitFor();
  await status.getByText("Waiting for your approval").waitFor();
  await page.getByRole("link", { name: "Back to parent run" }).waitFor();

  // A closed node says what is below it.
  await treeItem(page, /^main lead/).focus();
  await page.keyboard.press("ArrowLeft");
  await treeItem(page, /2 need you/).waitFor();
  expect(await page.getByRole("treeitem").count()).toBe(1);
  await page.keyboard.press("ArrowRight");

  const answer = page.getByRole("link", { name: "Answer in the inbox" });
  expect(await answer.first().getAttribute("href")).toMatch(/^\/inbox\?item=/);
  for (const { id } of (await p.spawn("approve", "--json")).lines().slice(0, 0)) expect(id).toBeTruthy();
  await approveAll(page);
  await page.getByRole("link", { name: "Back to parent run" }).click();
  await page.getByRole("link", { name: "Back to parent run" }).click();
  await page.getByText("DELEGATION COMPLETE").first().waitFor();
  await status.getByText(/^Completed in .* \(2 turns\)$/).waitFor();
  expect(problems).toEqual([]);
});

/** As the inbox would. */
async function approveAll(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { approvals } = (await (await fetch("/api/approvals")).json()) as { approvals: { id: string }[] };
    for (const { id } of approvals)
      await fetch(`/api/approvals/${encodeURIComponent(id)}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ decision: "approve" }),
      });
  });
}
