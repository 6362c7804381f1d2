// Runs that a pattern starts: their position in the tree, and their labels.

import { expect, test } from "vitest";
import { agent } from "../../../src/cli/cli.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { PATTERNS } from "./patterns.fixture.ts";
import { clientOf, serve, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

test("[U07] [S2-80] a run started by a pattern appears below the run that started it, at every depth", async () => {
  await using p = await treeProject(PATTERNS);
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link);
  const { runId } = await clientOf(server, p).post("/api/runs", {
    body: { agent: "desk", task: "Why was I charged twice?" },
  });
  await page.goto(`${server.url}/r/${runId}`);
  await page.getByTestId("status-text").getByText("Completed in").waitFor();
  const nodes = page.getByRole("treeitem");
  await expect.poll(() => nodes.count()).toBe(3);
  const levels = await nodes.evaluateAll((all) => all.map((node) => node.getAttribute("aria-level")));
  expect(levels).toEqual(["1", "2", "3"]);
  const [first = 0, second = 0, third = 0] = await nodes.evaluateAll((all) =>
    all.map((node) => Number.parseFloat(getComputedStyle(node).paddingLeft)),
  );
  expect(first < second && second < third).toBe(true);
  expect(problems).toEqual([]);
});

test("[S2-35] agents appear by title; headings and the list of agents also show the name", async () => {
  await using p = await treeProject({
    ...PATTERNS,
    "agents/editor.md": agent("editor", "kind: subagent\ntitle: The copy editor\n"),
  });
  const server = await serve(p);
  const client = clientOf(server, p);
  const { page, problems } = await browser.enter(server.link);
  const { runId } = await client.post("/api/runs", {
    body: { agent: "desk", task: "Why was I charged twice?" },
  });
  await page.goto(`${server.url}/r/${runId}`);
  await page.getByRole("heading", { level: 1, name: "The help desk desk" }).waitFor();
  await page.getByRole("treeitem", { name: /Billing and invoices routed/ }).waitFor();
  await page.getByTestId("timeline").getByText("Billing and invoices").first().waitFor();
  await page.getByRole("treeitem", { name: /refunds/ }).click();
  await page.getByRole("navigation", { name: "Breadcrumbs" }).getByText("The help desk").waitFor();
  await page.getByRole("heading", { level: 1, name: "refunds handoff" }).waitFor();

  await page.goto(`${server.url}/agents?view=list`);
  await page.getByRole("link", { name: "The help desk desk" }).click();
  await page.getByRole("heading", { level: 1, name: /The help desk desk$/ }).waitFor();
  await page.goto(`${server.url}/agents?view=graph`);
  await page.getByRole("link", { name: /The help desk/ }).waitFor();

  await client.post("/api/runs", { body: { agent: "lead", task: "Mend both parts" } });
  await page.goto(`${server.url}/inbox`);
  await page.getByRole("heading", { level: 2, name: "The copy editor editor needs your approval" }).waitFor();
  await page.getByRole("navigation", { name: "Asking run" }).getByText("The copy editor").waitFor();
  await page.getByRole("list", { name: "Waiting for you" }).getByText("The copy editor").first().waitFor();
  expect(problems).toEqual([]);
});

test("[S0-76] [S0-77] [U44] the start and end of each draft show the draft's number; a failed run shows the reason first", async () => {
  await using p = await treeProject({
    ...PATTERNS,
    "referee.script.yaml": `turns:
  - when: { task: spoil }
    report: { summary: "The ninth is best.", output: { draft: 9, reason: "So be it." } }
  - report: { summary: "The second.", output: { draft: 2, reason: "It says what it does." } }
`,
  });
  const server = await serve(p);
  const client = clientOf(server, p);
  const { page, problems } = await browser.enter(server.link, { height: 1200 });
  const good = await client.post("/api/runs", { body: { agent: "namer", task: "Name the function" } });
  await page.goto(`${server.url}/r/${good.runId}`);
  await page.getByTestId("status-text").getByText("Completed in").waitFor();
  for (const words of ["DRAFT 1 COMPLETE", "DRAFT 3 COMPLETE", "JUDGE COMPLETE"])
    await page.getByTestId("timeline").getByText(words, { exact: true }).waitFor();
  expect(await page.getByText("DELEGATING").count()).toBe(0);

  const bad = await client.post("/api/runs", { body: { agent: "namer", task: "spoil it" } });
  await page.goto(`${server.url}/r/${bad.runId}`);
  const card = page.getByRole("region", { name: "Why it failed" });
  await card.getByTestId("first-cause").getByText("The report did not fit, twice.").waitFor();
  await card.getByRole("list", { name: "How it spread" }).getByText("referee").waitFor();
  expect(problems).toEqual([]);
});
