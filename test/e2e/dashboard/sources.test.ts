// A reader opens the web page on which a sentence of the answer is based.

import { expect, test } from "vitest";
import { agent, project } from "../../../src/cli/cli.fixture.ts";
import { html, internet } from "../../support/internet.ts";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { serve } from "./server.fixture.ts";

const browser = withBrowser();

test("[PV1] [PV2] [PV4] [A66] a sentence of the answer links to its source, a web page; untrusted content is marked", async () => {
  await using net = await internet({
    "127.0.0.1": html("<p>Sales of widgets rose by 18.4% last spring.</p>"),
  });
  const report = `http://127.0.0.1:${net.port}/sales`;
  await using p = await project({
    "cadre.yaml": `web: { private: ["127.0.0.1:${net.port}"] }\npermissions: { allow: ["WebFetch(domain:127.0.0.1)"] }\n`,
    "agents/lead.md": agent("lead", "agents: [researcher]\n"),
    "agents/researcher.md": agent("researcher", "kind: subagent\n"),
    "lead.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: delegate, input: { agent: researcher, task: "Look up what sold" } }]
  - when: { turn: 2 }
    calls: [{ tool: Write, input: { path: sales.md, content: "18.4%" } }]
  - report: { summary: "Widgets rose by 18.4%. Everybody is content." }
`,
    "researcher.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: WebFetch, input: { url: "${report}" } }]
  - report: { summary: "Widgets went up by 18.4% in spring." }
`,
  });
  await p.cadre("trust");
  const done = (await p.cadre("run", "--yes", "--json", "lead", "What sold?")).lines();
  const { runId } = done.at(-1) as { runId: string };

  const said = await p.cadre("why", runId, "--sources");
  expect(said.stdout).toMatch(
    /^Widgets rose by 18\.4%\.\n {2}based on “[^”]*18\.4%”\n {4}untrusted \(http:\/\/127\.0\.0\.1:\d+\) {2}lead: researcher's answer \w+#\d+ › researcher: WebFetch http\S+ \w+#\d+\n/,
  );
  expect(said.stdout).toContain("Everybody is content.\n  No source found in the journal\n");
  expect(said.stdout).toMatch(
    /Actions taken after untrusted input\n {2}\d\d:\d\d:\d\d {2}lead: Write sales\.md \w+#\d+/,
  );

  const { url, link } = await serve(p);
  const { page, problems } = await browser.enter(link);
  page.setDefaultTimeout(20_000);
  await page.goto(`${url}/r/${runId}?tab=sources&details=open`);
  const sentence = page.getByRole("button", { name: /^Widgets rose by 18\.4%\. untrusted/ });
  await sentence.focus();
  await page.keyboard.press("Enter");
  const source = page.getByRole("region", { name: "Source" });
  await source.getByText(/untrusted: content from/).waitFor();
  expect(await source.getByRole("blockquote").innerText()).toContain("Sales of widgets rose by 18.4%");
  expect(await source.getByRole("listitem").count()).toBe(3);
  await page.getByRole("button", { name: /^Everybody is content\./ }).click();
  await page.getByText("No source found in the journal").waitFor();
  await page
    .getByRole("region", { name: "Actions taken after untrusted input" })
    .getByText("sales.md")
    .waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);

  await source.getByRole("button", { name: /WebFetch/ }).click();
  await page.getByRole("region", { name: "Details" }).getByText("18.4%").first().waitFor();
  expect(problems).toEqual([]);
});
