// The network between a worker and its database, as far as a test can cut it: while it is split, nothing comes through in
// either direction and nobody is told; when it heals, what was on its way arrives late. A connection may also die alone.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Proxy {
  /** The address of the same database, through here. */
  url: string;
  split(): void;
  /** Those that are there are dead without a word, until it heals; new ones come through. */
  deaden(): void;
  heal(): void;
  close(): Promise<void>;
}

export async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isSplit = false;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => to.write(bytes));
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isSplit) from.pause();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const pause = (): void => {
    for (const socket of sockets) socket.pause();
  };
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    split() {
      isSplit = true;
      pause();
    },
    deaden: pause,
    heal() {
      isSplit = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
