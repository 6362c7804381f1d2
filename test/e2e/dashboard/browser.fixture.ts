// A real browser: Chromium from npm. A page that runs into its own policy, throws, or asks anything of another host makes
// its test fail.

import { existsSync } from "node:fs";
import chromium from "@sparticuz/chromium";
import {
  type Browser,
  type BrowserContext,
  chromium as driver,
  type Locator,
  type Page,
} from "playwright-core";
import { afterAll, afterEach } from "vitest";

export interface OpenPage {
  page: Page;
  context: BrowserContext;
  /** What went wrong in it so far: thrown errors, the policy's refusals, requests to other hosts. */
  problems: string[];
}

export interface PageOptions {
  theme?: "light" | "dark";
  width?: number;
  height?: number;
  /** For all tests of the file; otherwise it is closed after the test that has opened it. */
  stays?: boolean;
}

/** One for all files of a process, and gone with it. */
let browser: Promise<Browser> | undefined;

export function withBrowser(): { open(link: string, options?: PageOptions): Promise<OpenPage> } {
  const opened: BrowserContext[] = [];
  const staying: BrowserContext[] = [];
  // A page whose server is gone asks for it again and again, and takes the next one's time.
  const close = async (contexts: BrowserContext[]) => {
    for (const context of contexts.splice(0)) await context.close();
  };
  afterEach(() => close(opened));
  afterAll(() => close(staying));
  return {
    async open(link, { theme = "light", width = 1280, height = 800, stays = false } = {}) {
      browser ??= launch();
      const context = await (await browser).newContext({ viewport: { width, height }, colorScheme: theme });
      (stays ? staying : opened).push(context);
      const page = await context.newPage();
      const problems = watch(page, new URL(link).origin);
      await page.goto(link);
      await page.waitForURL((url) => !url.pathname.startsWith("/open/"));
      return { page, context, problems };
    },
  };
}

/** Until the page says this of its connection. */
export async function says(page: Page, text: string | RegExp): Promise<void> {
  await page.getByTestId("connection").filter({ hasText: text, visible: true }).first().waitFor();
}

/** The line of a difference that adds this. */
export const added = (where: Page | Locator, line: string): Locator =>
  where
    .getByRole("table", { name: "Difference" })
    .getByRole("row")
    .filter({ hasText: `added${line}` });

/** A real browser, one process per page: what the package proposes is made for a small machine that renders one page. */
const ARGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];

async function launch(): Promise<Browser> {
  const given = process.env["CADRE_CHROMIUM"];
  const executablePath = given && existsSync(given) ? given : await chromium.executablePath();
  return driver.launch({ executablePath, args: ARGS, headless: true });
}

function watch(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`threw: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && /Content.Security.Policy/i.test(message.text()))
      problems.push(message.text());
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob|about):/.test(url)) problems.push(`asked for ${url}`);
  });
  return problems;
}
