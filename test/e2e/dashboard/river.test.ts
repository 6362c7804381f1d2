// The budget view of a tree. People change the budget of a branch, freeze the branch, and thaw it.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { agent } from "../../../src/cli/cli.fixture.ts";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { clientOf, serve, serveSeparately, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

/** A lead with two workers. Each worker is in the middle of a call. */
const project = () =>
  treeProject({
    "cadre.yaml": `limits: { tree: { maxCost: 4 } }
prices:
  scripted/lead: { input: 20, output: 60 }
  scripted/worker: { input: 20, output: 60 }
`,
    "agents/lead.md": agent("lead", "agents: [worker]\ndelegation: { mode: parallel, maxParallel: 4 }\n"),
    "agents/worker.md": agent("worker", "kind: subagent\nmaxOutputTokens: 2000\nlimits: { maxCost: 1.5 }\n"),
    "lead.script.yaml": `turns:
  - when: { turn: 1 }
    usage: { input: 9000, output: 0 }
    calls:
      - { tool: delegate, input: { agent: worker, task: one } }
      - { tool: delegate, input: { agent: worker, task: two } }
  - report: { summary: "All parts are there." }
`,
    "worker.script.yaml": `turns:
  - { when: { turn: 1 }, usage: { input: 5000, output: 0 }, calls: [{ tool: LS, input: { path: . } }] }
  - { when: { attempt: 1 }, delay: 600000, text: Never. }
  - report: { summary: "Part \${task} is there." }
`,
  });

const row = (page: Page, name: RegExp) => page.getByRole("row", { name });

test("[U35] [U36] [BV1] [BV2] [BV4] a branch gets more budget and is frozen; it stays frozen after a crash and continues when thawed", async () => {
  await using p = await project();
  const server = await serveSeparately(p);
  const { page, problems } = await browser.enter(server.link);
  const { runId } = await clientOf(server, p).post("/api/runs", {
    body: { agent: "lead", task: "Get it ready" },
  });
  await page.goto(`${server.url}/r/${runId}?view=budget`);
  await page.getByRole("heading", { name: "$4.00 for the whole tree" }).waitFor();
  await row(page, /^worker two running \$0\.10 \$0\.\d\d .*\$1\.50/).waitFor();
  // The lead has no limit of its own, but it shares the limit of the tree.
  await row(page, /^lead .*\bshared\b/).waitFor();
  await page.locator("svg[data-river] path").nth(4).waitFor({ state: "attached" });

  const change = row(page, /^worker one/).getByRole("button", { name: "Change the budget of worker" });
  const dialog = page.getByRole("dialog", { name: "Budget of worker" });
  await change.click();
  await dialog.getByLabel("How much, in dollars").fill("1.45");
  await dialog.getByRole("button", { name: "Remove $1.45" }).click();
  await dialog.getByText(/cannot have less than \$0\.\d\d: that much is already spent or reserved/).waitFor();
  await dialog.getByLabel("How much, in dollars").fill("9");
  await dialog.getByRole("button", { name: "Add $9.00" }).click();
  await dialog.getByText("The tree does not have so much left for one of its runs.").waitFor();
  await dialog.getByLabel("How much, in dollars").fill("0.5");
  await page.keyboard.press("Enter");
  await row(page, /^worker one running .*\$2\.00/).waitFor();

  await row(page, /^lead/).getByRole("button", { name: "Freeze lead and all runs below it" }).click();
  await row(page, /^worker one frozen/).waitFor();
  server.up.process.kill("SIGKILL");
  await server.up.end();
  const again = await serve(p, Number(new URL(server.url).port));
  await page.goto(`${again.url}/r/${runId}?view=budget`);
  await row(page, /^worker two frozen/).waitFor();
  await row(page, /^lead/).getByRole("button", { name: "Thaw lead and all runs below it" }).click();
  await row(page, /^lead Get it ready completed/).waitFor();
  await row(page, /^worker one completed .*\$2\.00/).waitFor();
  await page.getByRole("button", { name: "Tokens" }).click();
  await page.waitForURL(/unit=tokens/);
  await page.getByText("No limit for the whole tree").waitFor();
  expect(problems.filter((problem) => !/Failed to fetch|ERR_CONNECTION/.test(problem))).toEqual([]);
});

test("[U48] [U49] axe finds no problem in the budget view, in both themes and on a phone", async () => {
  await using p = await project();
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link);
  const { runId } = await clientOf(server, p).post("/api/runs", {
    body: { agent: "lead", task: "Get it ready" },
  });
  await page.goto(`${server.url}/r/${runId}?view=budget`);
  await row(page, /^worker two running/).waitFor();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await row(page, /^worker one/).waitFor();
    expect(await accessibilityProblems(page, "main")).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  expect(problems).toEqual([]);
});
