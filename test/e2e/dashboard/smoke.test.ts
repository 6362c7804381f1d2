// Every page opens, says that it is live, and breaks none of its own rules.

import { expect, test } from "vitest";
import { says, useBrowser } from "./browser.fixture.ts";
import { serve, stageProject } from "./stage.fixture.ts";

const browser = useBrowser();

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
