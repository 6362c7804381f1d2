// Reads single keys and whole lines from the person at the terminal.
// Input that was typed before a question is shown does not answer the question.

import { createInterface } from "node:readline/promises";
import type { Invocation, Io } from "../invocation.ts";
import type { Screen } from "../view/screen.ts";

export interface Keys {
  /** Reads the next key. Rejects when the signal is aborted. */
  readKey(signal: AbortSignal): Promise<string>;
  /** Reads a line. The line initially contains the text `typed`, which the person can edit. */
  readLine(question: string, signal: AbortSignal, typed?: string): Promise<string>;
}

const SETTLE_MS = 150;
const CTRL_C = "\u0003";

export interface Terminal extends Pick<Io, "stdin" | "stdout"> {
  /** Holds back other output while the person types a line. */
  suspend: Screen["suspend"];
  onInterrupt(): void;
}

export function createKeys({ stdin, stdout, suspend, onInterrupt }: Terminal): Keys {
  return {
    readKey: (signal) =>
      new Promise((resolve, reject) => {
        const from = performance.now();
        const done = (): void => {
          stdin.off("data", onData);
          signal.removeEventListener("abort", onAbort);
          stdin.setRawMode?.(false);
          stdin.pause();
        };
        const onAbort = (): void => {
          done();
          reject(signal.reason);
        };
        const onData = (data: Buffer | string): void => {
          const text = String(data);
          if (text.startsWith(CTRL_C)) onInterrupt();
          // A chunk longer than one character is pasted text or an escape sequence, so it is ignored.
          if (performance.now() - from < SETTLE_MS || text.length !== 1) return;
          done();
          resolve(text);
        };
        if (signal.aborted) return reject(signal.reason);
        stdin.setRawMode?.(true);
        signal.addEventListener("abort", onAbort, { once: true });
        stdin.on("data", onData);
        stdin.resume();
      }),

    async readLine(question, signal, typed) {
      const release = suspend();
      const lines = createInterface({ input: stdin, output: stdout, terminal: stdin.isTTY === true });
      lines.on("SIGINT", onInterrupt);
      try {
        const answer = lines.question(question, { signal });
        if (typed !== undefined) lines.write(typed);
        return await answer;
      } finally {
        lines.close();
        release();
      }
    },
  };
}

/** Any answer other than `y` or `yes` means no. */
export async function confirm({ io, screen }: Invocation, question: string): Promise<boolean> {
  const left = new AbortController();
  const { stdin, stdout } = io;
  const keys = createKeys({ stdin, stdout, suspend: screen.suspend, onInterrupt: () => left.abort() });
  try {
    return /^y(es)?$/i.test((await keys.readLine(question, left.signal)).trim());
  } catch (error) {
    if (left.signal.aborted) return false;
    throw error;
  }
}
