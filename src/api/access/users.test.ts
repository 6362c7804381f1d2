// Tests over real HTTP, for every route, what named users of each role can do and see.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PNG, sent } from "../../../test/support/sample-files.ts";
import type { Script } from "../../models/scripted/script.ts";
import { assembleRuntime } from "../../runtime/assembly.ts";
import { encodeFile } from "../../stores/hashes.ts";
import type { Role } from "../../stores/users.ts";
import { createClient } from "../client/client.ts";
import { eventsUntil, isEnd, payTool, waitForApprovals } from "../fixtures/api.fixture.ts";
import { publicProject, TOKEN } from "../fixtures/public-server.fixture.ts";
import { type Route, roleFor } from "../routes/route.ts";
import { routeTable } from "../server/app.ts";

const clerk: Script = ({ turn, lastResult }) =>
  turn > 1
    ? { report: { summary: `told: ${lastResult}` } }
    : { calls: [{ tool: "Pay", input: { to: "ann", amount: 5 } }] };

const { served, send, enter, problems } = publicProject(async (folder) => {
  const runtime = await assembleRuntime({
    folder,
    home: folder,
    env: { XDG_CONFIG_HOME: folder },
    scripts: { clerk },
    tools: [payTool().tool],
  });
  await runtime.start();
  return runtime;
});

const JSON_TYPE = { "Content-Type": "application/json" };
const tokens = new Map<string, string>();
const bearer = (name: string) => ({ Authorization: `Bearer ${tokens.get(name) ?? name}` });
const as = (name: string) =>
  createClient({
    baseUrl: served.server.url,
    fetch: (url, init = {}) =>
      fetch(url.replace("http://cadre", served.server.url), {
        ...init,
        headers: { ...(init.headers as Record<string, string>), ...bearer(name) },
      }),
  } as Parameters<typeof createClient>[0]);
const holder = () => as(TOKEN);

async function admit(name: string, role: Role): Promise<void> {
  tokens.set(name, (await holder().post("/api/users", { body: { name, role } })).token);
}

/** Ids of ann's run, approval, session, grant and definition. */
let ids: { run: string; approval: string; session: string; grant: string; definition: string };

beforeAll(async () => {
  await admit("vera", "viewer");
  await admit("ann", "operator");
  await admit("oli", "operator");
  await admit("ada", "admin");
  const { runId } = await as("ann").post("/api/sessions/{id}/messages", {
    id: "anns-session",
    body: { agent: "clerk", text: "pay the secretword", attachments: [sent("bill.png", PNG)] },
  });
  const [item] = await waitForApprovals({ client: as("ann") }, runId);
  const { definition } = await as("ann").get("/api/runs/{id}", { id: runId });
  const other = await as("ann").post("/api/runs", { body: { agent: "clerk", task: "pay" } });
  const [granted] = await waitForApprovals({ client: as("ann") }, other.runId);
  await as("ann").post("/api/approvals/{id}", {
    id: granted!.id,
    body: { decision: "approve", scope: "tree" },
  });
  await eventsUntil({ client: as("ann") }, other.runId, isEnd);
  ids = { run: runId, approval: item!.id, session: "anns-session", grant: "1", definition };
});

afterAll(() => expect(problems).toEqual([]));

/** Fills each path parameter with one of ann's ids, and adds the query that the route needs. */
function pathOf({ path }: Route): string {
  const filled = path
    .replace("/api/approvals/{id}", `/api/approvals/${encodeURIComponent(ids.approval)}`)
    .replace("/api/grants/{id}", `/api/grants/${ids.grant}`)
    .replace("/api/sessions/{id}", `/api/sessions/${ids.session}`)
    .replace("/attachments/{hash}", `/attachments/${encodeFile(PNG).name}`)
    .replace("{hash}", ids.definition)
    .replace("/api/users/{name}", "/api/users/nobody-of-that-name")
    .replace("/v1/models/{id}", "/v1/models/clerk")
    .replace("{delivery}", "none")
    .replace("{name}", "clerk")
    .replace("{id}", ids.run);
  if (filled.endsWith("/request")) return `${filled}?seq=2`;
  if (filled === "/api/compare") return `${filled}?a=${ids.run}&b=${ids.run}`;
  return /agent-(children|context)$/.test(filled) ? `${filled}?run_id=${ids.run}` : filled;
}

const BODIES: Record<string, unknown> = {
  "/api/runs/{id}/budget": { maxTokens: 1_000 },
  "/api/runs/{id}/message": { text: "hello" },
  "/api/runs/{id}/probe": { callId: "m1.0" },
  "/api/runs/{id}/moved": { to: "https://a.example", outcome: "refused" },
  "/api/runs/{id}/outcome": { callId: "m1.0", verdict: "fail" },
  "/api/approvals/{id}": { decision: "approve" },
  "/api/approvals/{id}/ask": { person: "jo" },
  "/api/approvals/{id}/preview": { input: { to: "eve", amount: 1 } },
  "/api/sessions/{id}/messages": { agent: "clerk", text: "hello" },
  "/api/agent-cancel": () => ({ run_id: ids.run }),
  "/api/chat": () => ({ message: "hello", agent_id: "clerk", session_id: ids.session }),
  "/runs/{id}/resume": { decision: "approve" },
};

function request(route: Route, name: string, path = pathOf(route)) {
  const body = BODIES[route.path] ?? {};
  const text = JSON.stringify(typeof body === "function" ? body() : body);
  return send(path, {
    method: route.method.toUpperCase(),
    headers: { ...bearer(name), ...(route.method === "post" ? JSON_TYPE : {}) },
    ...(route.method === "post" ? { body: text } : {}),
  });
}

const streams = (route: Route): boolean => route.answer === undefined;

/** All routes except routes that need a public server, such as `/api/link`. */
const table = (): Route[] => routeTable(served.parts, () => expect.fail("nobody is asked"));

describe("[A23] access to the runs of the user ann", () => {
  /** True for routes that take one of ann's ids in the path, the query or the body. */
  const takesAnnsId = ({ path }: Route): boolean =>
    (/\{(id|hash)\}/.test(path) && !/^\/(api\/users|v1\/models)\//.test(path)) ||
    /agent-(children|context|cancel)$|\/api\/(chat|compare)$/.test(path);

  test('another operator gets "not found" on every route that takes one of ann\'s ids, and changes nothing', async () => {
    const routes = table().filter(takesAnnsId);
    expect(routes.length).toBeGreaterThan(20);
    const before = await served.runtime.store.journal.read(ids.run);
    for (const route of routes) {
      const { status, text } = await request(route, "oli");
      expect(status, `${route.method} ${route.path} ${text}`).toBe(404);
      expect(text, route.path).not.toContain("secretword");
    }
    expect(await served.runtime.store.journal.read(ids.run)).toEqual(before);
  });

  test("ann and an admin can read ann's runs on every route", async () => {
    for (const name of ["ann", "ada"])
      for (const route of table().filter((one) => takesAnnsId(one) && one.method === "get"))
        expect((await request(route, name)).status, `${name} ${route.path}`).toBe(200);
  });

  test("ann's runs are missing from another user's lists, searches, totals and queries", async () => {
    const lists = table().filter(
      (route) =>
        route.method === "get" && !takesAnnsId(route) && !streams(route) && roleFor(route) !== "admin",
    );
    expect(lists.length).toBeGreaterThan(15);
    for (const route of lists) {
      const { status, text } = await request(route, "oli", pathOf(route));
      expect(status, route.path).toBe(200);
      expect(text, route.path).not.toMatch(new RegExp(`${ids.run}|secretword|anns-session`));
    }
    for (const query of [
      "runs?q=secretword",
      `runs?root=${ids.run}`,
      `runs?session=${ids.session}`,
      `messages?session=${ids.session}`,
      `agent-runs?session_id=${ids.session}`,
    ]) {
      expect((await send(`/api/${query}`, { headers: bearer("ann") })).text, query).toContain(ids.run);
      expect((await send(`/api/${query}`, { headers: bearer("oli") })).text, query).not.toContain(ids.run);
    }
    for (const query of [`approvals?run=${ids.run}`, `usage?root=${ids.run}`, `messages?run=${ids.run}`])
      expect((await send(`/api/${query}`, { headers: bearer("oli") })).status, query).toBe(404);
    expect((await as("oli").get("/api/usage")).byAgent).toEqual([]);
    expect((await as("ann").get("/api/usage")).byAgent).toMatchObject([{ agent: "clerk" }]);
  });

  test("another user's streams contain no events of ann's runs, neither new events nor old ones", async () => {
    const heard = new Map<string, string>();
    const stop = new AbortController();
    const listen = async (name: string, path: string, done: RegExp): Promise<void> => {
      const { body } = await fetch(`${served.server.url}${path}`, {
        headers: { ...bearer(name), Accept: "text/event-stream" },
        signal: stop.signal,
      });
      const key = `${name} ${path}`;
      for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
        heard.set(key, (heard.get(key) ?? "") + chunk);
        if (done.test(heard.get(key)!)) return;
      }
    };
    const paths = ["/api/journal?after=0", "/api/events?after=0"];
    const listening = paths.map((path) => listen("oli", path, /olis-own-task/));
    const watching = listen("ann", "/api/journal?after=0", /anns-later-task/);
    await as("ann").post("/api/runs", { body: { agent: "clerk", task: "anns-later-task" } });
    await watching;
    await as("oli").post("/api/runs", { body: { agent: "clerk", task: "olis-own-task" } });
    await Promise.all(listening);
    stop.abort();
    for (const path of paths) expect(heard.get(`oli ${path}`)).not.toMatch(/anns-later-task|secretword/);
  });

  test("another user cannot reach ann's runs through MCP tools, MCP resources, or a chat that names her session", async () => {
    const before = await served.runtime.store.journal.read(ids.run);
    const client = new Client({ name: "test", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL(`${served.server.url}/mcp`), {
      requestInit: { headers: bearer("oli") },
    });
    await client.connect(transport);
    const given: Record<string, unknown> = {
      runId: ids.run,
      approvalId: ids.approval,
      text: "hello",
      answer: "yes",
    };
    const { tools } = await client.listTools();
    const naming = tools.filter(({ inputSchema: { properties = {} } }) =>
      ["runId", "approvalId"].some((key) => key in properties),
    );
    expect(naming.length).toBeGreaterThan(5);
    for (const { name, inputSchema } of naming) {
      const wanted = Object.keys(given).filter((key) => key in inputSchema.properties!);
      const args = Object.fromEntries(wanted.map((key) => [key, given[key]]));
      const answer = await client.callTool({ name, arguments: args });
      expect(JSON.stringify(answer), name).toMatch(/"isError":true/);
      expect(JSON.stringify(answer), name).toMatch(/NOT_FOUND/);
      expect(JSON.stringify(answer), name).not.toContain("secretword");
    }
    for (const uri of [`cadre://runs/${ids.run}`, `cadre://runs/${ids.run}/events`])
      await expect(client.readResource({ uri }), uri).rejects.toThrow();
    for (const uri of ["cadre://runs", "cadre://approvals"])
      expect(JSON.stringify(await client.readResource({ uri })), uri).not.toMatch(/secretword|anns-session/);
    expect(JSON.stringify(await client.listResources())).not.toMatch(new RegExp(`${ids.run}|secretword`));
    await client.close();
    const chat = {
      model: "clerk",
      messages: [{ role: "user", content: "hi" }],
      metadata: { session_id: ids.session },
    };
    const { status } = await send("/v1/chat/completions", {
      method: "POST",
      headers: { ...bearer("oli"), ...JSON_TYPE },
      body: JSON.stringify(chat),
    });
    expect(status).toBe(404);
    expect(await served.runtime.store.journal.read(ids.run)).toEqual(before);
  });

  test("another user who sends ann's idempotency key does not get her run", async () => {
    const request = { agent: "clerk", task: "the same" };
    const first = await as("ann").post("/api/runs", { body: request, idempotencyKey: "key-1" });
    expect(await as("ann").post("/api/runs", { body: request, idempotencyKey: "key-1" })).toEqual(first);
    expect(await as("oli").post("/api/runs", { body: request, idempotencyKey: "key-1" })).not.toEqual(first);
  });
});

describe("every route checks the role of the user", () => {
  const RANKS: Role[] = ["viewer", "operator", "admin"];
  test.each([
    ["vera", "viewer"],
    ["oli", "operator"],
  ] as const)(
    "the user %s with the role %s gets a one-sentence error on every route that requires a higher role",
    async (name, role) => {
      const above = table().filter((route) => RANKS.indexOf(roleFor(route)) > RANKS.indexOf(role));
      expect(above.length).toBeGreaterThan(5);
      for (const route of above) {
        const { status, text } = await request(route, name);
        expect(status, `${route.method} ${route.path}`).toBe(403);
        expect(JSON.parse(text).error).toMatchObject({
          code: "FORBIDDEN",
          message: expect.stringMatching(
            new RegExp(`^This needs the role ${roleFor(route)}, and ${name} is an? ${role}\\.`),
          ),
        });
      }
    },
  );

  test("[26.5] a named admin gets no link to other projects of the user who runs the server", async () => {
    await expect(as("ada").post("/api/projects/{project}/link", { project: "p1" })).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    await expect(holder().post("/api/projects/{project}/link", { project: "p1" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    expect(await as("ada").get("/api/projects")).toEqual({ projects: [] });
  });

  test("a viewer cannot approve a call; an operator can, and the journal names the operator", async () => {
    const { runId } = await as("ann").post("/api/runs", { body: { agent: "clerk", task: "pay once" } });
    const [item] = await waitForApprovals({ client: as("ann") }, runId);
    await expect(
      as("vera").post("/api/approvals/{id}", { id: item!.id, body: { decision: "approve" } }),
    ).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    await expect(
      as("ann").post("/api/approvals/{id}", { id: item!.id, body: { decision: "approve", scope: "always" } }),
    ).rejects.toMatchObject({
      code: "FORBIDDEN",
      message: expect.stringContaining("needs the role admin"),
    });
    await as("ann").post("/api/approvals/{id}", { id: item!.id, body: { decision: "approve" } });
    const events = await eventsUntil({ client: as("ann") }, runId, isEnd);
    expect(events.find(({ type }) => type === "APPROVAL_DECIDED")?.payload).toMatchObject({ by: "ann" });
    expect(events[0]!.payload).toMatchObject({ userId: "ann" });
    const again = await as("ada").post("/api/runs/{id}/retry", { id: runId });
    const [started] = await holder().events(again.runId);
    expect(started!.payload).toMatchObject({ userId: "ann", by: "ada" });
    expect((await as("ann").get("/api/runs/{id}", { id: again.runId })).userId).toBe("ann");
  });

  test("[A09] the server ignores a role that a request claims for its sender", async () => {
    const headers = { ...bearer("vera"), "X-Role": "admin", "X-Who": "ada", ...JSON_TYPE };
    const body = JSON.stringify({ name: "eve", role: "admin" });
    expect((await send("/api/users", { method: "POST", headers, body })).status).toBe(403);
    expect(await as("vera").get("/api/me")).toEqual({ name: "vera", role: "viewer", sees: "own" });
    expect(await holder().get("/api/me")).toMatchObject({ name: "maria", role: "admin", sees: "all" });
  });
});

test("[A92] [30.12] the cookie of a named user is no token, and works only with its page key", async () => {
  await admit("kim", "operator");
  const { Cookie, ...key } = await enter(served.server.newLink("kim").url);
  const value = Cookie.split("=")[1]!;
  const me = async (headers: Record<string, string>) => (await send("/api/me", { headers })).status;
  expect(await me({ Cookie, ...key })).toBe(200);
  for (const headers of [
    { Cookie },
    { Cookie, "X-Cadre-Page": value },
    { Authorization: `Bearer ${value}` },
    { Authorization: `Bearer cookie ${value}` },
    { Cookie: Cookie.replace(value, `${value}x`), ...key },
  ])
    expect([headers, await me(headers)]).toEqual([headers, 401]);
});

describe("[A09] rotating a token, revoking access and changing a role", () => {
  async function openStream(name: string, headers = bearer(name) as Record<string, string>) {
    const response = await fetch(`${served.server.url}/api/journal`, { headers });
    const reader = response.body!.getReader();
    await reader.read();
    const end = (async () => {
      for (;;) if ((await reader.read()).done) return "ended";
    })().catch(() => "cut");
    return { end };
  }
  const browser = (name: string) => enter(served.server.newLink(name).url);

  test("after a user's token is rotated or revoked, their streams close and old keys are rejected immediately; other users stay connected", async () => {
    await admit("rob", "operator");
    const signedIn = await browser("rob");
    expect((await send("/api/me", { headers: signedIn })).text).toContain("rob");
    const mine = [await openStream("rob"), await openStream("rob", signedIn)];
    const others = await openStream("oli");
    const old = bearer("rob");
    tokens.set("rob", (await holder().post("/api/users/{name}/rotate", { name: "rob" })).token);
    expect(await Promise.all(mine.map(({ end }) => end))).toEqual(["cut", "cut"]);
    for (const headers of [old, signedIn]) expect((await send("/api/runs", { headers })).status).toBe(401);
    expect((await as("rob").get("/api/me")).name).toBe("rob");
    expect(
      await Promise.race([
        others.end,
        as("oli")
          .get("/api/me")
          .then(() => "open"),
      ]),
    ).toBe("open");

    const last = await openStream("rob");
    const link = new URL(served.server.newLink("rob").url).pathname;
    await holder().delete("/api/users/{name}", { name: "rob" });
    expect(await last.end).toBe("cut");
    expect((await send("/api/runs", { headers: bearer("rob") })).status).toBe(401);
    expect((await send(link, { method: "POST" })).status).toBe(410);
    expect((await holder().get("/api/users")).users).toContainEqual(
      expect.objectContaining({ name: "rob", revokedAt: expect.any(Number) }),
    );
    await expect(
      holder().post("/api/users", { body: { name: "rob", role: "viewer" } }),
    ).rejects.toMatchObject({
      code: "CONFLICT",
    });
  });

  test("a new role applies to the user's token immediately, and connections with the old role are closed", async () => {
    await admit("ron", "viewer");
    const { end } = await openStream("ron");
    await expect(
      as("ron").post("/api/runs", { body: { agent: "clerk", task: "pay" } }),
    ).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    await expect(
      as("oli").post("/api/users/{name}/role", { name: "ron", body: { role: "admin" } }),
    ).rejects.toMatchObject({ code: "FORBIDDEN" });
    await holder().post("/api/users/{name}/role", { name: "ron", body: { role: "operator" } });
    expect(await end).toBe("cut");
    expect(await as("ron").get("/api/me")).toMatchObject({ name: "ron", role: "operator" });
    await as("ron").post("/api/runs", { body: { agent: "clerk", task: "pay" } });
    await expect(
      holder().post("/api/users/{name}/role", { name: "nobody", body: { role: "viewer" } }),
    ).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("an admin who rotates their own token still gets the response with the new token", async () => {
    await admit("abe", "admin");
    const { token } = await as("abe").post("/api/users/{name}/rotate", { name: "abe" });
    tokens.set("abe", token);
    expect((await as("abe").get("/api/me")).name).toBe("abe");
  });

  test("the store keeps only the hash of a key, and the hash itself gives no access", async () => {
    const kept = JSON.stringify(await served.runtime.store.users.list());
    for (const token of tokens.values()) expect(kept).not.toContain(token);
    await expect(
      holder().post("/api/users", { body: { name: "../x", role: "viewer" } }),
    ).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
    await expect(
      holder().post("/api/users", { body: { name: "maria", role: "viewer" } }),
    ).resolves.toMatchObject({
      name: "maria",
    });
  });
});
