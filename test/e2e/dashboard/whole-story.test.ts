// One long story in a browser: a person starts a run, watches three levels, edits and approves a grandchild's change, and rejects another change.
// The server is killed and restarted near the end, and the tree finishes.
// The test saves screenshots of every page in `test/e2e/shots/`, in both themes and at phone width.

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Project } from "../../../src/cli/cli.fixture.ts";
import { addedLine, expectConnection, withBrowser } from "./browser.fixture.ts";
import { serve, serveSeparately, treeProject } from "./server.fixture.ts";

const SHOTS = fileURLToPath(new URL("../shots/", import.meta.url));
mkdirSync(SHOTS, { recursive: true });

const browser = withBrowser();

test("[P1] a person edits, approves and rejects requests of a tree; after kill -9 and a restart the tree finishes", async () => {
  await using p = await treeProject(SLOW_END);
  const { url, link, up } = await serveSeparately(p);
  const { page, problems } = await browser.open(link);
  await page.getByRole("main").getByRole("button", { name: "Start a run" }).last().click();
  const form = page.getByRole("dialog", { name: "Start a run" });
  await form.getByLabel("Agent").selectOption("lead");
  await form.getByLabel("Task", { exact: true }).fill("Mend the parser and the printer");
  await form.getByRole("button", { name: "Start", exact: true }).click();

  await expect.poll(() => page.getByRole("treeitem").count(), { timeout: 20_000 }).toBe(5);
  await page.getByText("DELEGATING").first().waitFor();
  const runUrl = page.url();
  await pictures(page, "run-asks");
  await answerBoth(page);

  up.process.kill("SIGKILL");
  await expectConnection(page, "Reconnecting");
  await page.screenshot({ path: `${SHOTS}server-gone.png` });
  await up.end();
  await serve(p, Number(new URL(url).port));
  await expectConnection(page, "Live");
  await page.goto(runUrl);
  await page.getByTestId("status-text").getByText("Completed in").waitFor();
  await page.getByText("DELEGATION COMPLETE").first().waitFor();
  expect(await page.getByRole("treeitem", { name: /completed/ }).count()).toBe(5);
  expectFiles(p);

  for (const view of ["timeline", "waterfall", "conversation"]) {
    await page.goto(`${runUrl.split(/[?#]/)[0]}?view=${view}`);
    await pictures(page, `run-${view}`);
  }
  for (const path of ["", "inbox", "agents", "agents/lead", "chat", "usage", "settings"]) {
    await page.goto(`${url}/${path}`);
    await pictures(page, path === "" ? "runs" : path.replace("/", "-"));
  }
  expect(problems).toEqual([]);
});

/** The lead's last turn takes three seconds, so that the test can kill the server during this turn. */
const SLOW_END = {
  "lead.script.yaml": `turns:
  - when: { turn: 1 }
    text: I split the work between two workers, one for the parser and one for the printer.
    calls:
      - { tool: delegate, input: { agent: worker, task: "Mend the parser" } }
      - { tool: delegate, input: { agent: worker, task: "Mend the printer" } }
  - { delay: 3000, report: { summary: "The parser is mended; the printer's file was not wanted." } }
`,
};

async function answerBoth(page: Page): Promise<void> {
  await page
    .getByRole("listitem")
    .filter({ hasText: "parser.txt" })
    .getByRole("link", { name: "Answer in the inbox" })
    .click();
  await addedLine(page, "two").waitFor();
  await pictures(page, "inbox-card");
  await page.getByRole("button", { name: /^Edit/ }).click();
  await page.getByLabel("content").fill("one\nTWO, by hand\n");
  await addedLine(page, "TWO, by hand").waitFor();
  await page.getByRole("button", { name: "Approve as changed" }).click();
  await addedLine(page, "beta").waitFor();
  await page.keyboard.press("d");
  await page.getByRole("button", { name: /Wrong place/ }).click();
  await page.getByRole("heading", { name: "Nothing is waiting for you" }).waitFor();
}

function expectFiles({ folder }: Project): void {
  expect(readFileSync(join(folder, "parser.txt"), "utf8")).toBe("one\nTWO, by hand\n");
  expect(existsSync(join(folder, "printer.txt"))).toBe(false);
}

async function pictures(page: Page, name: string): Promise<void> {
  await page.getByRole("main").getByRole("heading").first().waitFor();
  await expect.poll(() => page.getByText(/^Loading/).count(), { timeout: 10_000 }).toBe(0);
  if (name === "usage") await page.locator("canvas").first().waitFor();
  for (const [suffix, colorScheme, width, height] of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    // Lists and plots need two frames to redraw after a change of size.
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    await page.screenshot({ path: `${SHOTS}${name}-${suffix}.png` });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });
}

const LOOKS = [
  ["light", "light", 1280, 800],
  ["dark", "dark", 1280, 800],
  ["phone", "light", 390, 844],
] as const;
