// A real browser on a real server: Chromium from npm, and `cadre up` in its own process. A page that runs into its own
// policy, throws, or asks anything of another host makes its test fail.

import { existsSync } from "node:fs";
import chromium from "@sparticuz/chromium";
import { type Browser, type BrowserContext, chromium as driver, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";

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
}

/** One browser for the file. */
export function useBrowser(): { open(link: string, options?: PageOptions): Promise<OpenPage> } {
  let browser: Browser;
  const opened: BrowserContext[] = [];
  beforeAll(async () => {
    browser = await launch();
  });
  // A page whose server is gone asks for it again and again, and takes the next one's time.
  afterEach(async () => {
    for (const context of opened.splice(0)) await context.close();
  });
  afterAll(() => browser?.close());
  return {
    async open(link, { theme = "light", width = 1280, height = 800 } = {}) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
      opened.push(context);
      const page = await context.newPage();
      const problems = watch(page, new URL(link).origin);
      await page.goto(link);
      await page.waitForURL((url) => !url.pathname.startsWith("/open/"));
      return { page, context, problems };
    },
  };
}

async function launch(): Promise<Browser> {
  const given = process.env["CADRE_CHROMIUM"];
  const executablePath = given && existsSync(given) ? given : await chromium.executablePath();
  const args = chromium.args.filter((arg) => !NOT_OURS.test(arg));
  return driver.launch({ executablePath, args: [...args, "--no-sandbox"], headless: true });
}

/** Made for functions in a cloud: in one process, closing a page can end the browser, and a busy one stops the others. */
const NOT_OURS = /^--(headless|single-process|no-zygote|disable-web-security)/;

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
