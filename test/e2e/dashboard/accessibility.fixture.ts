// Finds the accessibility problems of a page with axe, in both themes.
// Axe runs inside the tested page. Axe's Playwright package would open a second page for each check and load half a megabyte into both pages.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type axe from "axe-core";
import type { Page } from "playwright-core";

type Axe = typeof axe;

/** Reads the minified file, because `axe.source` includes comments and is more than twice as long. */
let source: string | undefined;
const axeSource = (): string =>
  (source ??= readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8"));

/** Returns each problem as `theme rule: element`. The dark theme is checked only for contrast, because nothing else differs. */
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
