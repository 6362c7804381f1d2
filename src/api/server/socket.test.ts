// Tests the server and the client of the socket with a small app.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Hono } from "hono";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Served } from "./http-server.ts";
import { serveOnSocket, socketFetch } from "./socket.ts";

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
  served = await serveOnSocket(new Hono(), path);
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
  await expect(socketFetch(path)("http://cadre/")).rejects.toThrow("ECONNREFUSED");
  served = await serveOnSocket(
    new Hono().get("/", (c) => c.text("here")),
    path,
  );
  expect(await (await socketFetch(path)("http://cadre/")).text()).toBe("here");
  await served.close();
  writeFileSync(path, "a file");
  served = await serveOnSocket(
    new Hono().get("/", (c) => c.text("again")),
    path,
  );
  expect(await (await socketFetch(path)("http://cadre/")).text()).toBe("again");
});

test("serving in a missing folder fails with an error instead of hanging", async () => {
  await expect(serveOnSocket(new Hono(), join(folder, "none", "cadre.sock"))).rejects.toThrow("ENOENT");
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
  served = await serveOnSocket(app, path);
  const response = await socketFetch(path)("http://cadre/a/b%20c?q=1%262", {
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
  );
  const stop = new AbortController();
  const response = await socketFetch(path)("http://cadre/", { signal: stop.signal });
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
  served = await serveOnSocket(app, path);
  const fetch = socketFetch(path);
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
