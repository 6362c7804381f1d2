// Besides approving or rejecting a call, a person can approve only some changes, set a tighter limit, or ask a colleague to decide.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, type Project } from "../../../src/cli/cli.fixture.ts";
import { addedLine, withBrowser } from "./browser.fixture.ts";
import { openInbox, rows, summaryOf } from "./inbox.fixture.ts";
import { treeProject } from "./server.fixture.ts";

const browser = withBrowser();

const OLD = Array.from({ length: 12 }, (_, at) => `line ${at + 1}\n`).join("");
const NEW = OLD.replace("line 1\n", "LINE ONE\n").replace("line 6\n", "LINE SIX\n").replace("line 12\n", "");
const requestsProject = (): Promise<Project> =>
  treeProject({
    "notes.txt": OLD,
    "agents/clerk.md": agent("clerk", "agents: [editor]\n"),
    "clerk.script.yaml": `turns:
  - { when: { turn: 1, task: edit }, calls: [{ tool: Edit, input: { path: notes.txt, old_string: ${JSON.stringify(OLD)}, new_string: ${JSON.stringify(NEW)} } }] }
  - { when: { turn: 1, task: write }, calls: [{ tool: Write, input: { path: notes.txt, content: ${JSON.stringify(NEW)} } }] }
  - { when: { turn: 1, task: sleep }, calls: [{ tool: Bash, input: { command: "sleep 100" } }] }
  - report: { summary: "told: \${lastResult}" }
`,
  });

test.each(["edit", "write"])(
  "[U22] a person selects some changes of an %s call, and Cadre makes only the selected changes",
  async (task) => {
    await using p = await requestsProject();
    const { client, page, problems, runIds } = await openInbox(browser, p, { [task]: "clerk" });
    await addedLine(page, "LINE SIX").waitFor();
    await page.getByRole("button", { name: "Choose changes" }).click();
    const boxes = page.getByRole("checkbox", { name: /Change . of 3/ });
    await expect.poll(() => boxes.count()).toBe(3);
    await page.getByText(/based on the file as shown [0-9a-f]{12}/).waitFor();
    const approve = page.getByRole("button", { name: /Approve/ });
    for (const box of await boxes.all()) await box.uncheck();
    await page.getByRole("alert").filter({ hasText: "No change is selected" }).waitFor();
    expect(await approve.isDisabled()).toBe(true);
    await boxes.nth(1).check();
    await page.getByText("1 of 3 changes selected").waitFor();
    await page.getByRole("button", { name: "Approve as changed" }).click();
    await summaryOf(client, runIds[0]!);
    expect(readFileSync(join(p.folder, "notes.txt"), "utf8")).toBe(OLD.replace("line 6\n", "LINE SIX\n"));
    expect(problems).toEqual([]);
  },
);

test("[U21] a person approves a command with a time limit", async () => {
  await using p = await requestsProject();
  const { client, page, runIds } = await openInbox(browser, p, { sleep: "clerk" });
  await page.getByLabel("Stop it after").selectOption("10 seconds");
  await page.getByRole("button", { name: "Approve as changed" }).click();
  await page.getByRole("heading", { name: "Nothing is waiting for you" }).waitFor();
  const decided = (await client.events(runIds[0]!)).find(({ type }) => type === "APPROVAL_DECIDED");
  expect(decided!.payload).toMatchObject({
    decision: "edit",
    input: { command: "sleep 100", timeout: 10_000 },
  });
  await client.post("/api/runs/{id}/cancel", { id: runIds[0]! });
});

test("[U21] a person asks a colleague to decide; the page and the terminal show the colleague's name, and the request stays open", async () => {
  await using p = await requestsProject();
  const { client, page, runIds } = await openInbox(browser, p, { sleep: "clerk" });
  await page.getByRole("button", { name: "Ask someone else" }).click();
  const form = page.getByRole("dialog", { name: "Ask someone else" });
  await form.getByLabel("Who should decide").fill("Maria");
  await form.getByLabel("What they should know").fill("is it yours?");
  await form.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByText(/For Maria, asked by .*: is it yours\?/).waitFor();
  const [item] = (await client.get("/api/approvals")).approvals;
  expect((await p.cadre("approve")).stdout).toMatch(/for Maria, asked by .*: is it yours\?/);
  await p.cadre("approve", item!.id, "--ask", "Jo");
  await rows(page).filter({ hasText: "for Jo" }).waitFor();
  await page.getByText(/For Jo, asked by/).waitFor();
  expect((await p.cadre("approve", item!.id, "--ask", "Jo", "--scope", "run")).code).toBe(2);
  await client.post("/api/runs/{id}/cancel", { id: runIds[0]! });
});
