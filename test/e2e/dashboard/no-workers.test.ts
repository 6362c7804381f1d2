// Tests a server that does not execute runs itself, while no worker is running.
// After a person has answered a request, the page reports the missing worker and shows how to start one.

import { afterAll, beforeAll, expect } from "vitest";
import { agent, type Project } from "../../../src/cli/cli.fixture.ts";
import { startPostgres, type TestPostgres, test } from "../../../src/stores/postgres/postgres.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { expectRows, openRow, SOON } from "./inbox.fixture.ts";
import { clientOf, serve, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres("fsync=off");
});
afterAll(() => postgres.end());

/** One root run whose child needs approval, and one root run that needs approval itself. */
async function postgresProject(): Promise<Project> {
  const p = await treeProject({
    "lead.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: delegate, input: { agent: clerk, task: "paint it" } }] }
  - report: { summary: "Painted." }
`,
    "agents/lead.md": agent("lead", "agents: [clerk]\n"),
    "agents/clerk.md": agent("clerk"),
    "clerk.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: Write, input: { path: "\${task}.txt", content: "\${task}" } }] }
  - report: { summary: "Written." }
`,
  });
  Object.assign(p.env, {
    CADRE_STORE: await postgres.newStore(),
    CADRE_ENGINE: "pg-boss",
    CADRE_TRUST: "1",
  });
  return p;
}

test("[U01] [U03] [U43] [E9] without a worker, the pages say that an answered run has not resumed, and show how to start a worker", async () => {
  await using p = await postgresProject();
  const server = await serve(p, 0, "--no-worker");
  const client = clientOf(server, p);
  const worker = p.start("worker");
  await worker.shows(/takes runs/);
  const { runId: root } = await client.post("/api/runs", {
    body: { agent: "lead", task: "release", attended: true },
  });
  await client.post("/api/runs", { body: { agent: "clerk", task: "sweep", attended: true } });
  await expect.poll(async () => (await client.get("/api/approvals")).approvals.length, SOON).toBe(2);
  await expect
    .poll(async () => (await client.get("/api/runs/{id}", { id: root })).waitingOn?.kind, SOON)
    .toBe("child_hitl");

  const { page, problems } = await browser.open(server.link);
  page.setDefaultTimeout(15_000);
  const views = page.getByRole("navigation", { name: "Saved views" });
  const needsMe = () => views.getByRole("link", { name: /^Needs me/ }).innerText();
  const row = (task: string) => page.getByRole("row").filter({ hasText: task });
  const banner = page.getByTestId("server");
  await expect.poll(needsMe, SOON).toMatch(/2$/);
  expect(await banner.count()).toBe(0);

  worker.process.kill("SIGKILL");
  await worker.end();
  await postgres.query("UPDATE workers SET expires_at = expires_at - 60000", p.env["CADRE_STORE"]);
  await banner.filter({ hasText: "No worker is running. Everything recorded is safe." }).waitFor();
  expect(await banner.innerText()).toMatch(/ worker$/m);

  await page.goto(`${server.url}/inbox`);
  await expectRows(page, 2);
  await openRow(page, /paint it/);
  await page
    .getByRole("button", { name: /^Approve/ })
    .first()
    .click();
  await expectRows(page, 1);
  await banner.filter({ hasText: "No worker is running, and 1 run is waiting." }).waitFor();

  await page.goto(server.url);
  await expect.poll(needsMe, SOON).toMatch(/1$/);
  await row("release").filter({ hasText: "answered" }).waitFor();
  expect(await row("release").innerText()).not.toMatch(/needs you|you:/);
  await row("sweep").filter({ hasText: "needs you" }).waitFor();

  await page.goto(`${server.url}/r/${root}`);
  const status = page.getByTestId("status-text");
  await status.filter({ hasText: "Answered, but not continued yet" }).waitFor();
  expect(await page.getByRole("tree").innerText()).not.toMatch(/needs you|waiting for child/);
  await page.getByRole("treeitem").filter({ hasText: "clerk" }).last().click();
  await status.filter({ hasText: "Answered, but not continued yet" }).waitFor();

  await page.goto(`${server.url}/inbox`);
  await expectRows(page, 1);
  await openRow(page, /sweep/);
  await page
    .getByRole("button", { name: /^Approve/ })
    .first()
    .click();
  await page.getByRole("heading", { name: "Nothing is waiting for you" }).waitFor();
  await page.getByRole("main").getByText("answered", { exact: true }).nth(1).waitFor();
  expect(await page.getByRole("main").innerText()).not.toContain("needs you");
  await page.goto(`${server.url}/settings`);
  await page.getByText("It crashed, hangs, or lost its connection.", { exact: true }).waitFor();
  await page.getByText("No worker is running. Start one:").waitFor();

  const next = p.start("worker");
  await next.shows(/takes runs/);
  await expect
    .poll(async () => (await client.get("/api/runs/{id}", { id: root })).status, SOON)
    .toBe("completed");
  await banner.waitFor({ state: "detached" });
  expect(problems).toEqual([]);
}, 120_000);
