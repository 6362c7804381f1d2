// The views of a run: waterfall, conversation, and the tabs of the details panel.

import { expect, test } from "vitest";
import { agent, type Project } from "../../../src/cli/cli.fixture.ts";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { serve, type TestServer, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

/** A lead that streams slowly, makes one call itself, and delegates all other work to a coder. */
const conversationProject = (): Promise<Project> =>
  treeProject({
    "agents/lead.md": agent("lead", "agents: [coder]\nlimits: { maxTokens: 50000 }\n"),
    "agents/coder.md": agent("coder", "kind: subagent\n"),
    "AGENTS.md": "Write short notes.\n",
    "lead.script.yaml": `turns:
  - when: { turn: 1 }
    chunk: 2
    text: "First I **look** around."
    calls: [{ tool: Read, input: { path: README.md } }]
  - when: { turn: 2 }
    calls: [{ tool: delegate, input: { agent: coder, task: "Write it down" } }]
  - report: { summary: "All of it is *done*.", warnings: [Mind the gap] }
`,
    "coder.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: Write, input: { path: note.txt, content: "one\\ntwo\\n" } }]
  - report: { summary: "Written down." }
`,
  });

async function startLead(p: Project): Promise<string> {
  const { stdout } = await p.cadre("run", "lead", "Mend the parser", "--detach", "--json");
  return (JSON.parse(stdout) as { runId: string }).runId;
}

async function approve(p: Project): Promise<void> {
  const [item] = (await p.cadre("approve", "--json")).lines();
  await p.cadre("approve", String(item?.["id"]));
}

const at = ({ url }: TestServer, runId: string, view: string): string => `${url}/r/${runId}?view=${view}`;

test("[S4-55] [S4-56] [S4-58] [S2-78] [S2-82] [S2-83] [S2-84] [U18] each agent's message grows while the agent works; at the end it shows the final text", async () => {
  await using p = await conversationProject();
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link);
  const runId = await startLead(p);
  await page.goto(at(server, runId, "conversation"));
  const answers = page.locator("main article[data-seq]").filter({ hasText: "lead" });
  await page
    .getByRole("group", { name: /^coder/ })
    .getByText("needs you")
    .first()
    .waitFor();
  expect(await answers.count()).toBe(1);
  await page.getByText("First I look around.").waitFor();
  await page.getByRole("button", { name: /^Write note.txt needs you/ }).waitFor();
  await approve(p);
  await page.getByText("All of it is done.").first().waitFor();
  expect(await answers.count()).toBe(1);
  await expect.poll(() => page.getByText("First I look around.").count()).toBe(0);
  const coder = page.getByRole("group", { name: /^coder/ });
  await coder.getByText(/^Completed in .* \(2 turns\)$/).waitFor();
  await coder.getByText("note.txt").first().waitFor();
  await page.getByRole("button", { name: /^1 tool · / }).click();
  await page.getByText("First I look around.").waitFor();
  await page.getByLabel("Filter messages by text").fill("no such words");
  await page.getByText("No message matches the filter.").waitFor();
  expect(problems).toEqual([]);
});

test("[28.10] [S2-82] a child that a limit cut off has the colour of a timeout, even if it still reported", async () => {
  await using p = await treeProject({
    "agents/lead.md": agent("lead", "agents: [late, short]\ndelegation: { mode: parallel }\n"),
    "agents/late.md": agent("late", "kind: subagent\nlimits: { maxDuration: 1s }\n"),
    "agents/short.md": agent("short", "kind: subagent\nlimits: { maxTurns: 2 }\n"),
    "lead.script.yaml": `turns:
  - when: { turn: 1 }
    calls:
      - { tool: delegate, input: { agent: late, task: "Take long" } }
      - { tool: delegate, input: { agent: short, task: "Look twice" } }
  - report: { summary: "Both reported something." }
`,
    "late.script.yaml": `turns:
  - when: { lastUser: last turn }
    text: Half of it is done.
  - delay: 60000
    text: never
`,
    "short.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: LS, input: { path: . } }]
  - text: One look was enough.
`,
  });
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link);
  const runId = await startLead(p);
  await page.goto(at(server, runId, "conversation"));
  await page.getByText("Both reported something.").first().waitFor();
  const colours = (name: string, word: string): Promise<string> =>
    page
      .getByRole("group", { name: new RegExp(`^${name}`) })
      .getByText(word, { exact: true })
      .first()
      .evaluate((badge) => getComputedStyle(badge).color);
  const warning = await page.evaluate(() => {
    const probe = document.createElement("span");
    probe.className = "text-warn";
    document.body.append(probe);
    return getComputedStyle(probe).color;
  });
  expect(await colours("late", "timeout")).toBe(warning);
  expect(await colours("short", "cut off")).toBe(warning);
  await page
    .getByRole("group", { name: /^late/ })
    .getByText(/^Timed out after /)
    .waitFor();
  await page.goto(`${server.url}/r/${runId}`);
  await expect.poll(() => page.getByText("DELEGATION CUT OFF").count()).toBe(2);
  expect(problems).toEqual([]);
});

test("[U08] [U09] the waterfall shows how the time was spent; clicking a span opens its event", async () => {
  await using p = await conversationProject();
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link);
  const runId = await startLead(p);
  await page.goto(at(server, runId, "waterfall"));
  await page
    .getByTestId("took")
    .getByText(/\d+\s% waiting for a person/)
    .waitFor();
  await page.getByTestId("now").waitFor({ state: "attached" });
  await approve(p);
  await page.getByTestId("took").getByText(/^Took/).waitFor();
  const coder = page.getByRole("slider", { name: "Time of coder" });
  expect(await coder.locator("[data-activity=person]").count()).toBe(1);
  expect(await coder.locator("[data-path]").count()).toBeGreaterThan(0);
  await coder.focus();
  await page.keyboard.press("ArrowRight");
  await page.getByTestId("span-tip").waitFor();
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.getByRole("button", { name: "Show the whole range" }).click();
  await page.getByRole("button", { name: "Children of lead" }).click();
  await coder.waitFor({ state: "detached" });
  expect(problems).toEqual([]);
});

test("[U48] [U49] [U35] [U36] [S1-62] [S4-64] all views and panel tabs of a run are accessible", async () => {
  await using p = await conversationProject();
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link);
  const runId = await startLead(p);
  await page.goto(at(server, runId, "waterfall"));
  await page.getByText("waiting for you").first().waitFor({ state: "attached" });
  await approve(p);
  const check = async () => expect(await accessibilityProblems(page, "main")).toEqual([]);
  await page.getByTestId("took").getByText(/^Took/).waitFor();
  await check();
  await page.goto(at(server, runId, "conversation"));
  await page.getByRole("button", { name: /^1 tool · / }).click();
  await page.getByRole("button", { name: /^Read README.md/ }).click();
  await page.getByRole("group", { name: "Output" }).waitFor();
  await check();
  await page.goto(`${at(server, runId, "conversation")}&details=open`);
  const details = page.getByRole("region", { name: "Details" });
  for (const [tab, words] of Object.entries(PANEL)) {
    await details.getByRole("tab", { name: tab, exact: true }).click();
    await details.getByText(words).first().waitFor();
    await check();
  }
  expect(problems).toEqual([]);
});

const PANEL = {
  Result: "Mind the gap",
  Files: "note.txt",
  Usage: "With 1 run below",
  Context: "Instruction files that were read: AGENTS.md",
};
