// What the patterns start, on the page: where it stands in the tree, and what it is called.

import { expect, test } from "vitest";
import { withBrowser } from "./browser.fixture.ts";
import { PATTERNS } from "./patterns.fixture.ts";
import { clientOf, serve, stageProject } from "./stage.fixture.ts";

const browser = withBrowser();

test("[U07] [S2-80] whoever a pattern started stands below who started it, at every depth", async () => {
  await using p = await stageProject(PATTERNS);
  const stage = await serve(p);
  const { page, problems } = await browser.enter(stage.link);
  const { runId } = await clientOf(stage, p).startRun({ agent: "desk", task: "Why was I charged twice?" });
  await page.goto(`${stage.url}/r/${runId}`);
  await page.getByTestId("status-text").getByText("Completed in").waitFor();
  const nodes = page.getByRole("treeitem");
  await expect.poll(() => nodes.count()).toBe(3);
  const levels = await nodes.evaluateAll((all) => all.map((node) => node.getAttribute("aria-level")));
  expect(levels).toEqual(["1", "2", "3"]);
  const [first = 0, second = 0, third = 0] = await nodes.evaluateAll((all) =>
    all.map((node) => Number.parseFloat(getComputedStyle(node).paddingLeft)),
  );
  expect(first < second && second < third).toBe(true);
  expect(problems).toEqual([]);
});
