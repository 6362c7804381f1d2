import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./listen.ts";
import { isGone as isGoneFor, type Taken } from "./worker-is-gone.ts";

const HOST = "127.0.0.1";
const ME = "box-a-71-f00d";
const isGone = (taken: Taken) => isGoneFor(taken, ME);

async function listening(worker: string): Promise<{ port: number; close(): Promise<void> }> {
  const server = await listen({ host: HOST, port: 0 }, { worker, handler: () => {} });
  return { ...server.reachedAt(), close: () => server.close() };
}

test("[E10] a worker is gone when nobody listens where it was, or another worker does", async () => {
  const { port, close } = await listening("w2");
  expect(await isGone({ worker: "w1", host: HOST, port })).toBe(true);
  await close();
  expect(await isGone({ worker: "w2", host: HOST, port })).toBe(true);
});

test("[E10] a worker that answers is not gone, also while it stops", async () => {
  const server = await listen({ host: HOST, port: 0 }, { worker: "w1", handler: () => {} });
  onTestFinished(() => server.close());
  const taken = { worker: "w1", ...server.reachedAt() };
  expect(await isGone(taken)).toBe(false);
  server.refuse();
  expect(await isGone(taken)).toBe(false);
});

test("[E10] where one reaches oneself, who was there on the same machine is gone; of others nothing is known", async () => {
  const { port, close } = await listening(ME);
  onTestFinished(close);
  expect(await isGone({ worker: "box-a-70-beef", host: HOST, port })).toBe(true);
  expect(await isGone({ worker: "box-b-70-beef", host: HOST, port })).toBe(false);
});

test("[E10] one that takes a connection and says nothing is not known to be gone", async () => {
  const silent = createServer(() => {}).listen(0, HOST);
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  expect(await isGone({ worker: "w1", host: HOST, port })).toBe(false);
});
