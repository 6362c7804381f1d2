// Small mistakes that readers found on the page. Each one has a test here.

import { expect, test } from "vitest";
import { agent } from "../../../src/cli/cli.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { clientOf, serve, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

test("[29 bugs] a collapsed child says what it does now, and a panel named in the URL is on the screen", async () => {
  await using p = await treeProject();
  const server = await serve(p);
  const { page } = await browser.enter(server.link, { width: 1440, height: 900 });
  const { runId } = await clientOf(server, p).post("/api/runs", {
    body: { agent: "lead", task: "Mend both parts" },
  });
  await page.goto(`${server.url}/r/${runId}?tab=prompt`);
  const instructions = page.getByText("No instruction files were read, such as AGENTS.md.");
  await instructions.waitFor();
  const box = (await instructions.boundingBox())!;
  expect(box.x + box.width).toBeLessThanOrEqual(1440);
  expect(box.y + box.height).toBeLessThanOrEqual(900);
  // Each worker waits for its editor, which asks a person. Its own last words would be about the delegation.
  const latest = page.getByTestId("latest");
  await latest.getByText("Waiting for child approval").first().waitFor();
  expect(await latest.allTextContents()).toEqual([
    "Waiting for child approval",
    "Waiting for child approval",
  ]);
});

test("[29 bugs] the number of turns is the same everywhere, also if the first model call failed", async () => {
  await using p = await treeProject({
    "agents/keyless.md": agent("keyless"),
    "keyless.script.yaml": `turns: [{ error: { status: 401, message: "The key is not valid" } }]\n`,
  });
  const server = await serve(p);
  const { page } = await browser.enter(server.link, { width: 1440, height: 900 });
  const { runId } = await clientOf(server, p).post("/api/runs", { body: { agent: "keyless", task: "Try" } });
  await page.goto(`${server.url}/r/${runId}?tab=usage`);
  await page
    .getByTestId("status-text")
    .getByText(/\(1 turn\)/)
    .waitFor();
  await page
    .getByText(/^1 of \d+$/)
    .first()
    .waitFor();
});

test("[29.5] [29.7] [29.19] a completed run says in amber that a delegation was refused, and an answer keeps its line breaks and alignment", async () => {
  await using p = await treeProject({
    "agents/boss.md": agent("boss", "agents: [editor]\n"),
    "boss.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: delegate, input: { agent: nobody, task: "Mend it" } }]
  - report: { summary: "First line.\\nSecond line.\\n\\n| part | cost |\\n|:--|--:|\\n| parser | 12 |\\n" }
`,
  });
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link, { width: 1440, height: 900 });
  const { runId } = await clientOf(server, p).post("/api/runs", { body: { agent: "boss", task: "Mend it" } });
  await page.goto(`${server.url}/r/${runId}`);
  await page.getByTestId("status-text").getByText("Completed in").waitFor();
  await page.getByRole("banner").or(page.locator("header")).getByText("1 refused", { exact: true }).waitFor();
  await page.getByRole("treeitem", { name: /completed, 1 refused/ }).waitFor();
  // [29.19] The frame names the project and the user, and *More* verifies the journal.
  const pages = page.getByRole("navigation", { name: "Pages" });
  await pages.getByText(/, admin$/).waitFor();
  await pages.getByTitle(p.folder).waitFor();
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Verify the journal" }).click();
  await page
    .getByRole("status", { name: "Confirmation" })
    .getByText(/^Verified: 1 run, \d+ events, /)
    .waitFor();
  const answer = page.getByRole("region", { name: "Answer" });
  const text = answer.getByText("First line.");
  // The Markdown is rendered as soon as its code is loaded.
  await expect.poll(() => text.innerText()).toBe("First line.\nSecond line.");
  expect(
    await answer.getByRole("cell", { name: "12" }).evaluate((cell) => getComputedStyle(cell).textAlign),
  ).toBe("right");
  expect(problems).toEqual([]);
});
