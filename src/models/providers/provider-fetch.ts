// The `fetch` of all provider packages.
//  1  Every byte of a response is a sign of life. The packages pass on only the parts of an answer.
//     They do not pass on the comments and pings with which a provider keeps the connection open while the model thinks.
//  2  A response ends when its answer is finished, even if the connection stays open.
//  3  Only the loop's own limit of silence applies. Node's `fetch` would give up after five minutes.

import { AsyncLocalStorage } from "node:async_hooks";
import { untilFinished } from "./finished-stream.ts";

type OnBytes = () => void;

const listeners = new AsyncLocalStorage<OnBytes>();

/** Calls `onBytes` for everything that arrives in response to the requests that `work` makes. */
export function listenToBytes<T>(onBytes: OnBytes | undefined, work: () => T): T {
  return onBytes ? listeners.run(onBytes, work) : work();
}

export const providerFetch: typeof fetch = async (input, init) => {
  const onBytes = listeners.getStore();
  const response = await fetch(input, { ...init, dispatcher: WITHOUT_TIMEOUTS } as RequestInit);
  if (!onBytes || !response.body) return response;
  onBytes();
  const answer = untilFinished(response.body, response.headers.get("content-type"));
  const body = answer.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        onBytes();
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(body, response);
};

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

/** Under this symbol, Node keeps the dispatcher of `fetch`. If the environment names a proxy, it is the proxy's dispatcher. */
const GLOBAL_DISPATCHER = Symbol.for("undici.globalDispatcher.1");

const WITHOUT_TIMEOUTS: Dispatcher = {
  dispatch(options, handler) {
    const dispatcher = (globalThis as Record<symbol, unknown>)[GLOBAL_DISPATCHER] as Dispatcher;
    return dispatcher.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  },
};
