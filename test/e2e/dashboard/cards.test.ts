// The less common cards: a web request, an MCP tool, a delegation, a used-up budget, and an agent that repeats itself.

import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, type Project } from "../../../src/cli/cli.fixture.ts";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { expectRows, openInbox, openRow } from "./inbox.fixture.ts";
import { treeProject } from "./server.fixture.ts";

const browser = withBrowser();

const SERVER = join(
  import.meta.dirname,
  "../../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
);

const requestsProject = async (): Promise<Project> => {
  const p = await treeProject({
    "cadre.yaml": `mcpServers: { files: { command: ${process.execPath}, args: [${SERVER}, .] } }\n`,
    "agents/clerk.md": agent(
      "clerk",
      "agents: [editor]\nmcpServers: [files]\npermissions: { ask: [delegate, WebFetch] }\n",
    ),
    "clerk.script.yaml": `turns:
  - { when: { turn: 1, task: fetch }, calls: [{ tool: WebFetch, input: { url: "https://example.test/a?b=c" } }] }
  - { when: { turn: 1, task: server }, calls: [{ tool: mcp__files__read_text_file, input: { path: README.md } }] }
  - { when: { turn: 1, task: give }, calls: [{ tool: delegate, input: { agent: editor, task: "Write it down" } }] }
  - report: { summary: "done" }
`,
    "agents/spender.md": agent("spender", "limits: { maxTokens: 200, onBudget: suspend }\n"),
    "spender.script.yaml": `turns:
  - { text: "I look around.", calls: [{ tool: LS, input: { path: . } }], usage: { input: 500, output: 100 } }
  - report: { summary: "done" }
`,
    "agents/looper.md": agent("looper"),
    "looper.script.yaml": `turns:
  - { calls: [{ tool: LS, input: { path: . } }] }
`,
  });
  await p.cadre("trust");
  return p;
};

test("[U20] [U21] each kind of request has an accessible card that shows what is requested", async () => {
  await using p = await requestsProject();
  const { client, page, problems } = await openInbox(browser, p, {
    fetch: "clerk",
    server: "clerk",
    give: "clerk",
    "spend it": "spender",
    "go round": "looper",
  });
  page.setDefaultTimeout(30_000);
  await expectRows(page, 5);
  const card = page.getByRole("article");

  await openRow(page, /example\.test/);
  await card.getByText("example.test").first().waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);

  await openRow(page, /mcp__files|read_text_file/);
  await card
    .getByText(/README\.md/)
    .first()
    .waitFor();
  expect(await card.innerText()).toMatch(/files/);

  await openRow(page, /editor/);
  await card.getByText("Starts").waitFor();
  await card.getByText("Blast radius:").waitFor();
  await card.getByLabel("Limit it to").selectOption("3 turns");
  await card.getByRole("button", { name: "Approve as changed" }).click();
  await expectRows(page, 4);

  await openRow(page, /spender/);
  await card.getByRole("heading", { name: "spender has used up its budget" }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);

  await openRow(page, /looper/);
  await card.getByRole("heading", { name: "looper repeats itself" }).waitFor();
  const decided = (await client.get("/api/runs", { agent: "editor" })).runs;
  expect(decided).toHaveLength(1);
  expect((await client.events(decided[0]!.id))[0]!.payload).toMatchObject({ limits: { maxTurns: 3 } });
  expect(problems).toEqual([]);
});
