// Whether the worker that listened at an address is gone: nothing is listening there, or another worker does. A frozen one still
// has its port, and silence may be the network's: both say nothing. One's own answer counts only for who was on the same
// machine, and was started again there: an address that leads here may lead elsewhere for others (each container has its
// own 127.0.0.1).

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
      const isOther = there !== undefined && there !== worker;
      answer(isOther && (there !== me || machineOf(worker) === machineOf(me)));
    });
  });
}

/** Workers are called by their machine, process and a word of their own (`runtime.ts`). */
const machineOf = (worker: string): string => worker.split("-").slice(0, -2).join("-");
