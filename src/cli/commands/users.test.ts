// Tests the commands that manage a server's users and webhooks. The server is a separate process, and one test kills it.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { enterByLink } from "../../../test/support/enter-by-link.ts";
import { agent, project } from "../cli.fixture.ts";

const FILES = { "agents/a.md": agent("a"), "a.script.yaml": "turns:\n  - text: Done and told.\n" };

test("[A09] users can be added, listed and revoked, and their tokens rotated, while the server is up", async () => {
  await using p = await project(FILES);
  const up = p.startHere("up", "--port", "0", "--no-open");
  const [, url] = await up.shows(/Cadre is up at (http:\/\/127\.0\.0\.1:\d+)/);
  const made = await p.cadre("users", "add", "vera", "--role", "viewer");
  expect(made.stdout).toMatch(/vera now has access as viewer\.[\s\S]*sees only their own/);
  const [, token] = /shown only once: (\S+)/.exec(made.stdout)!;
  const [, link] = /theirs, once: (\S+)/.exec(made.stdout)!;
  const headers = { Authorization: `Bearer ${token}` };
  expect(await (await fetch(`${url}/api/me`, { headers })).json()).toMatchObject({ name: "vera" });
  expect((await enterByLink(link!)).cookie).toContain("=");
  const stream = await fetch(`${url}/api/events`, { headers });
  const reader = stream.body!.getReader();
  await reader.read();
  const [user] = (await p.cadre("users", "rotate", "vera", "--json")).lines();
  await expect(reader.read()).rejects.toThrow("terminated");
  expect((await fetch(`${url}/api/me`, { headers })).status).toBe(401);
  const next = { Authorization: `Bearer ${String(user!["token"])}` };
  expect((await fetch(`${url}/api/me`, { headers: next })).status).toBe(200);
  expect((await p.cadre("users", "revoke", "vera")).stdout).toContain("vera's access has been revoked");
  expect((await fetch(`${url}/api/me`, { headers: next })).status).toBe(401);
  expect((await p.cadre("users")).stdout).toMatch(/vera +viewer +revoked/);
  for (const [words, said] of [
    [["add", "vera", "--role", "viewer"], "There is, or was, a user vera"],
    [["add", "Vera!", "--role", "viewer"], "is not a valid user name"],
    [["rotate", "nobody"], "There is no user nobody"],
  ] as const)
    expect((await p.cadre("users", ...words)).stderr).toContain(said);
});

test("[A09] if no server can be reached, a new user gets a token but no link, and `users link` says where to get a link", async () => {
  await using p = await project(FILES);
  expect((await p.cadre("users", "add", "vera", "--role", "operator")).stdout).not.toContain("/open/");
  const refused = await p.cadre("users", "link", "vera");
  expect(refused.stderr).toContain("use the Settings page or the API of a server that is running");
  expect(refused.code).toBe(1);
});

test("[WH1] [U32] if a process is killed before it delivers a notice, the next process delivers the notice with the same id", async () => {
  const ids: string[] = [];
  const hanging = Promise.withResolvers<void>();
  let answer: (response: ServerResponse) => void = () => hanging.resolve();
  const receiver = createServer((request, response) => {
    ids.push(request.headers["webhook-id"] as string);
    request.resume().on("end", () => answer(response));
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { port } = receiver.address() as AddressInfo;
  try {
    await using p = await project({
      ...FILES,
      "cadre.yaml": `webhooks:\n  team: { url: "http://127.0.0.1:${port}/", secretEnv: HOOK, events: [done], private: true }\n`,
    });
    Object.assign(p.env, { CADRE_TRUST: "1", HOOK: "a-secret-of-the-team" });
    const first = p.start("up", "--port", "0", "--no-open");
    await first.shows(/Cadre is up/);
    const [started] = (await p.cadre("run", "a", "do it", "--detach", "--json")).lines();
    await hanging.promise;
    first.process.kill("SIGKILL");
    await first.end();
    const taken = Promise.withResolvers<void>();
    answer = (response) => {
      response.end("thanks");
      taken.resolve();
    };
    const second = p.startHere("up", "--port", "0", "--no-open");
    await taken.promise;
    expect(new Set(ids).size, ids.join()).toBe(1);
    const list = async () => (await p.cadre("webhooks")).stdout;
    await expect
      .poll(list, { timeout: 20_000 })
      .toMatch(/team: json to 127\.0\.0\.1:\d+, for done[\s\S]*delivered/);
    expect(await list()).toContain(String(started!["runId"] ?? started!["id"]));
    const tested = await p.cadre("webhooks", "test");
    expect(tested).toMatchObject({ code: 0, stdout: expect.stringContaining("team: accepted (200)") });
    answer = (response) => response.writeHead(500).end();
    expect((await p.cadre("webhooks", "test", "team")).code).toBe(1);
    await second.leave();
    Object.assign(p.env, { CADRE_TRUST: "0" });
    expect((await p.cadre("webhooks")).stdout).toContain("There are no webhooks");
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});
