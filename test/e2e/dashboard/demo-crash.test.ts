// A button on the demo's page kills the server, and the server restarts.

import { expect, test } from "vitest";
import { project } from "../../../src/cli/cli.fixture.ts";
import { expectConnection, withBrowser } from "./browser.fixture.ts";
import { clientOf, serve, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

test("[U43] [P4] after the demo has killed its server, the page reports the crash and how each run recovered", async () => {
  await using p = await project({});
  const up = p.start("up", "--demo", "--port", "0", "--no-open", "--json");
  const { link } = JSON.parse((await up.shows(/^\{.*"link".*\}$/m))[0]) as { link: string };
  const { page, problems } = await browser.open(link);
  const strip = page.getByRole("region", { name: "Demo" });
  const pid = () =>
    page.evaluate(async () => {
      const headers = { "X-Cadre-Page": localStorage.getItem("cadre-page-keys") ?? "" };
      const { pid } = (await (await fetch("/api/health", { headers })).json()) as { pid: number };
      return pid;
    });
  await strip.getByText(/^Demo: everything is real except the model's text/).waitFor();

  const first = await pid();
  await strip.getByRole("button", { name: "Pull the plug" }).click();
  await strip.getByText("Server down.").waitFor();
  await strip.getByText(/^Recovered \d+ runs? in \d+\.\d s, effects repeated: 0/).waitFor();
  expect(await pid()).not.toBe(first);

  // The run continues until it needs a person. After a second crash the same request is still open.
  await strip.getByText("decisions needed: 1").waitFor();
  const second = await pid();
  await strip.getByRole("button", { name: "Pull the plug" }).click();
  await strip.getByText("Server down.").waitFor();
  await strip
    .getByText(/^Recovered \d+ runs? in \d+\.\d s, effects repeated: 0, decisions needed: 1$/)
    .waitFor();
  expect(await pid()).not.toBe(second);
  await strip.getByRole("link", { name: "decisions needed: 1" }).click();
  await page.waitForURL(/\/inbox/);
  await page
    .getByRole("button", { name: /^Approve/ })
    .first()
    .waitFor();
  expect(problems).toEqual([]);

  up.process.kill("SIGTERM");
  expect((await up.end()).code).toBe(0);
});

test("[U43] outside the demo, the page has no button that kills the server", async () => {
  await using p = await treeProject();
  const server = await serve(p);
  const { page } = await browser.open(server.link);
  await expectConnection(page, "Live");
  expect(await page.getByRole("button", { name: "Pull the plug" }).count()).toBe(0);
  await expect(clientOf(server, p).post("/api/plug")).rejects.toMatchObject({ code: "NOT_FOUND" });
});
