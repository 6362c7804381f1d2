import { useContext, useSyncExternalStore } from "react";
import { Moment } from "./moment.ts";

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, once a second; one clock for the whole page. Not while `still`, or at a past moment: then nothing is drawn anew. */
export function useNow(still = false): number {
  const moment = useContext(Moment);
  const present = useSyncExternalStore(still || moment !== undefined ? never : subscribe, () => now);
  return moment ?? present;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const never = () => () => {};
