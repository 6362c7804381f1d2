// Finds the accessibility problems of a page with axe, in both themes.
// Axe runs inside the page itself, because the Playwright builder opens another page for each check and loads half a megabyte into both.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type axe from "axe-core";
import type { Page } from "playwright-core";

type Axe = typeof axe;

/** The minified file: `axe.source` includes comments and is more than twice as long. */
let source: string | undefined;
const axeSource = (): string =>
  (source ??= readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8"));

/** Returns each problem as `theme rule: element`. In the dark theme only contrast is checked; the rest is the same. */
export async function accessibilityProblems(page: Page, within = "html"): Promise<string[]> {
  if (await page.evaluate(() => !("axe" in window))) await page.evaluate(axeSource());
  const light = await violations(page, within, {});
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await violations(page, within, { runOnly: ["color-contrast"] });
  await page.emulateMedia({ colorScheme: "light" });
  return [...light.map((text) => `light ${text}`), ...dark.map((text) => `dark ${text}`)];
}

const violations = (page: Page, within: string, options: { runOnly?: string[] }): Promise<string[]> =>
  page.evaluate(
    async ([context, more]) => {
      const { axe } = globalThis as unknown as { axe: Axe };
      const results = await axe.run(context, { resultTypes: ["violations"], ...more });
      return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    },
    [within, options] as const,
  );
