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

export interface TestBrowser {
  /** As a person opens the link: the page shows what it leads to. */
  open(link: string, options?: PageOptions): Promise<OpenPage>;
  /** Let in by the link, and the page is still empty: a first page that nobody looks at takes half a second of a core. */
  enter(link: string, options?: PageOptions): Promise<OpenPage>;
}

/** One for all files of a process, and gone with it. */
let browser: Promise<Browser> | undefined;

export function withBrowser(): TestBrowser {
  const opened: BrowserContext[] = [];
  const staying: BrowserContext[] = [];
  // A page whose server is gone asks for it again and again, and takes the next one's time.
  const close = async (contexts: BrowserContext[]) => {
    for (const context of contexts.splice(0)) await context.close();
  };
  afterEach(() => close(opened));
  afterAll(() => close(staying));
  const empty = async (
    link: string,
    { theme = "light", width = 1280, height = 800, stays = false }: PageOptions = {},
  ): Promise<OpenPage> => {
    browser ??= launch();
    const context = await (await browser).newContext({ viewport: { width, height }, colorScheme: theme });
    (stays ? staying : opened).push(context);
    const page = await context.newPage();
    return { page, context, problems: watch(page, new URL(link).origin) };
  };
  return {
    async open(link, options) {
      const opening = await empty(link, options);
      await opening.page.goto(link);
      await opening.page.waitForURL((url) => !url.pathname.startsWith("/open/"));
      return opening;
    },
    async enter(link, options) {
      const entering = await empty(link, options);
      await signIn(entering.context, link);
      return entering;
    },
  };
}

/** All pages of the context have the cookie then, and none is loaded for it. */
export async function signIn({ request }: BrowserContext, link: string): Promise<void> {
  const answer = await request.get(link);
  // Without it the test would wait in vain on a page that says that nobody is signed in.
  if (!answer.headers()["set-cookie"])
    throw new Error(`The link gave no cookie: ${answer.status()} ${await answer.text()}`);
}

/** Until the page says this of its connection. */
export async function expectConnection(page: Page, text: string | RegExp): Promise<void> {
  await page.getByTestId("connection").filter({ hasText: text, visible: true }).first().waitFor();
}

/** The line of a difference that adds this. */
export const addedLine = (where: Page | Locator, line: string): Locator =>
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
