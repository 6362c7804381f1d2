// Tests the chat with main agents. Messages reach an agent while it works, and the page shows what the agent does.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { agent } from "../../../src/cli/cli.fixture.ts";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { serve, serveSeparately, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

const CLERK = {
  "agents/clerk.md": agent("clerk", ""),
  "clerk.script.yaml": `turns:
  - { when: { turn: 1, task: slowly }, delay: 4000, text: "I look around first.", calls: [{ tool: Ls, input: { path: . } }] }
  - { when: { turn: 1 }, text: "**Good day.** What shall I do?" }
  - { text: "That is all." }
`,
};

const expectText = (page: Page, words: string) =>
  page.getByRole("region", { name: "Conversation", exact: true }).getByText(words).first().waitFor();

test("[S4-10] [S4-58] [S1-63] a conversation spans several runs and survives a reload", async () => {
  await using p = await treeProject(CLERK);
  const { url, link } = await serve(p);
  const { page, problems } = await browser.enter(link);
  await page.goto(`${url}/chat`);
  await page.getByRole("radio", { name: /clerk/ }).check();
  await page.getByRole("textbox", { name: "Message" }).fill("Good day!");
  await page.keyboard.press("Enter");
  await expectText(page, "What shall I do?");
  await page.locator("strong", { hasText: "Good day." }).waitFor();
  await page.getByRole("navigation", { name: "Conversations" }).getByText("completed").waitFor();

  await page.getByRole("textbox", { name: "Message" }).fill("Nothing more.");
  await page.getByRole("button", { name: "Send" }).click();
  await expectText(page, "Nothing more.");
  await page.reload();
  for (const words of ["Good day!", "Nothing more."]) await expectText(page, words);
  await page.getByRole("button", { name: "Show the steps" }).first().click();
  await page.getByRole("button", { name: "Hide the steps" }).waitFor();
  expect(problems).toEqual([]);
});

test("[28.17] a conversation stays with its agent when that agent sends a message to another one", async () => {
  await using p = await treeProject({
    "agents/clerk.md": agent("clerk", "tools: [send_message]\n"),
    "agents/scribe.md": agent("scribe", ""),
    "clerk.script.yaml": `turns:
  - { when: { turn: 1, task: changelog }, calls: [{ tool: send_message, input: { to: scribe, message: Write it down } }] }
  - { text: "The scribe knows." }
`,
    "scribe.script.yaml": 'turns:\n  - { text: "Written." }\n',
  });
  const { url, link } = await serve(p);
  const { page } = await browser.enter(link);
  await page.goto(`${url}/chat`);
  await page.getByRole("radio", { name: /clerk/ }).check();
  await page.getByRole("textbox", { name: "Message" }).fill("Tell the scribe about the changelog");
  await page.keyboard.press("Enter");
  await expectText(page, "The scribe knows.");
  await page.getByRole("list", { name: "Agents that got a message" }).getByText("completed").waitFor();
  await page.reload();
  await expectText(page, "The scribe knows.");
  await page.getByPlaceholder("Message clerk").waitFor();
});

test("[S4-43] [S4-63] a message to a busy agent stays visible until the agent reads it; status cards show what each agent does", async () => {
  await using p = await treeProject(CLERK);
  const { url, link } = await serve(p);
  const { page } = await browser.enter(link);
  await page.goto(`${url}/chat`);
  await page.getByRole("radio", { name: /clerk/ }).check();
  await page.getByRole("textbox", { name: "Message" }).fill("Do it slowly");
  await page.keyboard.press("Enter");
  await page.getByLabel("Agents at work").getByText("waiting for its model").waitFor();
  expect(await page.getByRole("radio", { name: "Auto" }).isDisabled()).toBe(true);

  await page.getByRole("textbox", { name: "Message" }).fill("and be quick");
  await page.keyboard.press("Enter");
  await page.getByLabel("Unread messages").getByText("and be quick").waitFor();
  await expectText(page, "That is all.");
  await page.getByLabel("Unread messages").waitFor({ state: "detached" });
  await expectText(page, "and be quick");
});

test("[U47] a draft survives a server crash; after the restart it is delivered once", async () => {
  await using p = await treeProject(CLERK);
  const { url, link, up } = await serveSeparately(p);
  const { page } = await browser.enter(link);
  await page.goto(`${url}/chat`);
  await page.getByRole("radio", { name: /clerk/ }).check();
  const box = page.getByRole("textbox", { name: "Message" });
  await box.fill("Are you there?");
  up.process.kill("SIGKILL");
  await up.end();
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("Your message is still here").waitFor();
  expect(await box.inputValue()).toBe("Are you there?");
  await serve(p, Number(new URL(url).port));
  await page.getByRole("button", { name: "Send" }).click();
  await expectText(page, "What shall I do?");
  const { lines } = await p.cadre("runs", "--json");
  expect(lines()).toHaveLength(1);
});

test("[U48] [U49] axe finds no problem in the chat in either theme", async () => {
  await using p = await treeProject(CLERK);
  const { url, link } = await serve(p);
  const { page } = await browser.enter(link);
  await page.goto(`${url}/chat`);
  await page.getByRole("radio", { name: /clerk/ }).check();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("textbox", { name: "Message" }).fill("Good day!");
  await page.keyboard.press("Enter");
  await expectText(page, "What shall I do?");
  await page.getByRole("navigation", { name: "Conversations" }).getByText("completed").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
});

const SCRIVENER = {
  "agents/scrivener.md": agent("scrivener"),
  "scrivener.script.yaml": `turns:
  - when: { turn: 1 }
    text: "I write it down."
    calls: [{ tool: Write, input: { path: note.txt, content: "one\\n" } }]
  - when: { turn: 2 }
    calls: [{ tool: Bash, input: { command: "echo begun; sleep 120; echo over" } }]
  - { text: "That is all." }
`,
};

test("[29.8] [29.12] a person decides in the chat; a reload keeps the output that an open call has streamed so far", async () => {
  await using p = await treeProject(SCRIVENER);
  const { url, link } = await serve(p);
  const { page, problems } = await browser.enter(link);
  await page.goto(`${url}/chat`);
  await page.getByRole("radio", { name: /scrivener/ }).check();
  await page.getByRole("textbox", { name: "Message" }).fill("Write it down");
  await page.keyboard.press("Enter");
  const here = page.getByRole("region", { name: "Decide here" });
  await here.getByText("note.txt").first().waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await here.getByRole("button", { name: "Approve", exact: true }).click();
  await page
    .getByRole("status", { name: "Confirmation" })
    .getByText(/^Approved: /)
    .waitFor();
  await here.getByText("echo begun").first().waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/chat\//);

  // The same request can be decided on the run's page, without leaving it.
  await page.getByLabel("Agents at work").getByRole("link", { name: "scrivener" }).click();
  await page.getByRole("button", { name: "Decide here" }).click();
  await here.getByRole("button", { name: "Approve", exact: true }).click();
  await here.waitFor({ state: "detached" });
  const live = page.getByTestId("live");
  await live.getByText("begun").waitFor();
  await page.reload();
  await live.getByText("begun").waitFor();
  expect(problems).toEqual([]);
});
