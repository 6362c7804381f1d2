// Every view shows hostile text from a model, a tool, a file or a web page as plain, visible text.
// No view runs a script in hostile text or loads a resource that the text refers to.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { agent, type Project } from "../../../src/cli/cli.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { serve, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

const SCRIPTS = [
  "<img src=x onerror=window.owned=1>",
  "<svg onload=window.owned=1></svg>",
  "</script><script>window.owned=1</script>",
  "<iframe src=https://evil.test/frame></iframe><link rel=prefetch href=https://evil.test/link>",
  "<style>*{background:url(https://evil.test/css)}</style>",
].join(" ");
const MARKDOWN = [
  "![a](https://evil.test/?d=1)",
  "![b][1]",
  "[x](javascript:window.owned=1)",
  "[y](JaVaScRiPt&colon;window.owned=1)",
  "<img srcset=https://evil.test/set>",
  "[z](//evil.test/z)",
  "",
  "[1]: https://evil.test/reference",
].join("\n\n");
const HIDDEN = "turned\u202earound zero\u200bwidth tag\u{e0041} coded&#8238;too";
const SEQUENCES =
  "\u001b]52;c;ZXZpbA==\u0007 \u001b[2J\u001b[1A \u009b31mred \u001b]8;;file:///etc\u0007link";
const EVIL = `${SCRIPTS}\n\n${MARKDOWN}\n\n${HIDDEN}`;
const FILE = "a<img src=x onerror=window.owned=1>\u202e.txt";

const script = (...turns: object[]): string => JSON.stringify({ turns });

const hostileProject = (): Promise<Project> =>
  treeProject({
    "agents/lead.md": agent("lead", "agents: [worker]\n").replace(
      /^description:.*$/m,
      `description: ${JSON.stringify(EVIL)}`,
    ),
    "agents/worker.md": agent("worker", "kind: subagent\n"),
    "evil.txt": `${SEQUENCES}\n${EVIL}${"\n".repeat(3_000)}the end`,
    "lead.script.yaml": script(
      {
        when: { turn: 1 },
        reasoning: EVIL,
        text: `${EVIL}${"\n".repeat(3_000)}last words`,
        calls: [
          { tool: "Read", input: { path: "evil.txt" } },
          { tool: SCRIPTS, input: { path: EVIL, [SCRIPTS]: HIDDEN } },
          { tool: "Write", input: { path: FILE, content: EVIL } },
          { tool: "TodoWrite", input: { todos: [{ content: SCRIPTS, status: "pending" }] } },
          { tool: "delegate", input: { agent: "worker", task: EVIL } },
        ],
      },
      { report: { summary: EVIL, details: EVIL, warnings: [EVIL], suggestions: [SCRIPTS] } },
    ),
    "worker.script.yaml": script({ error: { status: 400, message: EVIL } }),
  });

/** Expands every collapsed part of the page. */
async function unfold(page: Page): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await page.evaluate(() => {
      for (const folded of document.querySelectorAll<HTMLElement>(
        'main [aria-expanded="false"]:not([aria-haspopup]), main details:not([open]) > summary',
      ))
        folded.click();
    });
    await page.waitForFunction(() => new Promise((done) => requestAnimationFrame(() => done(true))));
  }
}

async function isHarmless(page: Page): Promise<void> {
  expect(await page.evaluate(() => (window as { owned?: unknown }).owned)).toBeUndefined();
  const loaded = await page.evaluate(() =>
    Array.from(
      document.querySelectorAll("main img, main iframe, main object, main script, main link"),
      (each) => each.outerHTML,
    ),
  );
  expect(loaded).toEqual([]);
  const links = await page.evaluate(() =>
    Array.from(document.querySelectorAll<HTMLAnchorElement>("main a[href]"), ({ href, rel, origin }) =>
      origin === location.origin ? "own" : `${new URL(href).protocol} ${rel}`,
    ),
  );
  expect(new Set(links.filter((link) => link !== "own"))).toEqual(
    new Set(links.includes("https: noreferrer noopener") ? ["https: noreferrer noopener"] : []),
  );
}

async function approveAll(page: Page): Promise<void> {
  await page.getByText("waiting for you").first().waitFor({ state: "attached" });
  await page.evaluate(async () => {
    const { approvals } = (await (
      await fetch("/api/approvals", {
        headers: { "X-Cadre-Page": localStorage.getItem("cadre-page-keys") ?? "" },
      })
    ).json()) as { approvals: { id: string }[] };
    for (const { id } of approvals)
      await fetch(`/api/approvals/${encodeURIComponent(id)}`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "X-Cadre-Page": localStorage.getItem("cadre-page-keys") ?? "",
        },
        body: JSON.stringify({ decision: "approve" }),
      });
  });
}

test("[A62] [A63] [A64] [A17] hostile text in any field is shown as text in every view", async () => {
  await using p = await hostileProject();
  const { url, link } = await serve(p);
  const { page, problems } = await browser.enter(link);
  const started = await p.cadre(
    "run",
    "lead",
    `${EVIL}${"\n".repeat(3_000)}end of task`,
    "--detach",
    "--json",
  );
  const { runId } = JSON.parse(started.stdout) as { runId: string };
  await page.goto(`${url}/inbox`);
  await page.getByText("waiting for you").first().waitFor({ state: "attached" });
  await unfold(page);
  await isHarmless(page);
  await approveAll(page);
  await page.goto(`${url}/r/${runId}?details=open`);
  await page.getByText("completed").first().waitFor();
  for (const path of [
    "/",
    "/agents",
    "/agents/lead",
    "/chat",
    "/usage",
    `/r/${runId}`,
    `/r/${runId}?view=waterfall`,
  ]) {
    await page.goto(url + path);
    await page.getByTestId("connection").getByText("Live").first().waitFor();
    await unfold(page);
    await isHarmless(page);
  }
  expect(problems).toEqual([]);
});

test("[A62] [A17] [S4-57] the conversation and every panel tab reveal hidden text, and load no resource that the text refers to", async () => {
  await using p = await hostileProject();
  const { url, link } = await serve(p);
  const { page, problems } = await browser.open(link);
  await page.getByTestId("connection").getByText("Live").first().waitFor();
  const started = await p.cadre("run", "lead", EVIL, "--detach", "--json");
  const { runId } = JSON.parse(started.stdout) as { runId: string };
  await approveAll(page);
  await page.goto(`${url}/r/${runId}?view=conversation&details=open`);
  await page.getByRole("button", { name: /tools · 1 file/ }).waitFor();
  await page.getByText("Image not loaded").first().waitFor();
  await unfold(page);
  await isHarmless(page);
  const text = await page.locator("main").innerText();
  for (const shown of [
    "⟦U+202E⟧",
    "⟦U+200B⟧",
    "⟦U+E0041⟧",
    "coded⟦U+202E⟧too",
    "⟦U+001B⟧]52;c;",
    "evil.test",
  ])
    expect(text).toContain(shown);
  for (const raw of ["<img src=x onerror=window.owned=1>", "<svg onload", "</script><script>"])
    expect(text).toContain(raw);
  expect(text).not.toMatch(/[\u202e\u200b\u001b\u009b]/u);
  const panel = page.getByRole("tablist", { name: "About this run" });
  expect(await panel.getByRole("tab").count()).toBe(5);
  for (const tab of await panel.getByRole("tab").all()) {
    await tab.click();
    await unfold(page);
    await isHarmless(page);
  }
  expect(problems).toEqual([]);
});
