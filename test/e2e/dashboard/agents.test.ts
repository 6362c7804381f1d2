// The agents page in a real browser: graph, list, and the page of one agent.

import { afterAll, beforeAll, expect, test } from "vitest";
import { agent, type Project, project } from "../../../src/cli/cli.fixture.ts";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { addedLine, type OpenPage, signIn, withBrowser } from "./browser.fixture.ts";
import { serve, type TestServer, treeProject } from "./server.fixture.ts";

const browser = withBrowser();
const SLIP =
  "---\nname: slip\ndescription: Has a slip.\nmodel: scripted/slip\ntoools: [Read]\nagents: [worker]\n---\nDo <b>it</b>.\n";

let p: Project;
let server: TestServer;
let opened: OpenPage;

beforeAll(async () => {
  p = await treeProject({
    "cadre.yaml": "permissions: { allow: [Write] }\n",
    "agents/desk.md": agent("desk", "router: { destinations: [lead, writer] }\n"),
    "agents/writer.md": agent(
      "writer",
      "handoff: { agent: reader }\nadvisors: { agents: [lawyer] }\ntools: [Read, Write, 'Bash(npm test)']\n",
    ),
    "agents/reader.md": agent("reader", "tools: [Read, Grep]\nicon: 👨‍💻\n"),
    "agents/lawyer.md": agent("lawyer", 'kind: subagent\ntools: [Read]\ncolor: "#E67E22"\n'),
    "agents/panel.md": agent("panel", "team: { members: [lawyer, reader], maxRounds: 2 }\n"),
    "agents/namer.md": agent("namer", "bestOf: { n: 3, judge: reader }\n"),
    "agents/slip.md": SLIP,
  });
  server = await serve(p);
  opened = await browser.enter(server.link, { stays: true });
});
afterAll(() => p[Symbol.asyncDispose]());

async function go(path: string, { width = 1280, height = 800 } = {}) {
  await opened.page.setViewportSize({ width, height });
  await opened.page.goto(server.url + path);
  return opened.page;
}

test("[S1-60] [S1-63] the graph shows every agent, labels every kind of edge, and works with the keyboard", async () => {
  const page = await go("/agents");
  const graph = page.getByTestId("graph");
  for (const name of ["desk", "lead", "worker", "writer", "reader", "lawyer", "panel", "namer", "slip"])
    await graph.getByRole("link", { name }).waitFor();
  for (const word of ["routes", "delegates", "hands off", "advisor", "member", "judge"])
    await graph.locator("dl").getByText(word, { exact: true }).waitFor();
  const looks = await graph
    .locator(".react-flow__edge-path")
    .evaluateAll((paths) =>
      paths.map((path) => `${getComputedStyle(path).strokeDasharray} ${getComputedStyle(path).strokeWidth}`),
    );
  expect(new Set(looks).size, "edges differ by more than colour").toBe(6);
  expect(await graph.getByRole("link", { name: "slip" }).innerText()).toContain("broken");
  await page.getByRole("searchbox").fill("lawyer");
  expect(await graph.getByRole("link", { name: "lawyer" }).getAttribute("class")).not.toContain("opacity-35");
  expect(await graph.getByRole("link", { name: "desk" }).getAttribute("class")).toContain("opacity-35");
  expect(page.url()).toContain("q=lawyer");
  await graph.getByRole("link", { name: "lawyer" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/agents/lawyer");
  expect(opened.problems).toEqual([]);
});

test("[S1-60] on a phone the list opens first; it has the same content as the graph, and each problem links to its line", async () => {
  const page = await go("/agents", { width: 390, height: 844 });
  const row = page
    .getByRole("row")
    .filter({ has: page.getByRole("link", { name: "agent writer", exact: true }) })
    .first();
  await row.getByText("hands off").filter({ visible: true }).waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(390);
  await page.getByRole("tab", { name: /Problems/ }).click();
  await page.getByText("did you mean `tools`?").waitFor();
  await page.getByRole("link", { name: "agents/slip.md:5:1" }).click();
  await page.getByText("(column 1, UNKNOWN_KEY)").waitFor();
  await page.getByText("toools: [Read]").waitFor();
  await page.getByText("Do <b>it</b>.").waitFor();
  expect(opened.problems).toEqual([]);
});

test("[S2-79] an agent appears with the icon and colour from its file", async () => {
  const page = await go("/agents?view=list");
  const row = (name: string) =>
    page.getByRole("row").filter({ has: page.getByRole("link", { name: `agent ${name}`, exact: true }) });
  await row("reader").getByText("👨‍💻", { exact: true }).first().waitFor();
  const color = () =>
    row("lawyer")
      .locator("svg")
      .first()
      .evaluate((icon) => getComputedStyle(icon).color);
  await expect.poll(color).toBe("rgb(230, 126, 34)");
  expect(opened.problems).toEqual([]);
});

test("[U53] [S1-62] an agent's page shows its file, its tools, the agents it can reach, and how many runs and turns one task can take at most", async () => {
  const page = await go("/agents/writer");
  await page.getByText("Can change files").waitFor();
  await page.getByText("Can run commands").waitFor();
  await page.getByText(/At most 3 runs with 300 turns/).waitFor();
  await page.getByRole("cell", { name: "Bash(npm test)" }).waitFor();
  await page.getByRole("tab", { name: "Tools and reach" }).click();
  await page.getByText("only Bash(npm test)").waitFor();
  await page.getByRole("region", { name: "Agents it can reach" }).getByText("advisor").waitFor();
  await page.getByRole("tab", { name: "File" }).click();
  await page.getByRole("rowheader", { name: "handoff" }).waitFor();
  await page.getByRole("button", { name: "Source" }).click();
  await page.getByText("handoff: { agent: reader }").waitFor();
  expect(opened.problems).toEqual([]);
});

test("[U53] [S4-59] a changed file is a new version; the page shows the diff and replays past runs with the new version", async () => {
  const page = await go("/agents/lead");
  await page.getByRole("button", { name: "Start a run" }).click();
  await page.getByRole("dialog").getByLabel("Task", { exact: true }).fill("Mend the parser");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL("**/r/*");
  const file = agent("lead", "agents: [worker]\n").replace("Do it.", "Do it well.");
  await p.write("agents/lead.md", file);
  await p.cadre("run", "lead", "Mend it again", "--yes", "--json");
  await go("/agents/lead?tab=runs");
  const versions = page.getByRole("region", { name: "Versions" });
  await versions.getByText("current file").waitFor();
  expect(await versions.getByRole("row").count()).toBe(3);
  await versions.getByRole("button", { name: "What changed" }).click();
  await addedLine(page.getByRole("dialog"), "Do it well.").waitFor();
  await page.keyboard.press("Escape");
  const replayed = page.getByRole("region", { name: "Replay with the current file" });
  await replayed.getByRole("button", { name: "Replay the latest runs" }).click();
  await replayed.getByText(/1 of 2 runs would differ/).waitFor();
  await replayed.getByText("Do it well.").waitFor();
  expect(await replayed.getByRole("link", { name: "Mend the parser" }).getAttribute("href")).toContain("#");
  await versions.getByRole("link").nth(1).click();
  const runs = page.getByRole("region", { name: /Runs of version/ });
  await runs.getByText("Mend the parser").waitFor();
  expect(await runs.getByText("Mend it again").count()).toBe(0);
  expect(opened.problems).toEqual([]);
});

test.each([
  ["/agents", "hands off"],
  ["/agents?view=list", "starts no other agents"],
  ["/agents?view=problems", "UNKNOWN_KEY"],
  ["/agents/writer", "Worst case of one task"],
  ["/agents/slip?tab=file", "toools: [Read]"],
  ["/agents/desk?tab=reach", "Agents it can reach"],
  ["/agents/lead?tab=runs", "current file"],
])("[U48] axe finds no problem on %s in either theme", async (path, text) => {
  const page = await go(path);
  await page.getByText(text).filter({ visible: true }).first().waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
});

// This test runs last, because it makes the shared page show another server.
test("[U46] a project without agents shows the command that creates agents", async () => {
  await using empty = await project({ "README.md": "# Nothing yet\n" });
  const { link, url } = await serve(empty);
  const { page, context, problems } = opened;
  await signIn(context, link);
  await page.goto(`${url}/agents`);
  await page.getByText(`-C ${empty.folder} init --pack team`).waitFor();
  await page.getByRole("link", { name: "show them" }).click();
  // The name of an agent from a pack contains a slash. A URL with this slash must still work after a reload.
  await page.getByRole("link", { name: "team/coder" }).first().click();
  await page.getByText("Worst case of one task").waitFor();
  await page.reload();
  await page.getByText("Worst case of one task").waitFor();
  expect(problems.filter((problem) => !problem.startsWith(`asked for ${url}`))).toEqual([]);
});
