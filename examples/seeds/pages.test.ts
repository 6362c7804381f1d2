// Looks at the five systems in a browser: what the page shows of their trees.

import { expect, test } from "vitest";
import { withBrowser } from "../../test/e2e/dashboard/browser.fixture.ts";
import { type Json, startSeed } from "./seed.fixture.ts";

const browser = withBrowser();

test("[28.18] [S0-63] [S0-76] S0's page shows that a child needs a person, and leads to the child and back", async () => {
  await using seed = await startSeed("s0");
  const { page, problems } = await browser.enter(seed.link);
  const { runId } = await seed.post("/runs", { prompt: "Checkout answers 500" });
  await page.goto(`${seed.url}/r/${runId}`);
  const status = page.getByTestId("status-text");
  await status.getByText("Waiting for child approval").waitFor();
  const child = await status.getByRole("link", { name: /coding/ }).getAttribute("href");
  await page.goto(`${seed.url}${child}`);
  await page.getByRole("heading", { level: 1, name: /coding/ }).waitFor();
  await page
    .getByRole("navigation", { name: "Breadcrumbs" })
    .getByText(/orchestrator/)
    .click();
  await page.getByRole("heading", { level: 1, name: /orchestrator/ }).waitFor();
  expect(problems).toEqual([]);
});

test("[28.18] [S4-59] S4's page shows what the main agent and its subagent did, and a question in the inbox", async () => {
  await using seed = await startSeed("s4");
  const { page, problems } = await browser.enter(seed.link);
  const message = { message: "Add a health endpoint", agent_id: "lead", mode: "auto" };
  const { run_id }: Json = await seed.post("/api/chat", message);
  await page.goto(`${seed.url}/inbox`);
  await page.getByRole("heading", { level: 2, name: "coder needs your approval" }).waitFor();
  await page.goto(`${seed.url}/r/${run_id}`);
  await page.getByRole("treeitem", { name: /coder/ }).waitFor();
  await seed.post("/api/agent-cancel", { run_id });
  await page
    .getByTestId("status-text")
    .getByText(/Cancelled/)
    .waitFor();
  expect(problems).toEqual([]);
});
