// The page of a run: tree, timeline, actions and error messages, with a real server and real streams.

import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { agent } from "../../../src/cli/cli.fixture.ts";
import type { JournalEvent } from "../../../src/journal/events.ts";
import { fold } from "../../../src/projections/projection.ts";
import { timelineProjection } from "../../../src/projections/views/timeline.ts";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { clientOf, serve, serveSeparately, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

test("[U07] [S0-63] [S0-64] [S0-76] [S0-77] [S0-78] [S2-83] [S4-60] the tree links to every run; a blocked parent links to the child that needs approval", async () => {
  await using p = await treeProject();
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link);
  const { runId: root } = await clientOf(server, p).post("/api/runs", {
    body: { agent: "lead", task: "Mend both parts" },
  });
  await page.goto(`${server.url}/r/${root}`);
  const status = page.getByTestId("status-text");
  await status.getByText("Waiting for child approval").waitFor();
  await page.getByText("DELEGATING").first().waitFor();
  expect(await page.getByRole("link", { name: "View child run" }).count()).toBeGreaterThan(1);
  await expect.poll(() => page.getByRole("treeitem").count()).toBe(5);

  // The keyboard alone can move the selection down to the first editor.
  await page.getByRole("treeitem").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "editor" }).waitFor();
  await status.getByText("Waiting for an approval").waitFor();

  // A collapsed node sums up the runs below it.
  await page.getByRole("treeitem").first().focus();
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("treeitem", { name: /2 need you/ }).waitFor();
  expect(await page.getByRole("treeitem").count()).toBe(1);
  await page.keyboard.press("ArrowRight");

  const answer = page.getByRole("link", { name: "Answer in the inbox" }).first();
  expect(await answer.getAttribute("href")).toMatch(/^\/inbox\?item=c.+%3A/);
  await approveAll(page);
  await page.getByRole("link", { name: "Back to parent run" }).click();
  await page.getByRole("heading", { level: 1, name: "worker" }).waitFor();
  await page.getByRole("link", { name: "Back to parent run" }).click();
  await page.getByText("DELEGATION COMPLETE").first().waitFor();
  await status.getByText(/^Completed in .* \(2 turns\)$/).waitFor();
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Pin to every page" }).click();
  await page.getByRole("link", { name: "Agents" }).click();
  await page
    .getByRole("complementary", { name: "Pinned run" })
    .getByRole("link", { name: /Mend both parts/ })
    .click();
  await page.getByRole("heading", { level: 1, name: "lead" }).waitFor();
  expect(problems).toEqual([]);
});

test("[U10] [U12] [U13] [U15] [U16] [U17] [U29] children expand in place, search finds text, and the URL keeps the state of the page", async () => {
  await using p = await treeProject();
  const server = await serve(p);
  const { page, context, problems } = await browser.enter(server.link, { height: 1000 });
  const { runId: root } = await clientOf(server, p).post("/api/runs", {
    body: { agent: "lead", task: "Mend both parts" },
  });
  await page.goto(`${server.url}/r/${root}`);
  await page.getByText("Needs you", { exact: true }).waitFor();
  await approveAll(page);
  await page.getByTestId("status-text").getByText("Completed in").waitFor();
  // The page shows the answer at the top, unless the current view already contains the answer.
  const answer = page.getByRole("region", { name: "Answer" });
  await answer.getByText("Both parts are mended, and the tests are green.").waitFor();
  await page.getByRole("tab", { name: "Conversation" }).click();
  await answer.waitFor({ state: "hidden" });
  await page.getByRole("tab", { name: "Timeline" }).click();

  await page.getByRole("button", { name: "Expand the timeline of worker" }).first().click();
  await page.getByRole("button", { name: "Expand the timeline of editor" }).first().click();
  // A chip shows what became of its call; a click shows its input, the decision and its output.
  const timeline = page.getByTestId("timeline");
  await timeline.getByRole("link", { name: /^Write parser\.txt done approved by / }).click();
  const details = page.getByRole("region", { name: "Details" });
  await details.getByText(/^Approved by /).waitFor();
  await details.getByText(/^Change as shown/).waitFor();
  await page.getByRole("switch", { name: "Every event" }).click();
  await timeline.getByText(/^Started worker: Mend the parser/).waitFor();
  await page
    .getByRole("treeitem", { name: /editor/ })
    .first()
    .click();
  await timeline.getByText(/^Approved by .*: Write parser\.txt/).click();
  await details.getByText("Who", { exact: true }).waitFor();
  await details.getByRole("button", { name: "Show raw event" }).click();
  await details.getByText('"type": "APPROVAL_DECIDED"').waitFor();
  await details.getByRole("button", { name: "Pin", exact: true }).click();
  await page.getByTestId("timeline").getByText("Started: editor").click();
  await details.getByRole("button", { name: "Pin", exact: true }).click();
  const pinned = page.getByRole("region", { name: "Pinned events" });
  await expect.poll(() => pinned.getByRole("article").count()).toBe(2);

  await page.keyboard.press("/");
  await page.keyboard.type("new file");
  await page.getByText("2 found").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("1 of 2").waitFor();
  await page.getByRole("heading", { level: 1, name: "editor" }).waitFor();
  const mark = page.getByTestId("timeline").locator("mark").getByText("new file");
  await mark.waitFor();
  // The first Enter also scrolls to the match.
  const [box, found] = [await timeline.boundingBox(), await mark.boundingBox()];
  expect(found!.y).toBeGreaterThanOrEqual(box!.y);
  expect(found!.y + found!.height).toBeLessThanOrEqual(box!.y + box!.height);
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("menuitemcheckbox", { name: /^Approvals/ }).click();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.getByTestId("timeline").getByRole("listitem").count()).toBe(2);

  // Another user who opens the URL sees the same page state.
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByRole("region", { name: "Pinned events" }).waitFor();
  await expect.poll(() => other.getByTestId("timeline").getByRole("listitem").count()).toBe(2);
  await other.getByRole("button", { name: "Approvals", exact: true }).waitFor();
  await other.goto(`${server.url}/r/${root}#3`);
  await other.locator(`[data-event="${root}:3"][aria-current]`).waitFor();
  expect(problems).toEqual([]);
});

test("[U18] [U19] [U42] after a crash during a call, no event is missing or doubled; a person decides the outcome of the call", async () => {
  await using p = await treeProject({
    "agents/shell.md": agent("shell"),
    "shell.script.yaml": `turns:
  - when: { turn: 1 }
    text: I print for a while.
    calls: [{ tool: Bash, input: { command: "echo begun; sleep 60; echo over" } }]
  - report: { summary: "Printed." }
`,
  });
  const server = await serveSeparately(p);
  const { page, problems } = await browser.enter(server.link);
  const { runId: run } = await clientOf(server, p).post("/api/runs", {
    body: { agent: "shell", task: "Print something" },
  });
  await page.goto(`${server.url}/r/${run}`);
  await page.getByText("Needs you", { exact: true }).waitFor();
  await approveAll(page);
  await page.getByTestId("live").getByText("begun").waitFor();
  server.up.process.kill("SIGKILL");
  await once(server.up.process, "exit");
  await page.getByTestId("connection").getByText("Reconnecting").first().waitFor();
  await serve(p, Number(new URL(server.url).port));

  const card = page.getByRole("region", { name: "Outcome unknown" });
  await card.getByLabel(/^What the agent should know/).fill("I saw its output");
  await card.getByRole("button", { name: "It happened" }).click();
  await page.getByTestId("status-text").getByText("Completed in").waitFor();
  expect(await page.getByTestId("live").count()).toBe(0);
  await page.getByRole("switch", { name: "Every event" }).click();
  await page
    .getByTestId("timeline")
    .getByText(/^Model call: scripted/)
    .first()
    .waitFor();
  const shown = await page
    .locator("[data-event]")
    .evaluateAll((rows) => rows.map((row) => row.dataset["event"]));
  expect(shown).toEqual(await linesOf(page, run));
  await page
    .getByTestId("timeline")
    .getByText(/decided: it happened/)
    .click();
  await page.getByRole("region", { name: "Details" }).getByText("I saw its output").first().waitFor();
  expect(problems).toEqual([]);
});

test("[U40] [U41] a person sends a message to a run, pauses it and cancels it; then the page says that nothing is running", async () => {
  await using p = await treeProject({
    "agents/slow.md": agent("slow"),
    "slow.script.yaml": `turns:
  - { delay: 60000, text: "Too late." }
`,
  });
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link);
  const { runId: run } = await clientOf(server, p).post("/api/runs", {
    body: { agent: "slow", task: "Take your time" },
  });
  await page.goto(`${server.url}/r/${run}`);
  await page.getByRole("heading", { level: 1, name: "slow" }).waitFor();
  await page.keyboard.press("m");
  await page.getByRole("textbox", { name: "Message" }).fill("Look at the printer first");
  await page.keyboard.press("Control+Enter");
  await page
    .getByTestId("timeline")
    .getByText(/says: Look at the printer first/)
    .waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("button", { name: "Stop 1 run" }).click();
  await page
    .getByTestId("stopping")
    .getByText(/^Stopped at \d\d:\d\d:\d\d, nothing is running$/)
    .waitFor();
  await page.getByRole("button", { name: "Retry" }).waitFor();
  expect(problems).toEqual([]);
});

test("[U44] a failed tree shows the first cause and how to fix it", async () => {
  await using p = await treeProject({
    "editor.script.yaml": `turns:
  - error: { status: 401, message: "The key is not valid" }
`,
    "worker.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: delegate, input: { agent: editor, task: "Write it down" } }]
  - error: { status: 401, message: "The key is not valid" }
`,
  });
  const server = await serve(p);
  const { page, context, problems } = await browser.enter(server.link);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { runId: root } = await clientOf(server, p).post("/api/runs", {
    body: { agent: "worker", task: "Mend the parser" },
  });
  await page.goto(`${server.url}/r/${root}`);
  const card = page.getByRole("region", { name: "Why it failed" });
  await card
    .getByTestId("first-cause")
    .getByText(/refused the API key/)
    .waitFor();
  await card.getByText(/cadre doctor/).waitFor();
  await card.getByRole("button", { name: "Copy as Markdown" }).click();
  await card.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^## Why: worker\n\nTask: ` Mend the parser `\n\n\*\*Failed[\s\S]*\*\*First cause\*\*/,
  );
  await page.getByText("DELEGATION FAILED").waitFor();
  expect(problems).toEqual([]);
});

test("[U47] [P9] the page reports an unknown run and a damaged journal", async () => {
  await using p = await treeProject();
  const server = await serve(p);
  const { page } = await browser.enter(server.link);
  await page.goto(`${server.url}/r/r1nowhere`);
  await page.getByRole("alert").getByText("There is no run r1nowhere.").waitFor();
  const { runId: root } = await clientOf(server, p).post("/api/runs", {
    body: { agent: "lead", task: "Mend both parts" },
  });
  await page.goto(`${server.url}/r/${root}`);
  await page.getByText("Needs you", { exact: true }).waitFor();
  const db = new DatabaseSync(join(p.folder, ".cadre", "cadre.db"));
  db.prepare("UPDATE events SET payload = '{' WHERE seq = 3 AND run = (SELECT n FROM runs WHERE id = ?)").run(
    root,
  );
  db.close();
  await page.reload();
  await page.getByRole("alert").getByText(`-C ${p.folder} verify ${root}`).waitFor();
  await page.getByTestId("timeline").getByText("Started: lead").waitFor();
});

test("[U48] [U49] [U34] axe finds no problem on the page of a run, in both themes and on a phone", async () => {
  await using p = await treeProject();
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link);
  const { runId: root } = await clientOf(server, p).post("/api/runs", {
    body: { agent: "lead", task: "Mend both parts" },
  });
  await page.goto(`${server.url}/r/${root}#1`);
  await page.getByText("Needs you", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Expand the timeline of worker" }).first().click();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${server.url}/r/${root}`);
  await page.getByRole("button", { name: /5 runs in this tree/ }).click();
  await page.getByRole("dialog").getByRole("treeitem").nth(2).click();
  await page.getByRole("heading", { level: 1, name: "editor" }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  expect(problems).toEqual([]);
});

/** Approves every open request through the API. */
async function approveAll(page: Page): Promise<void> {
  const decided = await page.evaluate(async () => {
    const { approvals } = (await (
      await fetch("/api/approvals", {
        headers: { "X-Cadre-Page": localStorage.getItem("cadre-page-keys") ?? "" },
      })
    ).json()) as { approvals: { id: string }[] };
    for (const { id } of approvals)
      await fetch(`/api/approvals/${encodeURIComponent(id)}`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "X-Cadre-Page": localStorage.getItem("cadre-page-keys") ?? "",
        },
        body: JSON.stringify({ decision: "approve" }),
      });
    return approvals.length;
  });
  expect(decided).toBeGreaterThan(0);
}

/** Asks the server which events have a row in the timeline. */
async function linesOf(page: Page, runId: string): Promise<string[]> {
  const { events } = (await page.evaluate(
    async (id) =>
      (
        await fetch(`/api/runs/${id}/events`, {
          headers: { "X-Cadre-Page": localStorage.getItem("cadre-page-keys") ?? "" },
        })
      ).json(),
    runId,
  )) as { events: JournalEvent[] };
  const { entries } = fold(timelineProjection, events);
  return entries.map(({ seq }) => `${runId}:${seq}`);
}
