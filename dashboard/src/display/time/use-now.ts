import { useContext, useSyncExternalStore } from "react";
import { Moment } from "./moment.ts";

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
let held = false;

/** The time, once a second; one clock for the whole page. Not while `still`, or at a past moment: then nothing is drawn anew. */
export function useNow(still = false): number {
  const moment = useContext(Moment);
  const present = useSyncExternalStore(still || moment !== undefined ? never : subscribe, () => now);
  return moment ?? present;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    // While nobody looked it stood still.
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

/** While nobody knows what happens, no time goes on: it would claim that something still runs. */
export function stopClock(hold: boolean): void {
  held = hold;
  tick();
}

const never = () => () => {};
