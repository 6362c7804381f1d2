// Several projects under one page: the navigation lists the other projects of this user, and a click leads there.

import { expect, test } from "vitest";
import { agent, type Project, project } from "../../../src/cli/cli.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";

const browser = withBrowser();

const writer = () =>
  project({
    "agents/writer.md": agent("writer", "tools: [Write]\n"),
    "writer.script.yaml": "turns:\n  - calls: [{ tool: Write, input: { path: a.txt, content: hello } }]\n",
  });

async function up(p: Project) {
  const server = p.start("up", "--port", "0", "--no-open", "--json");
  const [line] = await server.shows(/^\{.*"url".*\}$/m);
  return JSON.parse(line) as { url: string; link: string };
}

test("[26.5] the page lists another project with what waits for the user there, and a click opens its inbox signed in", async () => {
  await using here = await writer();
  await using there = await writer();
  Object.assign(there.env, { HOME: here.env["HOME"], XDG_CONFIG_HOME: here.env["XDG_CONFIG_HOME"] });
  await there.cadre("run", "writer", "Write the other file");
  const other = await up(there);
  const { link } = await up(here);
  const { page, problems } = await browser.open(link);
  const projects = page.getByRole("region", { name: "Other projects" });
  await projects.getByText("1 waiting for you").waitFor({ state: "attached" });
  await projects.getByRole("button").click();
  await page.waitForURL((url) => url.href.startsWith(other.url));
  await page.getByText("Write the other file").first().waitFor();
  // The fixture reports requests to another origin. Here the other project is where the click leads.
  expect(problems.filter((problem) => !problem.includes(other.url.replace(/\/$/, "")))).toEqual([]);
});
