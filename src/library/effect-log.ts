// A log of effects outside the journal, for tests. It shows whether an effect really happened, which the journal alone cannot.

import { appendFileSync, existsSync, readFileSync } from "node:fs";

export interface LoggedEffect {
  /** The name of the effect, such as `refund`. */
  name: string;
  /** The `key` of the call that caused it. */
  key: string;
  detail?: unknown;
}

export interface EffectLog {
  /** Call it at the moment of the effect, in `execute` of a tool. */
  add(effect: LoggedEffect): void;
  /** All effects, in order. They include the effects of processes that were killed, if the log is a file. */
  all(): LoggedEffect[];
  /** The effects that happened again with the same name and key. */
  repeated(): LoggedEffect[];
}

/** With a file, each effect is one line on disk, so the log survives `kill -9`. Without one, the log is in memory. */
export function effectLog(file?: string): EffectLog {
  const inMemory: string[] = [];
  const lines = (): string[] => {
    if (file === undefined) return inMemory;
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  };
  const all = (): LoggedEffect[] => lines().map((line) => JSON.parse(line) as LoggedEffect);
  return {
    all,
    add(effect) {
      const line = JSON.stringify(effect);
      if (file === undefined) inMemory.push(line);
      else appendFileSync(file, `${line}\n`, { flush: true });
    },
    repeated() {
      const seen = new Set<string>();
      return all().filter(({ name, key }) => {
        const id = JSON.stringify([name, key]);
        const isRepeated = seen.has(id);
        seen.add(id);
        return isRepeated;
      });
    },
  };
}
