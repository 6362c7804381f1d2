// After a crash, Cadre does not know the outcome of a call. A probe suggests the outcome, and a person decides.

import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { agent, project } from "../../../src/cli/cli.fixture.ts";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { clientOf, serve } from "./server.fixture.ts";

const browser = withBrowser();

test("[PB1] [P4] [F03] after a crash the inbox and the run's page show the probe's result, and a person decides the call's outcome", async () => {
  await using p = await project({
    "agents/pen.md": agent("pen"),
    "pen.script.yaml": `turns:
  - when: { turn: 1 }
    text: I make the folder.
    calls: [{ tool: Bash, input: { command: "mkdir out && sleep 600" } }]
  - report: { summary: "Went on." }
`,
  });
  const killed = p.start("run", "--yes", "--json", "go");
  await expect.poll(() => readdir(p.folder), { timeout: 30_000 }).toContain("out");
  killed.process.kill("SIGKILL");
  await killed.end();

  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link);
  page.setDefaultTimeout(20_000);
  await page.goto(`${server.url}/inbox`);
  const card = page.getByRole("article");
  const probe = card.getByRole("region", { name: "Probe" });
  await probe.getByText("Cadre can check whether the call took effect.").waitFor();
  await page.keyboard.press("l");
  await probe.getByText("it was done").waitFor();
  await probe.getByText(/^The folder out is there, made /).waitFor();
  await card.getByText("The probe suggests this.").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);

  const [{ runId } = { runId: "" }] = (await clientOf(server, p).get("/api/approvals")).approvals;
  await page.goto(`${server.url}/r/${runId}`);
  const notice = page.getByRole("region", { name: "Outcome unknown" });
  await notice.getByText("it was done").waitFor();
  await notice.getByRole("button", { name: "Check again" }).click();
  await page
    .getByTestId("timeline")
    .getByText(/checked whether it happened: it was done/)
    .nth(1)
    .waitFor();
  await notice.getByRole("button", { name: "It happened" }).click();
  await page.getByTestId("status-text").getByText("Completed in").waitFor();
  expect(problems).toEqual([]);
});
