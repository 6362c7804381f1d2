// The usage page in a real browser: key figures, plots, and tables with the same numbers.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agent, type Project } from "../../../src/cli/cli.fixture.ts";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { type OpenPage, withBrowser } from "./browser.fixture.ts";
import { serve, type TestServer, treeProject } from "./server.fixture.ts";

const browser = withBrowser();
let p: Project;
let server: TestServer;
let opened: OpenPage;
let runId: string;

beforeAll(async () => {
  p = await treeProject({
    "agents/worker.md": agent("worker", "kind: subagent\n"),
    "worker.script.yaml":
      'turns:\n  - when: { turn: 1 }\n    calls: [{ tool: Ls, input: { path: . } }]\n  - report: { summary: "Done." }\n',
    "cadre.yaml":
      "prices:\n  scripted/lead: { input: 15, output: 75 }\n  scripted/worker: { input: 3, output: 15 }\npermissions: { allow: [Write] }\n",
  });
  server = await serve(p);
  opened = await browser.enter(server.link, { stays: true });
});
afterAll(() => p[Symbol.asyncDispose]());

test("[U46] before the first run, the usage page says how to start one", async () => {
  await opened.page.goto(`${server.url}/usage`);
  await opened.page.getByText("Choose a longer time range, or start a run").waitFor();
  const ran = await p.cadre("run", "lead", "Mend both", "--yes", "--json");
  runId = String(ran.lines().find((line) => typeof line["runId"] === "string")!["runId"]);
  // The page updates when the feed reports an event. It does not poll.
  await opened.page.getByRole("heading", { name: "Cost" }).waitFor();
});

test("[S1-70] [S1-75] [S2-93] [S2-94] [U35] the usage page shows figures, plots, tables and delegations for the time range in the URL", async () => {
  const { page, problems } = opened;
  await page.goto(`${server.url}/usage`);
  const tile = (name: string) =>
    page.locator("dl > div").filter({ has: page.getByText(name, { exact: true }) });
  await tile("Runs").getByText("3 completed, 0 failed, 0 cancelled").waitFor();
  await tile("Without human help").getByText("100 %").waitFor();
  await tile("Depth").getByText("runs by level: 1, 2").waitFor();
  await tile("Compared to one agent")
    .getByText(/a single agent about .* tokens, \$.* \(an estimate/)
    .waitFor();
  expect(await tile("Cost").innerText()).toMatch(/\$0\.\d+/);
  await expect.poll(() => page.locator("canvas").count()).toBe(4);
  await page.getByRole("region", { name: "Turns", exact: true }).locator("summary").click();
  const turns = page.getByRole("region", { name: "Turns as a table" });
  expect(await turns.getByRole("columnheader").allInnerTexts()).toEqual(["From", "lead", "worker"]);
  expect(await turns.getByRole("cell").allInnerTexts()).toEqual(["2", "4"]);
  await page.getByRole("button", { name: "Delegations" }).click();
  const edge = page.getByRole("region", { name: "Delegations", exact: true }).getByRole("row").nth(1);
  expect(await edge.getByRole("cell").allInnerTexts()).toEqual([
    "lead",
    "worker",
    "2",
    "2",
    "0",
    "0",
    "100 %",
  ]);

  await page.getByRole("link", { name: "24 hours" }).click();
  await page.waitForURL("**/usage?by=delegation&range=24h");
  await page.getByRole("button", { name: "Models" }).click();
  await page.getByRole("list").getByText("scripted/worker").first().waitFor();
  expect(page.url()).toContain("by=model");
  await page.goBack();
  await page.getByRole("list").getByText("worker", { exact: true }).first().waitFor();
  expect(problems).toEqual([]);
});

test("[29.17] the table by agent, model, task, person and day has p50, p95 and the cached share, links into runs, and is saved as CSV", async () => {
  const { page, problems } = opened;
  await page.goto(`${server.url}/usage`);
  const table = page.getByRole("region", { name: "Usage in detail" });
  const head = () => table.getByRole("columnheader").allInnerTexts();
  await table.getByRole("link", { name: "worker" }).waitFor();
  expect(await head()).toEqual([
    ...["Agent", "Runs", "Tokens", "Cached", "Cost", "Wasted", "Working time", "p50", "p95"],
  ]);
  const saved = page.waitForEvent("download");
  await table.getByRole("button", { name: "CSV" }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe("usage-by-agent.csv");
  const lines = readFileSync(await file.path(), "utf8").split("\r\n");
  expect(lines[0]).toContain("agent,runs,input_tokens");
  expect(lines[0]).toContain("p50_working_ms,p95_working_ms");
  expect(lines.slice(1).map((line) => line.split(",")[0])).toEqual(["lead", "worker", ""]);
  for (const [group, first] of [
    ["Models", "scripted/lead"],
    ["People", /./],
    ["Days", /\w{3}, \w{3} \d+/],
  ] as const) {
    await table.getByRole("button", { name: group }).click();
    await table.getByRole("region", { name: group }).getByRole("cell").first().getByText(first).waitFor();
    expect(await head()).toContain("Cached");
  }
  await table.getByRole("button", { name: "Tasks" }).click();
  await page.waitForURL("**/usage?by=tree");
  await table.getByRole("link", { name: "Mend both" }).click();
  await page.waitForURL(`**/r/${runId}`);
  await page.goto(`${server.url}/usage`);
  const worker = table.getByRole("row").filter({ has: page.getByRole("link", { name: "worker" }) });
  await worker.getByRole("link", { name: "2 runs" }).click();
  await page.waitForURL(/agent=worker/);
  await expect.poll(() => page.getByTestId("runs").locator("[data-run]").count()).toBe(2);
  expect(problems).toEqual([]);
});

test("[U35] the page shows the usage of one tree; one click shows all runs; an unknown run is reported", async () => {
  const { page, problems } = opened;
  await page.goto(`${server.url}/usage?root=${runId}`);
  await page.getByText("3 completed, 0 failed, 0 cancelled").waitFor();
  await page.getByLabel("Only this run and the runs below it").fill("r000000000000000000000");
  await page.keyboard.press("Enter");
  await page.getByText("Not found").waitFor();
  await page.getByRole("button", { name: "Show all runs" }).click();
  await page.getByRole("heading", { name: "Cost" }).waitFor();
  expect(page.url()).not.toContain("root");
  expect(problems).toEqual([]);
});

test("[U48] axe finds no problem on the usage page in either theme; plots follow the theme; everything fits on a phone", async () => {
  const { page, problems } = opened;
  await page.goto(`${server.url}/usage`);
  await page.locator("canvas").first().waitFor();
  const ink = () =>
    page
      .locator("canvas")
      .first()
      .evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  // The test takes the picture before the axe check, because that check might leave the dark theme on.
  const light = await ink();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(ink).not.toBe(light);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(problems).toEqual([]);
});
