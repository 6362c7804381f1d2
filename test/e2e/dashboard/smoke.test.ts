// Every page opens, shows that it is live, and does not violate the content security policy.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { PAGES as SERVED } from "../../../src/api/server/page-files.ts";
import { expectConnection, withBrowser } from "./browser.fixture.ts";
import { serve, treeProject } from "./server.fixture.ts";

const browser = withBrowser();
const PAGES = [
  "/",
  "/inbox",
  "/decisions",
  "/agents",
  "/agents/lead",
  "/chat",
  "/usage",
  "/compare",
  "/settings",
];

test("the server serves every route of the page, and `PAGES` lists every route that needs no run", () => {
  const routes = readFileSync(
    fileURLToPath(new URL("../../../dashboard/src/routes.tsx", import.meta.url)),
    "utf8",
  );
  const paths = [...routes.matchAll(/^ {2}path: "([^"]+)"/gm)].map(([, path]) => path!);
  expect(paths.map((path) => path.replace("$", ":"))).toEqual(SERVED);
  // These pages need a run. Other tests open them.
  const ofRuns = ["/r/$runId", "/chat/$sessionId"];
  expect(paths.filter((path) => !ofRuns.includes(path)).map((path) => path.replace("$name", "lead"))).toEqual(
    PAGES,
  );
});

test("[U19] after the one-time link is used, every page opens and shows that it is live", async () => {
  await using p = await treeProject();
  const { url, link } = await serve(p);
  const { page, problems } = await browser.open(link);
  for (const path of PAGES) {
    await page.goto(url + path);
    await expectConnection(page, "Live");
    await page.getByRole("heading", { level: 1 }).waitFor();
  }
  expect(problems).toEqual([]);
});

test("the first page and a run's page load little code; heavy parts load on demand", async () => {
  await using p = await treeProject();
  const { url, link } = await serve(p);
  const { page } = await browser.enter(link);
  const { lines } = await p.cadre("run", "--detach", "lead", "look at it", "--json");
  const runId = String(lines()[0]!["runId"] ?? lines()[0]!["id"]);
  for (const path of ["/", `/r/${runId}`]) {
    const scripts: Promise<Buffer>[] = [];
    page.removeAllListeners("response");
    page.on("response", (response) => {
      if (new URL(response.url()).pathname.endsWith(".js")) scripts.push(response.body());
    });
    await page.goto(url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expectConnection(page, "Live");
    const loaded = await Promise.all(scripts);
    const size = loaded.reduce((sum, each) => sum + gzipSync(each).length, 0);
    expect(size, path).toBeGreaterThan(50_000);
    expect(size, path).toBeLessThan(250_000);
    expect(loaded.join(""), "the schemas of the journal and the API are the server's").not.toContain("_zod");
  }
});

test("[29.20] the first page is below 200 kB over the wire, with the answers of the API", async () => {
  await using p = await treeProject();
  const { url, link } = await serve(p);
  const { page } = await browser.enter(link);
  // The strongest compression is made after the first visit. A browser that has nothing in its cache loads everything.
  const session = await page.context().newCDPSession(page);
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  const load = async () => {
    await page.goto(url);
    await expectConnection(page, "Live");
    await page.getByRole("button", { name: "Start a run" }).first().waitFor();
    const sizes = await page.evaluate(() =>
      [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map(
        (entry) => ({
          path: new URL(entry.name).pathname,
          bytes: (entry as PerformanceResourceTiming).transferSize,
        }),
      ),
    );
    expect(sizes.find(({ path }) => path === "/api/agents/reload")?.bytes).toBeGreaterThan(0);
    expect(sizes.find(({ path }) => /^\/assets\/index-.*js$/.test(path))?.bytes).toBeGreaterThan(50_000);
    return sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  };
  await expect.poll(load, { timeout: 60_000 }).toBeLessThan(200_000);
});
