// Opens pages in a real browser (Chromium from npm).
// The fixture collects the problems of each page: policy violations, thrown errors, and requests to other hosts.

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
import { PAGE_KEYS } from "../../../src/api/client/page-key.ts";

export interface OpenPage {
  page: Page;
  context: BrowserContext;
  /** The problems found so far: thrown errors, policy violations, requests to other hosts. */
  problems: string[];
}

export interface PageOptions {
  theme?: "light" | "dark";
  width?: number;
  height?: number;
  /** Keeps the page open for all tests of the file. By default the page closes after each test. */
  stays?: boolean;
}

export interface TestBrowser {
  /** Opens the link in the page, as a person would. */
  open(link: string, options?: PageOptions): Promise<OpenPage>;
  /** Signs in with the link but opens no page of the dashboard. This saves time in tests that do not need the first page. */
  enter(link: string, options?: PageOptions): Promise<OpenPage>;
}

/** All tests of a process share one browser. */
let browser: Promise<Browser> | undefined;

export function withBrowser(): TestBrowser {
  const opened: BrowserContext[] = [];
  const staying: BrowserContext[] = [];
  // Closes the pages of a test: a page without its server keeps reconnecting and would slow down the next test.
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

/** Signs in all pages of the browser context without loading a page. */
export async function signIn(context: BrowserContext, link: string): Promise<void> {
  const answer = await context.request.post(link);
  // Fails early: without a cookie the test would wait on the sign-in page until it times out.
  if (!answer.headers()["set-cookie"])
    throw new Error(`The link gave no cookie: ${answer.status()} ${await answer.text()}`);
  const { pageKey } = (await answer.json()) as { pageKey: string };
  await context.addInitScript(
    ({ origin, name, key }) => {
      if (location.origin === origin) localStorage.setItem(name, key);
    },
    { origin: new URL(link).origin, name: PAGE_KEYS, key: pageKey },
  );
}

/** Waits until the connection badge shows this text. */
export async function expectConnection(page: Page, text: string | RegExp): Promise<void> {
  await page.getByTestId("connection").filter({ hasText: text, visible: true }).first().waitFor();
}

/** The diff row that adds this line. */
export const addedLine = (where: Page | Locator, line: string): Locator =>
  where
    .getByRole("table", { name: "Diff" })
    .getByRole("row")
    .filter({ hasText: `added${line}` });

/** We pass our own arguments, because the package's default arguments are meant for a tiny machine with a single page. */
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
