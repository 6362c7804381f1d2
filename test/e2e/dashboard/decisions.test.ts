// The decision history: what people decided, with filters, standing permissions and suggested rules.

import { expect, test } from "vitest";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { expectRows, openInbox, summaryOf } from "./inbox.fixture.ts";
import { treeProject } from "./server.fixture.ts";

const browser = withBrowser();

test("[29.10] the history lists decisions by person, tool, agent and rule, finds them by words, and shows suggested rules and standing permissions", async () => {
  const write = (path: string) => `      - { tool: Write, input: { path: ${path}, content: x } }\n`;
  await using p = await treeProject({
    "worker.script.yaml": `turns:
  - when: { turn: 1 }
    calls:
${["src/a.ts", "src/b.ts", "src/c.ts", "docs/d.md"].map(write).join("")}  - report: { summary: done }
`,
  });
  const { client, page, problems, runIds, server } = await openInbox(browser, p, { "write them": "worker" });
  page.setDefaultTimeout(30_000);
  await expectRows(page, 4);
  for (const { id, input } of (await client.get("/api/approvals")).approvals) {
    const isRefused = (input as { path: string }).path === "docs/d.md";
    await client.post("/api/approvals/{id}", {
      id,
      body: isRefused ? { decision: "reject", note: "The book is frozen" } : { decision: "approve" },
    });
  }
  await summaryOf(client, runIds[0]!);
  await page.getByRole("link", { name: "Decisions" }).click();
  await page.waitForURL("**/decisions");
  const table = page.getByRole("table", { name: "Decisions" });
  const rows = table.getByRole("row").filter({ has: page.getByRole("cell") });
  await expect.poll(() => rows.count()).toBe(4);
  expect(await rows.filter({ hasText: "approved" }).count()).toBe(3);
  const refused = rows.filter({ hasText: "rejected" });
  expect(await refused.innerText()).toMatch(/docs\/d\.md[\s\S]*“The book is frozen”/);

  const permissions = page.getByRole("complementary", { name: "Permissions" });
  await permissions.getByText("Edit(src/**/*.ts)").first().waitFor();
  await permissions.getByText("Nothing yet: every call that needs approval asks.").waitFor();

  await page.getByLabel("Search decisions").fill("frozen");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/decisions?q=frozen");
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole("button", { name: "Clear" }).click();
  await expect.poll(() => rows.count()).toBe(4);
  await page.getByLabel("Decision", { exact: true }).selectOption("approve");
  await expect.poll(() => rows.count()).toBe(3);
  for (const name of [/^Only Write$/, /^Only decisions for worker$/, /^Only decisions of /, /asked for$/])
    await rows.first().getByTitle(name).first().click();
  await page.waitForURL((at) =>
    ["by", "tool", "agent", "rule", "decision"].every((key) => at.searchParams.has(key)),
  );
  await expect.poll(() => rows.count()).toBe(3);
  expect((await client.get("/api/decisions", { by: "nobody" })).decisions).toEqual([]);
  const first = await client.get("/api/decisions", { limit: 3 });
  expect(first.decisions).toHaveLength(3);
  const rest = await client.get("/api/decisions", { limit: 3, cursor: first.nextCursor });
  expect([rest.decisions.length, rest.nextCursor]).toEqual([1, undefined]);

  await page.goto(`${server.url}/decisions?q=frozen`);
  await page.getByRole("button", { name: "Clear" }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await refused.getByRole("link").click();
  await page.waitForURL(/\/r\/r\w+#\d+$/);
  await page.goto(`${server.url}/decisions`);
  await page.setViewportSize({ width: 390, height: 844 });
  await rows.first().waitFor();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(problems).toEqual([]);
});
