// Tests over real sockets how the server treats clients that send slowly, send nothing, or send too much.
// These tests use short limits. A separate test checks the default limits.

import { Agent, get } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { toCadreError } from "../../errors.ts";
import { readBody } from "../routes/request.ts";
import { MessageBody } from "../routes/run-actions.ts";
import { errorBody, statusOf } from "./http-errors.ts";
import { createHttpServer, HTTP_LIMITS, type HttpLimits, type Served } from "./http-server.ts";

const SHORT: HttpLimits = {
  headersMs: 300,
  requestMs: 600,
  silentMs: 60_000,
  lookMs: 20,
  connections: 300,
};
/** Interval between two pieces that a slow client sends. */
const DRIP_MS = 20;

let server: Served;
let port: number;
const opened: Socket[] = [];
const failures: unknown[] = [];

beforeEach(async () => {
  const app = new Hono();
  app.get("/", (c) => c.text("here"));
  app.post("/", async (c) => c.json(await readBody(c, MessageBody)));
  app.onError((error) => {
    failures.push(error);
    const failure = toCadreError(error);
    return Response.json(errorBody(failure), { status: statusOf(failure) });
  });
  app.get("/stream", (c) => c.body(new ReadableStream({ start: (to) => to.enqueue(new Uint8Array([46])) })));
  const { server: http, close } = createHttpServer(app, SHORT);
  server = { close };
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  port = (http.address() as { port: number }).port;
});
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  failures.length = 0;
  await server.close();
});

test("the default limits are 10 seconds for the headers, 30 seconds for a request and 60 seconds without traffic", () => {
  const { server: http } = createHttpServer(new Hono());
  expect(http).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, timeout: 60_000 });
  expect(http.maxConnections).toBe(HTTP_LIMITS.connections);
});

describe("[A15] [G8] clients that send slowly or send nothing", () => {
  test("a client whose headers never end is disconnected, even if it keeps sending bytes", async () => {
    const { answer, dripped } = await sendSlowly("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", "y");
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(dripped).toBeGreaterThan(3);
  });

  test("a client that sends its body byte by byte is disconnected", async () => {
    const head =
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n";
    const { answer, dripped } = await sendSlowly(head, " ");
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(dripped).toBeGreaterThan(3);
    // A slow body is the client's mistake, so the error has the status 400.
    await expect.poll(() => failures).toMatchObject([{ status: 400 }]);
  });

  test("a client that slowly sends a chunked body of unknown length is disconnected", async () => {
    const head = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect((await sendSlowly(head, "1\r\n \r\n")).answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("the server closes silent connections; while they are open, it still answers other clients", async () => {
    const idle = await Promise.all(Array.from({ length: 250 }, () => open()));
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("here");
    await Promise.all(idle.map(waitForClose));
  });

  test("a stream stays open while a client reads it", async () => {
    const response = await fetch(`http://127.0.0.1:${port}/stream`);
    const reader = response.body!.getReader();
    await reader.read();
    const more = reader.read().then(() => "ended");
    await waitForClose(await open());
    await sendSlowly("GET / HTTP/1.1\r\nX-Slow: ", "y");
    expect(await Promise.race([more, Promise.resolve("open")])).toBe("open");
    await reader.cancel();
  });
});

test("[A15] [G8] the server closes connections beyond the limit; when some connections end, it accepts new ones", async () => {
  const first = await Promise.all(
    Array.from({ length: SHORT.connections }, async () => {
      const socket = await open();
      // Request a stream, so that the connection stays open.
      socket.write("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await new Promise((resolve) => socket.once("data", resolve));
      return socket;
    }),
  );
  await waitForClose(await open());
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow("fetch failed");
  for (const socket of first.slice(0, 10)) socket.destroy();
  const again = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(again).toBe(200);
});

/** Sends a piece of data repeatedly until the server disconnects the client. */
async function sendSlowly(head: string, piece: string): Promise<{ answer: string; dripped: number }> {
  const socket = await open();
  let answer = "";
  let dripped = 0;
  socket.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
  });
  socket.write(head);
  const drip = setInterval(() => {
    socket.write(piece);
    dripped++;
  }, DRIP_MS);
  await waitForClose(socket);
  clearInterval(drip);
  return { answer, dripped };
}

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    opened.push(socket);
    socket.once("error", reject);
    // Ignore the error: the server disconnected while the client was sending.
    socket.on("error", () => {});
  });
}

const waitForClose = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve();
    socket.once("close", () => resolve());
    socket.resume();
  });

test("[G10] [36.11] a new client gets its answer soon, even if connected clients keep sending requests", async () => {
  let handled = 0;
  const app = new Hono().get("/", (c) => {
    const until = performance.now() + 1;
    while (performance.now() < until);
    return c.text(String(++handled));
  });
  const { server, close } = createHttpServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const stop = new AbortController();
  const CLIENTS = 40;
  const ask = (agent: Agent) =>
    new Promise<void>((resolve) => {
      const asked = get(url, { agent }, (response) => response.resume().once("close", resolve));
      asked.once("error", () => resolve());
    });
  const busy = Array.from({ length: CLIENTS }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!stop.signal.aborted) await ask(agent);
    agent.destroy();
  });
  await expect.poll(() => handled, { timeout: 20_000 }).toBeGreaterThan(5 * CLIENTS);
  const before = handled;
  const agents = Array.from({ length: CLIENTS }, () => new Agent());
  const waits = await Promise.all(agents.map((agent) => ask(agent).then(() => handled - before)));
  stop.abort();
  await Promise.all(busy);
  await close();
  expect(Math.max(...waits)).toBeLessThan(8 * CLIENTS);
});
