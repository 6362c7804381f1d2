// Opens the exported page in a real browser, from a file and without a server.
// The page sends no requests, and runs no scripts that are hidden in the texts of the runs.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, project } from "../../src/cli/cli.fixture.ts";
import { withBrowser } from "./dashboard/browser.fixture.ts";

const browser = withBrowser();

const HOSTILE = [
  '<img src=x onerror="window.hacked=1">',
  "</pre></template></script><script>window.hacked=1</script>",
  "<svg onload=window.hacked=1>",
  "[x](javascript:window.hacked=1) <a href='javascript:window.hacked=1'>x</a>",
  "<link rel=stylesheet href=http://127.0.0.1:9/x.css><iframe src=http://127.0.0.1:9/></iframe>",
  "\u202Egnp.exe <!-- --> &lt;b&gt; &amp;",
].join("\n");

const FILES = {
  "agents/lead.md": agent("lead", "agents: [worker]\n"),
  "agents/worker.md": agent("worker", "kind: subagent\n"),
  "lead.script.yaml": `turns:
  - when: { turn: 1 }
    text: ${JSON.stringify(`I split it. ${HOSTILE}`)}
    calls: [{ tool: delegate, input: { agent: worker, task: ${JSON.stringify(`look ${HOSTILE}`)} } }]
  - report: { summary: ${JSON.stringify(`All is there. ${HOSTILE}`)} }
`,
  "worker.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: Read, input: { path: ${JSON.stringify(HOSTILE)} } }, { tool: Read, input: { path: note.txt } }]
  - report: { summary: Nothing is known. }
`,
  "note.txt": HOSTILE,
};

test("[U52] [A63] an exported page opens offline, runs no script that is hidden in a text, and can be verified", async () => {
  await using p = await project(FILES);
  await p.cadre("run", "--json", "lead", HOSTILE);
  const runId = String((await p.cadre("runs", "--json")).lines()[0]!["id"]);
  expect((await p.cadre("export", runId, "--to", "page.html")).stderr).toBe("");
  const file = join(p.folder, "page.html");
  expect((await p.cadre("verify", file)).stdout).toMatch(`Whole: ${runId}, 2 runs, `);

  for (const theme of ["light", "dark"] as const) {
    const { page, context, problems } = await browser.open(`file://${file}`, { theme });
    const asked: string[] = [];
    context.on("request", (request) => asked.push(request.url()));
    await page.reload();
    expect(asked, "but for the page itself").toEqual([`file://${file}`]);
    expect(problems.filter((problem) => problem !== `asked for file://${file}`)).toEqual([]);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.locator("script, img, svg, iframe, link, a[href^='javascript' i]").count()).toBe(0);
    await page.locator("h1").filter({ hasText: "<img src=x onerror" }).waitFor();
    expect(await page.locator("h1").innerText()).toContain("⟦U+202E⟧gnp.exe");
    expect(await page.locator("nav a").allInnerTexts()).toEqual(["lead", "worker"]);
    await page.locator("details.run").nth(1).getByText("Nothing is known.").first().waitFor();
    await page.locator("li.thought summary").first().click();
    await page.locator("li.thought pre").first().filter({ hasText: "</script><script>" }).waitFor();
  }

  const html = await readFile(file, "utf8");
  await writeFile(file, html.replace("Nothing is known.", "All is known."));
  expect(await p.cadre("verify", file)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("its checksum does not match"),
  });
}, 120_000);
