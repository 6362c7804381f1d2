// Whether the worker that listened at an address is gone: nobody listens there, or another worker does. A frozen one still
// has its port, and silence may be the network's: both say nothing. Nor does one's own answer: an address that leads here
// may lead elsewhere for others (each container has its own 127.0.0.1).

import { connect } from "node:http2";
import { WORKER_HEADER } from "./listen.ts";

export interface Taken {
  worker: string;
  /** Where it was reached. */
  host: string;
  port: number;
}

const PATIENCE_MS = 1_000;

/** `me`: who asks. */
export function isGone({ worker, host, port }: Taken, me: string): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(`http://${host.includes(":") ? `[${host}]` : host}:${port}`);
    const answer = (gone: boolean): void => {
      clearTimeout(silence);
      session.destroy();
      resolve(gone);
    };
    const silence = setTimeout(() => answer(false), PATIENCE_MS);
    session.on("error", (error: NodeJS.ErrnoException) => answer(error.code === "ECONNREFUSED"));
    const request = session.request({ ":path": "/healthz" }).on("error", () => {});
    request.on("response", (headers) => {
      const there = headers[WORKER_HEADER];
      answer(there !== undefined && there !== worker && there !== me);
    });
  });
}
