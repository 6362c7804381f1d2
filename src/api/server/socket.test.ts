// Tests the server and the client of the socket with a small app.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Served } from "./http-server.ts";
import { SOCKET_KEY_HEADER, serveOnSocket, socketFetch } from "./socket.ts";

let folder: string;
let path: string;
let served: Served | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cadre-socket-"));
  path = join(folder, "cadre.sock");
});

afterEach(async () => {
  await served?.close();
  served = undefined;
  rmSync(folder, { recursive: true, force: true });
});

test("only the owner can open the socket, and the folder contains no other files", async () => {
  served = await serveOnSocket(new Hono(), path, "key");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["cadre.sock"]);
  await served.close();
  served = undefined;
  expect(readdirSync(folder)).toEqual([]);
});

test("the server replaces a socket that a crash left behind", async () => {
  const script = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
  spawnSync(process.execPath, ["-e", script]);
  expect(statSync(path).isSocket()).toBe(true);
  await expect(socketFetch(path, () => "key")("http://cadre/")).rejects.toThrow("ECONNREFUSED");
  served = await serveOnSocket(
    new Hono().get("/", (c) => c.text("here")),
    path,
    "key",
  );
  expect(await (await socketFetch(path, () => "key")("http://cadre/")).text()).toBe("here");
  await served.close();
  writeFileSync(path, "a file");
  served = await serveOnSocket(
    new Hono().get("/", (c) => c.text("again")),
    path,
    "key",
  );
  expect(await (await socketFetch(path, () => "key")("http://cadre/")).text()).toBe("again");
});

test("serving in a missing folder fails with an error instead of hanging", async () => {
  await expect(serveOnSocket(new Hono(), join(folder, "none", "cadre.sock"), "key")).rejects.toThrow(
    "ENOENT",
  );
});

test("the server receives the method, path, query, headers and body; the client receives the status and headers", async () => {
  const app = new Hono().post("/a/:id", async (c) => {
    c.header("X-Answer", "yes");
    const said = {
      id: c.req.param("id"),
      q: c.req.query("q"),
      header: c.req.header("X-Ask"),
      body: await c.req.json(),
    };
    return c.json(said, 418);
  });
  served = await serveOnSocket(app, path, "key");
  const response = await socketFetch(path, () => "key")("http://cadre/a/b%20c?q=1%262", {
    method: "POST",
    headers: { "X-Ask": "really", "Content-Type": "application/json" },
    body: JSON.stringify({ text: "grüße" }),
  });
  expect(response.status).toBe(418);
  expect(response.headers.get("X-Answer")).toBe("yes");
  expect(await response.json()).toEqual({ id: "b c", q: "1&2", header: "really", body: { text: "grüße" } });
});

test("aborting a request ends it in the client and in the server", async () => {
  let cancelled = () => {};
  const seen = new Promise<void>((resolve) => (cancelled = resolve));
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("first")),
    cancel: () => cancelled(),
  });
  served = await serveOnSocket(
    new Hono().get("/", () => new Response(body)),
    path,
    "key",
  );
  const stop = new AbortController();
  const response = await socketFetch(path, () => "key")("http://cadre/", { signal: stop.signal });
  const reader = response.body!.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("first");
  stop.abort();
  await expect(reader.read()).rejects.toThrow("abort");
  await seen;
});

test("a server that is closing still answers a write that is under way, but ends its streams", async () => {
  let begun = () => {};
  const isBegun = new Promise<void>((resolve) => (begun = resolve));
  let finish = () => {};
  const mayFinish = new Promise<void>((resolve) => (finish = resolve));
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("first")),
  });
  const app = new Hono()
    .get("/stream", () => new Response(endless))
    .post("/write", async (c) => {
      begun();
      await mayFinish;
      return c.json({ written: true });
    });
  served = await serveOnSocket(app, path, "key");
  const fetch = socketFetch(path, () => "key");
  const stream = (await fetch("http://cadre/stream")).body!.getReader();
  await stream.read();
  const write = fetch("http://cadre/write", { method: "POST" });
  await isBegun;
  const closing = served.close();
  served = undefined;
  await vi.waitFor(() => expect(existsSync(path)).toBe(false));
  await nextTurn();
  finish();
  expect(await (await write).json()).toEqual({ written: true });
  await closing;
  await expect(stream.read()).rejects.toThrow();
  await expect(fetch("http://cadre/write")).rejects.toThrow("ENOENT");
});

describe("[A93] [30.10] the key of the socket", () => {
  let reached = 0;
  beforeEach(async () => {
    reached = 0;
    const app = new Hono().all("*", (c) => {
      reached++;
      return c.text("here");
    });
    served = await serveOnSocket(app, path, "right");
  });

  test.each([undefined, "", "wrong", "righ", "rightt", "right,right", "Right"])(
    "a request with the key %j is refused before it reaches the app",
    async (key) => {
      for (const [method, where] of [
        ["GET", "/api/health"],
        ["GET", "/api/approvals"],
        ["POST", "/api/approvals/a1"],
        ["POST", "/control/serve"],
        ["OPTIONS", "/"],
      ] as const) {
        const response = await socketFetch(path, () => key)(`http://cadre${where}`, { method });
        expect(response.status).toBe(401);
        expect(await response.json()).toMatchObject({ error: { code: "UNAUTHORIZED" } });
      }
      expect(reached).toBe(0);
    },
  );

  test("the key counts only in its header", async () => {
    const fetch = socketFetch(path, () => undefined);
    const headers = { Authorization: "Bearer right", Cookie: `${SOCKET_KEY_HEADER}=right` };
    expect((await fetch(`http://cadre/?${SOCKET_KEY_HEADER}=right`, { headers })).status).toBe(401);
    expect((await socketFetch(path, () => "right")("http://cadre/")).status).toBe(200);
    expect(reached).toBe(1);
  });

  test("a socket without a key is not served", async () => {
    await expect(serveOnSocket(new Hono(), join(folder, "other.sock"), "")).rejects.toThrow("without a key");
  });
});
