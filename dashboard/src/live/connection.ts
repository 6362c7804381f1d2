// U19: the state of the connection to the server. The feed sets the state, and every page shows it.

import { useSyncExternalStore } from "react";

export interface Connection {
  state: "connecting" | "live" | "lost" | "signed-out";
  since: number;
  /** Number of events that arrived right after a reconnect. */
  caughtUp?: number;
}

let connection: Connection = { state: "connecting", since: Date.now() };
const listeners = new Set<() => void>();

export function setConnection(next: Omit<Connection, "since">): void {
  const since = next.state === connection.state ? connection.since : Date.now();
  connection = { ...next, since };
  for (const listener of listeners) listener();
}

export const currentConnection = (): Connection => connection;

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, currentConnection);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
