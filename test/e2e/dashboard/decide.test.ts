// Tests how a person decides about a request: the form for editing the call, and the title of the browser tab while requests are open.

import { expect, test } from "vitest";
import { agent } from "../../../src/cli/cli.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { openInbox, openRow } from "./inbox.fixture.ts";
import { treeProject } from "./server.fixture.ts";

const browser = withBrowser();

const PROJECT = {
  "agents/writer.md": agent("writer"),
  "writer.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: Write, input: { file_path: note.txt, content: "one\\ntwo" } }]
  - report: { summary: "Written." }
`,
};

test("[29.9] the form names fields for people, begins at the end of the text, and Esc leaves it", async () => {
  await using p = await treeProject(PROJECT);
  const { page, problems } = await openInbox(browser, p, { "Write it": "writer" });
  await openRow(page, /writer/);
  await page.waitForFunction(() => document.title === "(1) Inbox · Cadre");
  await page.getByRole("button", { name: "Approve", exact: true }).waitFor();
  await page.keyboard.press("e");
  const content = page.getByLabel("Content", { exact: true });
  await content.waitFor();
  await page
    .getByText(/^(File path|Path)$/)
    .first()
    .waitFor();
  expect(await content.evaluate((field: HTMLTextAreaElement) => field.selectionStart)).toBe(
    "one\ntwo".length,
  );
  await page.keyboard.press("Escape");
  await content.waitFor({ state: "detached" });
  // Now `d` rejects, and is not typed into the file.
  await page.keyboard.press("d");
  await page.getByRole("form", { name: "Reason for rejecting" }).waitFor();
  expect(problems).toEqual([]);
});
