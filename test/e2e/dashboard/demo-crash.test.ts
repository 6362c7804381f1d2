// The demo's plug: the server is killed from its own page, and comes back.

import { expect, test } from "vitest";
import { project } from "../../../src/cli/cli.fixture.ts";
import { expectConnection, withBrowser } from "./browser.fixture.ts";
import { clientOf, serve, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

test("[U43] [P4] pull the plug: the server is gone, then what the journals say became of the runs, each time anew", async () => {
  await using p = await project({});
  const up = p.start("up", "--demo", "--port", "0", "--no-open", "--json");
  const { link } = JSON.parse((await up.shows(/^\{.*"link".*\}$/m))[0]) as { link: string };
  const { page, problems } = await browser.open(link);
  const strip = page.getByRole("region", { name: "Demo" });
  const pid = async () =>
    (await page.request.get(new URL("/api/health", link).href).then((r) => r.json())).pid;
  await strip.getByText(/^A demo: all is real but the model's words/).waitFor();

  const first = await pid();
  await strip.getByRole("button", { name: "Pull the plug" }).click();
  await strip.getByText("Server gone.").waitFor();
  await strip.getByText(/^Recovered \d+ runs? in \d+\.\d s, effects repeated: 0/).waitFor();
  expect(await pid()).not.toBe(first);

  // The run goes on to where it needs a person; killed there, the same question is still open.
  await strip.getByText("decisions needed: 1").waitFor();
  const second = await pid();
  await strip.getByRole("button", { name: "Pull the plug" }).click();
  await strip.getByText("Server gone.").waitFor();
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

test("[U43] a server that does real work has no plug", async () => {
  await using p = await treeProject();
  const stage = await serve(p);
  const { page } = await browser.open(stage.link);
  await expectConnection(page, "Live");
  expect(await page.getByRole("button", { name: "Pull the plug" }).count()).toBe(0);
  await expect(clientOf(stage, p).post("/api/plug")).rejects.toMatchObject({ code: "NOT_FOUND" });
});
