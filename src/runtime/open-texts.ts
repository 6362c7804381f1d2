// The text that open calls have streamed so far, for a reader that begins in the middle. The memory is bounded: the oldest texts go first.

import type { RunId } from "../ids.ts";
import type { Delta } from "../journal/deltas.ts";

export interface OpenTexts {
  add(delta: Delta): void;
  /** The texts of these runs. A text can belong to a call that has ended in the meantime. The journal shows which calls have ended. */
  of(runs: ReadonlySet<RunId>): Delta[];
}

/** Longest text of one call, and of all calls together, in characters. */
const LONGEST = 200_000;
const LIMIT = 4_000_000;

export function createOpenTexts(longest = LONGEST, limit = LIMIT): OpenTexts {
  const texts = new Map<string, Delta>();
  let total = 0;
  return {
    add(delta) {
      const key = `${delta.type} ${delta.runId} ${delta.callId}`;
      const before = texts.get(key);
      const kept = before?.attempt === delta.attempt ? before.text : "";
      const text = (kept + delta.text).slice(-longest);
      // Setting the key again makes it the newest.
      texts.delete(key);
      texts.set(key, { ...delta, text });
      total += text.length - (before?.text.length ?? 0);
      for (const [old, { text: dropped }] of texts) {
        if (total <= limit) return;
        texts.delete(old);
        total -= dropped.length;
      }
    },
    of: (runs) =>
      [...texts.values()].filter(({ runId }) => runs.has(runId)).map((delta) => ({ ...delta, whole: true })),
  };
}
