// Reads a conversation line by line, for a screen that is not redrawn and for input from a program.
// A line answers the question that was asked before it. Otherwise it is the next message.

import { createInterface } from "node:readline";
import type { Io } from "../invocation.ts";
import type { Keys } from "../terminal/keys.ts";
import type { Screen } from "../view/screen.ts";
import { type ChatInput, createWishes, type Phase } from "./input.ts";

export function createLineInput({ stdin, stdout }: Pick<Io, "stdin" | "stdout">, screen: Screen): ChatInput {
  const wishes = createWishes();
  let answer: ((line: string) => void) | undefined;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const lines = createInterface({ input: stdin, terminal: false });
  lines.on("line", (line) => {
    const waiting = answer;
    answer = undefined;
    if (waiting) waiting(line);
    else wishes.add({ type: "text", text: line.trim(), steers: false });
  });
  lines.on("close", () => wishes.add({ type: "end" }));

  const readLine = (signal: AbortSignal): Promise<string> =>
    new Promise((resolve, reject) => {
      const onAbort = (): void => {
        answer = undefined;
        reject(signal.reason);
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      answer = (line) => {
        signal.removeEventListener("abort", onAbort);
        resolve(line);
      };
    });

  const keys: Keys = {
    async readKey(signal) {
      for (;;) {
        const line = (await readLine(signal)).trim();
        if (line !== "") return line.charAt(0);
      }
    },
    readLine(question, signal) {
      screen.stream(question);
      return readLine(signal);
    },
  };

  return {
    keys,
    next: wishes.next,
    show(phase: Phase) {
      if (isTerminal && PROMPTED.has(phase)) screen.stream("> ");
    },
    close: () => lines.close(),
  };
}

const PROMPTED: ReadonlySet<Phase> = new Set(["idle", "paused", "waiting"]);
