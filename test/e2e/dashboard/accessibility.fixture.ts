// What axe finds wrong with a page as it stands, in both themes. The page is judged where it is: the builder for
// Playwright opens another page for each look, and reads half a megabyte into both.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type axe from "axe-core";
import type { Page } from "playwright-core";

type Axe = typeof axe;

/** Not `axe.source`, which has its comments and is more than twice as long. */
let source: string | undefined;
const axeSource = (): string =>
  (source ??= readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8"));

/** Each as `theme rule: the element`; of the dark theme its colours alone, since all else is the same. */
export async function accessibilityProblems(page: Page, within = "html"): Promise<string[]> {
  if (await page.evaluate(() => !("axe" in window))) await page.evaluate(axeSource());
  const light = await found(page, within, {});
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await found(page, within, { runOnly: ["color-contrast"] });
  await page.emulateMedia({ colorScheme: "light" });
  return [...light.map((text) => `light ${text}`), ...dark.map((text) => `dark ${text}`)];
}

const found = (page: Page, within: string, options: { runOnly?: string[] }): Promise<string[]> =>
  page.evaluate(
    async ([context, more]) => {
      const { axe } = globalThis as unknown as { axe: Axe };
      const { violations } = await axe.run(context, { resultTypes: ["violations"], ...more });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    },
    [within, options] as const,
  );
