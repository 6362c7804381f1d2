// A proxy between a worker and its database. A test can cut the connection.
// A split stops the data in both directions, and neither side gets an error. After `heal`, the delayed data arrives.
// A test can also kill the open connections while new connections still work.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Proxy {
  /** The address at which the database can be reached through this proxy. */
  url: string;
  split(): void;
  /** Silently cuts the open connections until `heal`. New connections still work. */
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
