// Attacks the access checks over real HTTP, with requests from web pages, proxies and programs.

import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { assembleRuntime } from "../../runtime/assembly.ts";
import { encodeFile } from "../../stores/hashes.ts";
import { createAccessKeys } from "../access/keys.ts";
import { payTool } from "../fixtures/api.fixture.ts";
import { noUsers, publicProject, TOKEN } from "../fixtures/public-server.fixture.ts";
import { BUILT_PAGE, createPublicApp } from "./public-server.ts";

const { served, send, withToken, enter, runCount, problems } = publicProject((folder) =>
  assembleRuntime({
    folder,
    home: folder,
    env: { XDG_CONFIG_HOME: folder },
    tools: [payTool().tool],
    scripts: { clerk: () => ({ text: "done" }) },
  }),
);

const JSON_TYPE = { "Content-Type": "application/json" };
const START = JSON.stringify({ agent: "clerk", task: "pay" });

const refusals: [string, number, Parameters<typeof send>][] = [
  [
    "[A01] a simple POST from a page of another origin",
    403,
    [
      "/api/runs",
      { method: "POST", headers: { Origin: "https://evil.test", "Content-Type": "text/plain" }, body: START },
    ],
  ],
  [
    "[A01] a simple POST without an Origin header",
    401,
    ["/api/runs", { method: "POST", headers: { "Content-Type": "text/plain" }, body: START }],
  ],
  [
    "[A04] a request with neither an Origin header nor a token",
    401,
    ["/api/runs", { method: "POST", headers: JSON_TYPE, body: START }],
  ],
  [
    "[A05] a form submitted by a page of another site",
    403,
    [
      "/api/approvals/1",
      {
        method: "POST",
        headers: {
          "Sec-Fetch-Site": "cross-site",
          "Sec-Fetch-Mode": "navigate",
          "Content-Type": "text/plain",
        },
        body: "x=1",
      },
    ],
  ],
  [
    "[A07] an EventSource request from a page of another origin",
    403,
    ["/api/events", { headers: { Origin: "http://evil.test", Accept: "text/event-stream" } }],
  ],
  ["[A08] a token in the URL", 401, [`/api/runs?token=${TOKEN}`]],
  [
    "[A08] a token sent as Basic authentication",
    401,
    ["/api/runs", { headers: { Authorization: `Basic ${Buffer.from(`x:${TOKEN}`).toString("base64")}` } }],
  ],
  [
    "[A09] a request that claims a role",
    401,
    ["/api/runs", { headers: { "X-Role": "admin", Authorization: "Bearer admin" } }],
  ],
  [
    "[A12] a request with proxy headers that claim it comes from this machine",
    401,
    [
      "/api/runs",
      {
        headers: {
          "X-Forwarded-For": "127.0.0.1",
          Forwarded: "for=127.0.0.1",
          "X-Forwarded-Host": "localhost",
        },
      },
    ],
  ],
];

test.each(refusals)("%s is rejected", async (_, status, [path, sent]) => {
  const before = await runCount();
  const answer = await send(path, sent);
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text).error.message).toMatch(/\w/);
  expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  expect(await runCount()).toBe(before);
});

describe("[A02] requests from other origins with valid credentials", () => {
  test.each(["https://evil.test", "null", "http://127.0.0.1", "http://localhost:1"])(
    "a request with the origin %s is rejected",
    async (Origin) => {
      const answer = await withToken("/api/runs", { headers: { Origin } });
      expect(answer.status).toBe(403);
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
      expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
    },
  );
});

describe("[A03] host names that are not the server's own but resolve to this machine", () => {
  const hosts = [
    "rebind.evil.test",
    "127.0.0.1.evil.test",
    "localhost.evil.test",
    "evil.test#localhost",
    "localhost@evil.test",
    "192.168.1.1",
    "[::2]",
  ];
  test.each(hosts)("the host %j is rejected for every kind of path", async (Host) => {
    for (const path of [
      "/",
      "/assets/index.js",
      "/api/runs",
      "/api/events",
      "/healthz",
      "/open/x",
      "/none",
    ]) {
      expect((await withToken(path, { headers: { Host } })).status, path).toBeOneOf([400, 421]);
    }
  });
  test.each(["localhost:9000", "LOCALHOST", "[::1]", "127.0.0.1:1", "cadre.example"])(
    "the host %s is accepted",
    async (Host) => {
      expect((await withToken("/api/runs", { headers: { Host } })).status).toBe(200);
    },
  );
});

test("[A11] another spelling of a path does not bypass the access checks", async () => {
  const paths = [
    "//api//runs",
    "/API/runs",
    "/assets/..%2f..%2f.env",
    "/assets/..%5c..%5c.env",
    "/api/runs/%2e%2e/%2e%2e/config",
    "/api/../healthz/../api/runs",
    "/healthz/../api/runs",
    "/healthz%2f..%2fapi/runs",
    "/open/x/../../api/runs",
    "/healthz/",
    "/open/",
  ];
  for (const path of paths) expect((await send(path)).status, path).toBe(401);
});

test("[A11] a name or id that contains a slash is found; extra slashes lead to no other route", async () => {
  for (const path of [
    "/api/agents/ops/coding",
    "/api/agents/ops%2Fcoding",
    "/api/agents/ops/coding/explain",
  ]) {
    expect((await send(path)).status, path).toBe(401);
    expect((await withToken(path)).status, path).toBe(200);
  }
  const nobodys = "/api/approvals/r0000000000000000000000:budget/1";
  const errorMessage = (answer: { text: string }) => JSON.parse(answer.text).error.message as string;
  expect(errorMessage(await withToken(nobodys))).toMatch(/^There is no approval/);
  for (const path of ["/api/agents//ops/coding", "/api/agents/ops//coding", "/api/agents/ops/coding/"])
    expect(errorMessage(await withToken(path)), path).toMatch(/^There is no GET/);
  expect(JSON.parse((await withToken("/api/agents/ops/../../runs")).text)).toHaveProperty("runs");
});

test("[A14] every route requires the token, except the health check, the one-time links and hooks, which have a proof of their own", async () => {
  const keys = createAccessKeys(TOKEN);
  const { routes } = createPublicApp(
    served.parts,
    { keys, visitors: noUsers },
    {
      host: "127.0.0.1",
      port: 0,
      names: [],
      page: BUILT_PAGE,
    },
  );
  const real = routes.filter(({ method, path }) => method !== "ALL" && path !== "/*");
  expect(real.length).toBeGreaterThan(20);
  for (const { method, path } of real) {
    const answer = await send(path.replace(/:\w+({[^}]+})?/g, "x"), { method, headers: JSON_TYPE });
    const open =
      { "/healthz": 200, "/open.js": 200, "/open/:ticket": 410, [`/hooks/:name`]: 404 }[path] ?? 401;
    expect(answer.status, `${method} ${path}`).toBe(open);
  }
});

describe("[A15] requests that try to exhaust the server", () => {
  test("a body of 100 MB is rejected", async () => {
    const body = Buffer.alloc(100 * 1024 * 1024, " ");
    const answer = await withToken("/api/runs", { method: "POST", headers: JSON_TYPE, body }).catch(
      (error) => error,
    );
    // The server might close the connection before it can answer 413.
    expect([413, "EPIPE", "ECONNRESET"]).toContain(answer.status ?? answer.code);
  });
  test("JSON that is nested 100,000 levels deep is rejected", async () => {
    const input = "[".repeat(100_000) + "]".repeat(100_000);
    const body = `{"agent":"clerk","task":"pay","input":${input}}`;
    const answer = await withToken("/api/runs", { method: "POST", headers: JSON_TYPE, body });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("nested deeper than 100");
  });
  test("a request with 10,000 headers is rejected", async () => {
    const headers = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`X-${index}`, "y"]));
    const answer = await withToken("/api/runs", { headers }).catch((error) => error);
    expect([431, "EPIPE", "ECONNRESET"]).toContain(answer.status ?? answer.code);
  });
});

test("[A19] a one-time link gives a browser its cookie, and only requests with that exact cookie are accepted", async () => {
  const link = new URL(served.server.newLink().url);
  // Link previews and scanners of messages send HEAD and GET requests, some of them twice. None of them uses up the link.
  for (const method of ["HEAD", "GET", "GET"])
    expect((await send(link.pathname, { method })).headers["set-cookie"]).toBeUndefined();
  expect(
    (await send(link.pathname, { method: "POST", headers: { Origin: "http://evil.test" } })).status,
  ).toBe(403);
  const first = await send(link.pathname, { method: "POST" });
  expect(first.status).toBe(200);
  const [cookie] = first.headers["set-cookie"]!;
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
  const key = { "X-Cadre-Page": JSON.parse(first.text).pageKey as string };
  const Cookie = cookie!.split(";")[0]!;
  const runsWith = async (headers: Record<string, string>) => (await send("/api/runs", { headers })).status;
  expect(await runsWith({ Cookie, ...key })).toBe(200);
  expect(await runsWith({ Cookie: `${Cookie}x`, ...key })).toBe(401);
  expect(await runsWith({ Cookie, ...key, Authorization: "Bearer wrong" })).toBe(401);
  for (const method of ["GET", "POST"]) expect((await send(link.pathname, { method })).status).toBe(410);
  expect(await runsWith({ Cookie, ...key, Origin: served.server.url })).toBe(200);
});

describe("[A92] [30.12] a server on another port that gets the cookie", () => {
  test("[G11] cannot use it without the page key, as a token, or with another browser's page key", async () => {
    const mine = await enter(served.server.newLink().url);
    const other = await enter(served.server.newLink().url);
    const { Cookie } = mine;
    const value = Cookie.split("=")[1]!;
    const hash = value.split(".")[0]!.split("-").at(-1)!;
    const attempts: Record<string, string>[] = [
      { Cookie },
      { Cookie, "X-Cadre-Page": "" },
      { Cookie, "X-Cadre-Page": hash },
      { Cookie, "X-Cadre-Page": other["X-Cadre-Page"] },
      { Cookie, "X-Cadre-Page": `${other["X-Cadre-Page"]},${hash},,undefined` },
      { Cookie, "X-Cadre-Page": `${"x,".repeat(5)}${mine["X-Cadre-Page"]}` },
      { Cookie: `${Cookie.replace(hash, "")}`, "X-Cadre-Page": "" },
      { Authorization: `Bearer ${value}` },
      { Authorization: `Bearer ${mine["X-Cadre-Page"]}` },
      { "X-Cadre-Page": mine["X-Cadre-Page"] },
    ];
    for (const headers of attempts)
      for (const path of ["/api/runs", "/api/events", "/api/token", "/v1/models", "/mcp"])
        expect([path, headers, (await send(path, { headers })).status]).toEqual([path, headers, 401]);
    const two = `${other["X-Cadre-Page"]}, ${mine["X-Cadre-Page"]}`;
    expect((await send("/api/runs", { headers: { Cookie, "X-Cadre-Page": two } })).status).toBe(200);
  });

  test("a request without the page key gets only attached files and the page's own files, which are the same for everyone", async () => {
    const { Cookie } = await enter(served.server.newLink().url);
    const get = async (path: string, method = "GET") =>
      (await send(path, { method, headers: { Cookie } })).status;
    for (const path of ["/", "/inbox", "/r/x", "/agents/team%2Fcoder", "/openapi.json", "/docs"])
      expect([path, await get(path)]).toEqual([path, 200]);
    for (const path of [
      "/r/x/y",
      "/inbox/x",
      "/api",
      "/api/runs/x/attachments/y",
      "//api/runs",
      "/r/../api/runs",
    ])
      expect([path, await get(path)]).toEqual([path, 401]);
    expect(await get("/", "POST")).toBe(401);
    // An image is shown by its address, so its request carries the cookie alone.
    expect(await get(`/api/runs/x/attachments/${encodeFile(Buffer.from("x")).name}`)).toBe(404);
  });
});

test("[A05] a POST with the token needs neither a body nor a content type; a POST with a cookie needs JSON", async () => {
  const post = { method: "POST" };
  const start = await withToken("/api/runs", { ...post, headers: JSON_TYPE, body: START });
  const { runId } = JSON.parse(start.text) as { runId: string };
  expect((await withToken("/api/agents/reload", post)).status).toBe(200);
  expect((await withToken(`/api/runs/${runId}/pause`, post)).status).toBe(202);
  expect((await withToken("/api/runs", post)).status).toBe(400);
  const link = new URL(served.server.newLink().url);
  const signedIn = await enter(link.href);
  const cancel = `/api/runs/${runId}/cancel`;
  expect((await send(cancel, { ...post, headers: signedIn })).status).toBe(415);
  expect((await withToken(cancel, { ...post, body: "{}" })).status).toBe(415);
  const chunked = { "Transfer-Encoding": "chunked", "Content-Type": "text/plain" };
  expect((await withToken(cancel, { ...post, headers: chunked, body: "{}" })).status).toBe(415);
  expect((await withToken(cancel, post)).status).toBe(202);
});

test("[A07] a WebSocket upgrade is rejected", async () => {
  const { hostname, port } = new URL(served.server.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET /api/events HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  );
  const [head] = (await new Promise<Buffer>((resolve) => socket.once("data", resolve)))
    .toString()
    .split("\r\n");
  socket.destroy();
  expect(head).toBe("HTTP/1.1 403 Forbidden");
});

test("[A09] a new token ends all access through the old token: requests, cookies, links and streams", async () => {
  const link = new URL(served.server.newLink().url);
  const signedIn = await enter(link.href);
  const later = new URL(served.server.newLink().url);
  const stream = await fetch(`${served.server.url}/api/events`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  const reader = stream.body!.getReader();
  await reader.read();
  const next = "another-token-that-is-long-enough";
  served.server.replaceToken(next);
  await expect(reader.read()).rejects.toThrow("terminated");
  expect((await withToken("/api/runs")).status).toBe(401);
  expect((await send("/api/runs", { headers: signedIn })).status).toBe(401);
  expect((await send(later.pathname)).status).toBe(410);
  expect((await send("/api/runs", { headers: { Authorization: `Bearer ${next}` } })).status).toBe(200);
  served.server.replaceToken(TOKEN);
});

test("[A09] the browser that requests a new token stays signed in; the other browsers are signed out", async () => {
  const [mine, other] = [await enter(served.server.newLink().url), await enter(served.server.newLink().url)];
  const opened = served.parts.web;
  opened.served = {
    newLink: served.server.newLink,
    renewToken: () => served.server.replaceToken("another-token-that-is-long-enough"),
  };
  const asked = { method: "POST", headers: { ...JSON_TYPE, ...mine }, body: "{}" };
  const answer = await send("/api/token", asked);
  expect(answer.status).toBe(201);
  const renewed = answer.headers["set-cookie"]![0]!.split(";")[0]!;
  expect((await send("/api/runs", { headers: { ...mine, Cookie: renewed } })).status).toBe(200);
  for (const headers of [mine, other]) expect((await send("/api/runs", { headers })).status).toBe(401);
  served.server.replaceToken(TOKEN);
  delete opened.served;
});

test("[U47] a rejected browser gets a page that the content security policy allows; a rejected program gets JSON", async () => {
  const Accept = "text/html,application/xhtml+xml,*/*;q=0.8";
  const asked: [string, number, RegExp, Promise<{ status: number; text: string; headers: object }>][] = [
    [
      "no cookie",
      401,
      /not signed in[\s\S]*Nothing is lost[\s\S]*in a terminal[\s\S]*<code>node &#39;\/it&#39;&#39;s here\/cadre.js&#39; -C \/p up</,
      send("/r/x", { headers: { Accept } }),
    ],
    ["an old link", 410, /used already[\s\S]*-C \/p up</, send("/open/old", { headers: { Accept } })],
    ["no such page", 404, /no such page[\s\S]*All runs/, withToken("/<b>none", { headers: { Accept } })],
  ];
  for (const [name, status, words, answer] of asked) {
    const { text, headers, ...rest } = await answer;
    expect(rest.status, name).toBe(status);
    expect(headers, name).toMatchObject({ "content-type": expect.stringContaining("text/html") });
    expect(text).toMatch(words);
    const [, nonce] = /<style nonce="([^"]+)">/.exec(text)!;
    expect(headers).toMatchObject({
      "content-security-policy": expect.stringContaining(`'nonce-${nonce}'`),
      "cache-control": "no-store",
    });
    expect(text).not.toContain("<b>none");
  }
  for (const answer of [await send("/r/x"), await send("/open/old"), await withToken("/none")])
    expect(JSON.parse(answer.text).error.message).toMatch(/\w/);
  expect(JSON.parse((await withToken("/api/runs/none-such", { headers: { Accept } })).text)).toHaveProperty(
    "error",
  );
});

test("[U47] a server that other machines can reach does not reveal folders of its machine", async () => {
  const options = { host: "0.0.0.0", port: 0, names: [], page: BUILT_PAGE };
  const app = createPublicApp(served.parts, { keys: createAccessKeys(TOKEN), visitors: noUsers }, options);
  const headers = { Accept: "text/html", Host: "127.0.0.1" };
  const text = await (await app.request("/r/x", { headers })).text();
  expect(text).toContain("<code>cadre up</code>");
  expect(text).not.toContain("cadre.js");
});

test("[A10] the headers of every answer stop other sites from using the answer, and stop the page from loading content of other sites", async () => {
  const elsewhere = "/?api=https://evil.test&token=x";
  const answers = [send("/api/runs"), withToken("/api/runs"), withToken("/none"), withToken(elsewhere)];
  for (const answer of await Promise.all(answers)) {
    expect(answer.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(answer.headers["content-security-policy"]).toContain("connect-src 'self'");
    expect(answer.text).not.toContain("evil.test");
    expect(answer.headers).toMatchObject({
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
  }
  expect(problems).toEqual([]);
});
