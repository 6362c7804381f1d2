// The "why" view in a real browser. The view leads from a failed root to the first cause, and from any event back to the task.

import { afterAll, beforeAll, expect, test } from "vitest";
import { agent, type Project } from "../../../src/cli/cli.fixture.ts";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { type OpenPage, withBrowser } from "./browser.fixture.ts";
import { serve, type TestServer, treeProject } from "./server.fixture.ts";

const browser = withBrowser();
let p: Project;
let server: TestServer;
let opened: OpenPage;
let root: string;

beforeAll(async () => {
  p = await treeProject({
    "agents/lead.md": agent("lead", "agents: [worker]\ndelegation: { onFailure: fail }\n"),
    "agents/worker.md": agent("worker", "agents: [editor]\ndelegation: { onFailure: fail }\n"),
    "lead.script.yaml":
      "turns:\n  - calls: [{ tool: delegate, input: { agent: worker, task: Mend the parser } }]\n",
    "agents/writer.md": agent("writer"),
    "writer.script.yaml":
      "turns:\n  - when: { turn: 1 }\n    calls: [{ tool: Write, input: { path: a.txt, content: hello } }]\n  - text: Written.\n",
    "editor.script.yaml": "turns:\n  - error: { status: 401, message: The key is not valid }\n",
  });
  const ran = await p.cadre("run", "lead", "Mend it", "--json");
  root = String(ran.lines().find((line) => typeof line["runId"] === "string")!["runId"]);
  server = await serve(p);
  opened = await browser.enter(server.link, { stays: true });
});
afterAll(() => p[Symbol.asyncDispose]());

test("[U44] [S1-64] [S1-66] the view shows the first cause, how the failure spread, and the decision log; an event shows its causes", async () => {
  const { page, context, problems } = opened;
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${server.url}/r/${root}`);
  await page.getByRole("tab", { name: "Why" }).click();
  await page.waitForURL("**?view=why");
  await page.getByRole("heading", { name: /^Failed, because editor did\./ }).waitFor();
  const first = page.getByRole("region", { name: "First cause", exact: true });
  await first.getByText("because the provider does not accept the key").waitFor();
  const up = page.getByRole("region", { name: "How it spread", exact: true }).getByRole("listitem");
  await expect.poll(() => up.count()).toBe(3);
  expect(await up.last().innerText()).toContain("because worker did not succeed");
  const log = page.getByRole("region", { name: /^Decision log/ });
  await log.getByText("its model chose worker for this task").waitFor();
  const next = page.getByRole("region", { name: "What you can do now" });
  await next.getByText(`cadre retry ${root}`).waitFor();
  await next.getByTitle(`bin/cadre.js -C ${p.folder} retry ${root}`).waitFor();

  const view = page.getByRole("tabpanel");
  await view.getByRole("button", { name: "Copy as Markdown" }).click();
  await view.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(/^## Why: lead\n/);
  expect(copied).toMatch(
    new RegExp(`\\*\\*First cause\\*\\*: .*\\(\\[c\\w+#3\\]\\(${server.url}/r/c\\w+#3\\)\\)`),
  );

  // The first cause links to its event, and the causes of that event lead back to the task.
  await first.getByRole("button", { name: /The model call failed/ }).click();
  await page.waitForURL(/\/r\/c\w+\?view=why#3$/);
  const led = page.getByRole("list", { name: "What led to it, back to the task" });
  await led.getByText(/Started worker: Mend the parser/).waitFor();
  await led.getByRole("button", { name: /^lead: Started: lead/ }).click();
  await page.waitForURL(new RegExp(`/r/${root}\\?view=why#1$`));
  expect(problems).toEqual([]);
});

test("[U29] the hash of an approved call shows that the approved and the executed call are identical", async () => {
  const { page, problems } = opened;
  const runId = (await p.cadre("run", "writer", "Write it", "--detach")).stdout.trim();
  const open = async () => (await p.cadre("approve", "--json")).lines().map(({ id }) => String(id));
  await expect.poll(open).toHaveLength(1);
  await p.cadre("approve", (await open())[0]!);
  const startedCall = async () =>
    (await p.cadre("show", runId, "--events", "--json")).lines().find(({ type }) => type === "TOOL_STARTED");
  await expect.poll(startedCall).toBeDefined();
  await page.goto(`${server.url}/r/${runId}?view=why#${String((await startedCall())!["seq"])}`);
  await page
    .getByText(/identical to what was approved \d\d:\d\d by .+, sha256 [0-9a-f]{64}/)
    .first()
    .waitFor();
  expect(problems).toEqual([]);
});

test("[U48] axe finds no problem in the why view in either theme; everything fits on a phone", async () => {
  const { page, problems } = opened;
  await page.goto(`${server.url}/r/${root}?view=why`);
  await page.getByRole("region", { name: /^Decision log/ }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(problems).toEqual([]);
});
