// Tests images and PDFs on the page: attached in the chat, and shown with messages and tool results.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent } from "../../../src/cli/cli.fixture.ts";
import { PDF, PNG } from "../../support/sample-files.ts";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { serve, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

const CLERK = {
  "agents/clerk.md": agent("clerk", ""),
  "clerk.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: Read, input: { path: shot.png } }] }
  - { text: "I see a dot." }
`,
};

test("a person attaches files in the chat; the page shows images and links PDFs", async () => {
  await using p = await treeProject(CLERK);
  await writeFile(join(p.folder, "shot.png"), PNG);
  const { url, link } = await serve(p);
  const { page, problems } = await browser.enter(link);
  await page.goto(`${url}/chat`);
  await page.getByRole("radio", { name: /clerk/ }).check();
  await page.getByRole("textbox", { name: "Message" }).fill("Look at these");
  await page.getByLabel("Files to attach").setInputFiles([
    { name: "dot.png", mimeType: "image/png", buffer: PNG },
    { name: "paper.pdf", mimeType: "application/pdf", buffer: PDF },
    { name: "wrong.png", mimeType: "image/png", buffer: PNG },
  ]);
  await page.getByRole("button", { name: "Remove wrong.png" }).click();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("I see a dot.").first().waitFor();

  const shown = page.getByRole("list", { name: "Attachments" }).first();
  const image = shown.getByRole("img", { name: /^dot\.png \(image\/png/ });
  await image.waitFor();
  await expect.poll(() => image.evaluate((each) => (each as HTMLImageElement).naturalWidth)).toBe(1);
  expect(await shown.getByRole("listitem").count()).toBe(2);
  const download = page.waitForEvent("download");
  await shown.getByRole("link", { name: /paper\.pdf/ }).click();
  expect((await download).suggestedFilename()).toBe("paper.pdf");

  await page.getByRole("button", { name: /^1 tool/ }).click();
  await page.getByRole("img", { name: /^shot\.png/ }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(problems).toEqual([]);
});
