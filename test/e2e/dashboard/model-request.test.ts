// What the model saw: the exact request of a model call, on the page of a run.

import { expect, test } from "vitest";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { clientOf, serve, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

test("[29.4] a turn shows the system prompt, the tools and the messages that its model got, and they stay open from turn to turn", async () => {
  await using p = await treeProject();
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link, { width: 1440, height: 900 });
  const client = clientOf(server, p);
  const { runId } = await client.post("/api/runs", { body: { agent: "worker", task: "Mend the parser" } });
  await page.goto(`${server.url}/r/${runId}?tab=prompt`);
  await page.getByText("Needs you", { exact: true }).first().waitFor();
  await page.getByRole("list", { name: "Model calls" }).getByRole("button").first().click();
  const details = page.getByRole("region", { name: "Details" });
  const request = details.getByRole("region", { name: "What the model saw" });
  await request.getByText("scripted/worker").waitFor();
  await request.getByText("System prompt").click();
  await request.getByText("Delegation", { exact: false }).first().waitFor();
  await request.getByText(/^Tools/).click();
  await request.getByText("delegate", { exact: true }).waitFor();
  const messages = request.getByRole("region", { name: "Messages" });
  await messages.getByText("Mend the parser").waitFor();
  expect(await messages.getByRole("listitem").count()).toBe(1);
  expect(await accessibilityProblems(page)).toEqual([]);

  // The next turn read the answer and the result of the call.
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expect.poll(() => messages.getByRole("listitem").count()).toBe(3);
  await messages.getByText("LS · ", { exact: false }).last().waitFor();
  expect(problems).toEqual([]);
});
