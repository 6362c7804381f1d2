import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./listen.ts";
import { isGone as isGoneFor, type Taken } from "./worker-is-gone.ts";

const HOST = "127.0.0.1";
const ME = "box-a-71-f00d";
const isGone = (taken: Taken) => isGoneFor(taken, ME);

async function startListening(worker: string): Promise<{ port: number; close(): Promise<void> }> {
  const server = await listen({ host: HOST, port: 0 }, { worker, handler: () => {} });
  return { ...server.reachedAt(), close: () => server.close() };
}

test("[E10] a worker is gone if nothing listens at its address, or if another worker listens there", async () => {
  const { port, close } = await startListening("w2");
  expect(await isGone({ worker: "w1", host: HOST, port })).toBe(true);
  await close();
  expect(await isGone({ worker: "w2", host: HOST, port })).toBe(true);
});

test("[E10] a worker that answers is not gone, even while it is stopping", async () => {
  const server = await listen({ host: HOST, port: 0 }, { worker: "w1", handler: () => {} });
  onTestFinished(() => server.close());
  const taken = { worker: "w1", ...server.reachedAt() };
  expect(await isGone(taken)).toBe(false);
  server.refuse();
  expect(await isGone(taken)).toBe(false);
});

test("[E10] if the asking worker now listens at the old worker's address, the old worker is gone only if both ran on the same machine", async () => {
  const { port, close } = await startListening(ME);
  onTestFinished(close);
  expect(await isGone({ worker: "box-a-70-beef", host: HOST, port })).toBe(true);
  expect(await isGone({ worker: "box-b-70-beef", host: HOST, port })).toBe(false);
});

test("[E10] a worker that accepts a connection but does not answer is not considered gone", async () => {
  const silent = createServer(() => {}).listen(0, HOST);
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  expect(await isGone({ worker: "w1", host: HOST, port })).toBe(false);
});
