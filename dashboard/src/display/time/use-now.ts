import { createContext, useContext, useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
let held = false;

/**
 * The current time. One clock for the whole page updates it once a second.
 * The time does not change if `still` is set, or if the page shows a past moment.
 */
export function useNow(still = false): number {
  const moment = useContext(Moment);
  const present = useSyncExternalStore(still || moment !== undefined ? never : subscribe, () => now);
  return moment ?? present;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    // Updates the time immediately, because the clock stopped while it had no listeners.
    tick();
    timer = setInterval(tick, 1_000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  if (held) return;
  now = Date.now();
  for (const each of listeners) each();
}

/** Stops the clock while the server is down, because a running clock would suggest that work continues. */
export function stopClock(hold: boolean): void {
  held = hold;
  tick();
}

const never = () => () => {};

/** The past moment that the page shows; undefined if it shows the present. */
export const Moment = createContext<number | undefined>(undefined);
