// Whether the process that listened at an address is gone. Only a refusal says so: a frozen process still has its port, and
// silence may be the network's.

import { connect } from "node:net";

const PATIENCE_MS = 1_000;

export function isGone({ host, port }: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PATIENCE_MS });
    const answer = (gone: boolean) => () => {
      socket.destroy();
      resolve(gone);
    };
    socket.on("connect", answer(false));
    socket.on("timeout", answer(false));
    socket.on("error", (error: NodeJS.ErrnoException) => answer(error.code === "ECONNREFUSED")());
  });
}
