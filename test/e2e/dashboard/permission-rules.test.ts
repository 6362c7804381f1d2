// A delegation's card shows its blast radius. After several similar approvals, the settings suggest a rule.

import { expect, test } from "vitest";
import { agent } from "../../../src/cli/cli.fixture.ts";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { expectRows, openInbox, SOON, summaryOf } from "./inbox.fixture.ts";
import { treeProject } from "./server.fixture.ts";

const browser = withBrowser();

test("[BR1] [BR2] the card sums up the blast radius of a delegation, marks new powers, and lists the agents on demand", async () => {
  await using p = await treeProject({
    "agents/chief.md": agent(
      "chief",
      "tools: [Read, Write]\nagents: [planner]\npermissions: { ask: [delegate] }\n",
    ),
    "agents/planner.md": agent(
      "planner",
      "tools: ['Write(docs/**)']\nagents: [editor]\nlimits: { maxCost: 1 }\n",
    ),
    "agents/editor.md": agent("editor", "kind: subagent\ntools: [WebFetch]\nlimits: { maxCost: 0.1 }\n"),
    "planner.script.yaml": "turns:\n  - report: { summary: planned }\n",
    "chief.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: delegate, input: { agent: planner, task: "Plan it" } }] }
  - report: { summary: "all is planned" }
`,
  });
  const { client, page, problems, runIds } = await openInbox(browser, p, { "see to it": "chief" });
  page.setDefaultTimeout(30_000);
  await expectRows(page, 1);
  const card = page.getByRole("article");
  const summary = card.locator("summary").filter({ hasText: "Blast radius" });
  await summary.getByText(/could change docs\/\*\*, reach any public host, start 1 more agent/).waitFor();
  expect(await summary.innerText()).toMatch(/spend up to \$3\.00\.\s+new\s+WebFetch\s+any public host$/);
  await summary.focus();
  await page.keyboard.press("Enter");
  await card.getByRole("heading", { name: "Agents that could run" }).waitFor();
  const rows = await card.getByRole("listitem").allInnerTexts();
  expect(rows).toContain("Write\nonly Write(docs/**); held by planner");
  expect(rows).toContain("WebFetch\nnew\nheld by editor");
  expect(await accessibilityProblems(page)).toEqual([]);
  await card.getByRole("button", { name: "Approve" }).click();
  expect(await summaryOf(client, runIds[0]!)).toBe("all is planned");
  expect(problems).toEqual([]);
});

test("[SG1] [SG2] after several similar approvals the settings suggest a rule; the rule is tested against past rejections", async () => {
  const write = (path: string) => `      - { tool: Write, input: { path: ${path}, content: x } }\n`;
  await using p = await treeProject({
    "worker.script.yaml": `turns:
  - when: { turn: 1 }
    calls:
${["src/a.ts", "src/b.ts", "src/c.ts", "docs/d.md", "e.txt"].map(write).join("")}  - report: { summary: done }
`,
  });
  const { client, page, problems, runIds } = await openInbox(browser, p, { "write them": "worker" });
  page.setDefaultTimeout(30_000);
  await expectRows(page, 5);
  for (const { id, input } of (await client.get("/api/approvals")).approvals) {
    const isRefused = (input as { path: string }).path === "docs/d.md";
    await client.post("/api/approvals/{id}", { id, body: { decision: isRefused ? "reject" : "approve" } });
  }
  await summaryOf(client, runIds[0]!);
  await page.getByRole("button", { name: "Allowed without asking" }).click();
  await page.getByRole("link", { name: "1 suggested rule" }).click();
  const list = page.getByRole("list", { name: "Suggested rules" });
  await expect.poll(() => list.getByRole("listitem").count(), SOON).toBe(1);
  expect(await list.innerText()).toMatch(
    /Edit\(src\/\*\*\/\*\.ts\)\s+It would have allowed 3 of the 4 such calls that people allowed, and not the one that they refused\./,
  );
  await list.getByText("Calls you would still be asked about").click();
  await list.getByText(/e\.txt/).waitFor();
  expect(await list.locator("pre").innerText()).toBe('permissions:\n  allow:\n    - "Edit(src/**/*.ts)"');
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(problems).toEqual([]);
});
