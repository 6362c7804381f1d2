// Tests event streams over a real socket. Events that were sent use no memory, and the server notices when a reader disconnects.

import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Hono } from "hono";
import { afterEach, expect, test } from "vitest";
import { createHttpServer } from "./http-server.ts";

const FRAME = new TextEncoder().encode("data: {}\n\n");
const FRAMES = 20_000;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

test("[F48] [V2] the memory of a stream does not grow with the number of events it has sent", async () => {
  let stream!: ReadableStreamDefaultController<Uint8Array>;
  const response = await read({
    start(controller) {
      stream = controller;
      stream.enqueue(FRAME);
    },
  });
  // Send each frame after the previous one has arrived. This simulates a reader that keeps up.
  const pass = async (frames: number): Promise<void> => {
    for (let passed = 0; passed < frames; passed++) {
      await once(response, "data");
      stream.enqueue(FRAME);
    }
  };
  await pass(1_000);
  const before = heldBytes();
  await pass(FRAMES);
  // If each frame left a promise behind, the memory would grow by several hundred bytes per frame.
  expect((heldBytes() - before) / FRAMES).toBeLessThan(30);
});

test("[V3] the stream ends if its reader disconnects while nothing is sent", async () => {
  const gone = Promise.withResolvers<void>();
  const response = await read({ start: (to) => to.enqueue(FRAME), cancel: () => gone.resolve() });
  response.destroy();
  await gone.promise;
});

test("[V3] the stream ends if its reader disconnects while the queue is full", async () => {
  const gone = Promise.withResolvers<void>();
  let full = 0;
  const response = await read({
    pull(to) {
      full++;
      to.enqueue(new Uint8Array(1_000_000));
    },
    cancel: () => gone.resolve(),
  });
  response.pause();
  await expect.poll(() => full).toBeGreaterThan(2);
  response.destroy();
  await gone.promise;
});

async function read(source: UnderlyingDefaultSource<Uint8Array>): Promise<IncomingMessage> {
  const app = new Hono();
  app.get(
    "/",
    () => new Response(new ReadableStream(source), { headers: { "Content-Type": "text/event-stream" } }),
  );
  const { server, close } = createHttpServer(app);
  ends.push(close);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(request({ port, host: "127.0.0.1" }).end(), "response")) as [
    IncomingMessage,
  ];
  return response;
}

function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
