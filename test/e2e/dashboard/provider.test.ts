// A run waits for its model provider, and a person makes it retry immediately.

import { expect, test } from "vitest";
import { agent } from "../../../src/cli/cli.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { clientOf, serve, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

test("[U45] a waiting run shows the reason, the time left and other waiting runs; one click retries the model call", async () => {
  await using p = await treeProject({
    "agents/asker.md": agent("asker"),
    "asker.script.yaml": `turns:
  - { when: { attempt: 1, task: first }, error: { status: 429, message: "slow down", retryAfter: 600 } }
  - report: { summary: "answered" }
`,
  });
  const server = await serve(p);
  const client = clientOf(server, p);
  const start = async (task: string) =>
    (await client.post("/api/runs", { body: { agent: "asker", task } })).runId;
  const waits = (count: number) =>
    expect
      .poll(async () => (await client.get("/api/runs", { waiting: "provider", total: true })).total, {
        timeout: 20_000,
      })
      .toBe(count);
  const first = await start("first");
  await waits(1);
  const second = await start("second");
  await waits(2);

  const { page, problems } = await browser.enter(server.link);
  page.setDefaultTimeout(20_000);
  await page.goto(`${server.url}/r/${first}`);
  await page.getByText(/Attempt 1 failed: .*slow down/).waitFor();
  await page
    .getByText(/next attempt in \d+ min/)
    .first()
    .waitFor();
  await page.getByText("1 other run also waiting").waitFor();
  await page.getByRole("button", { name: "Retry now" }).click();
  await page.getByTestId("status-text").getByText("Completed in").waitFor();

  await page.goto(`${server.url}/settings`);
  await page.getByText("1 run waiting.").waitFor();
  const told = await p.cadre("resume", second);
  expect(told.code, told.stderr).toBe(0);
  await page.getByText("No run is waiting for its provider.").waitFor();
  expect(problems).toEqual([]);
});
