// Every page opens, says that it is live, and breaks none of its own rules.

import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { says, withBrowser } from "./browser.fixture.ts";
import { serve, stageProject } from "./stage.fixture.ts";

const browser = withBrowser();

test("[U19] every page opens from the one-time link, and says that it is live", async () => {
  await using p = await stageProject();
  const { url, link } = await serve(p);
  const { page, problems } = await browser.open(link);
  for (const path of ["/", "/inbox", "/agents", "/chat", "/usage", "/settings"]) {
    await page.goto(url + path);
    await says(page, "Live");
    await page.getByRole("heading", { level: 1 }).waitFor();
  }
  expect(problems).toEqual([]);
});

test("what the first page and a run's page load stays small: the heavy parts come when they are wanted", async () => {
  await using p = await stageProject();
  const { url, link } = await serve(p);
  const { page } = await browser.open(link);
  const { lines } = await p.spawn("run", "--detach", "lead", "look at it", "--json");
  const runId = String(lines()[0]!["runId"] ?? lines()[0]!["id"]);
  for (const path of ["/", `/r/${runId}`]) {
    const scripts: Promise<number>[] = [];
    page.removeAllListeners("response");
    page.on("response", (response) => {
      if (new URL(response.url()).pathname.endsWith(".js"))
        scripts.push(response.body().then((body) => gzipSync(body).length));
    });
    await page.goto(url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await says(page, "Live");
    const size = (await Promise.all(scripts)).reduce((sum, each) => sum + each, 0);
    expect(size, path).toBeGreaterThan(50_000);
    expect(size, path).toBeLessThan(250_000);
  }
});
