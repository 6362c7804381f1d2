// Tests how the page of one project shows the user's other projects, and leads to their pages.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, type Project, project } from "../cli.fixture.ts";
import { clientWithToken } from "../connection/server-client.ts";

const writer = () =>
  project({
    "agents/writer.md": agent("writer", "tools: [Write]\n"),
    "writer.script.yaml": "turns:\n  - calls: [{ tool: Write, input: { path: a.txt, content: hello } }]\n",
  });

async function up(p: Project) {
  const server = p.start("up", "--port", "0", "--no-open", "--json");
  const [line] = await server.shows(/^\{.*"url".*\}$/m);
  const { url, link } = JSON.parse(line) as { url: string; link: string };
  return { url, link, server };
}

test("[26.5] the page of a project lists the user's other projects with what waits there, and a link signs the browser in", async () => {
  await using here = await writer();
  await using there = await writer();
  Object.assign(there.env, { HOME: here.env["HOME"], XDG_CONFIG_HOME: here.env["XDG_CONFIG_HOME"] });
  await there.cadre("run", "writer", "write");
  const { url } = await up(here);

  const token = readFileSync(join(here.folder, ".cadre", "token"), "utf8").trim();
  const client = clientWithToken(url.replace(/\/$/, ""), token);
  const id = expect.stringMatching(/^[0-9a-f]{16}$/);
  const stopped = { id, folder: there.folder, isUp: false, waiting: 0, working: 0 };
  expect((await client.get("/api/projects")).projects).toEqual([stopped]);
  const found = (await client.get("/api/projects")).projects[0]!.id;
  await expect(client.post("/api/projects/{project}/link", { project: found })).rejects.toMatchObject({
    code: "CONFLICT",
    message: expect.stringContaining(`cadre up -C ${there.folder}`),
  });
  const other = await up(there);
  expect((await client.get("/api/projects")).projects).toEqual([{ ...stopped, isUp: true, waiting: 1 }]);
  const { url: link } = await client.post("/api/projects/{project}/link", { project: found });
  expect(link.startsWith(other.url)).toBe(true);
  const signIn = async (): Promise<string | null> =>
    (await fetch(link, { method: "POST", headers: { Origin: new URL(link).origin } })).headers.get(
      "set-cookie",
    );
  expect(await signIn()).toMatch(/HttpOnly/i);
  expect(await signIn(), "a link works once").toBeNull();
});
