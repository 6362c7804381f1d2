// What a person has chosen for the chat, kept beside the store in a file of its own, so that it is the same in every
// browser and after a restart.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { named } from "../routes/schemas.ts";

export const SettingsBody = named(
  "SettingsBody",
  z.strictObject({
    /** Whom a chat speaks to where nobody is named. */
    agent: z.string().min(1).exactOptional(),
    mode: z.enum(["auto", "chat"]).exactOptional(),
  }),
);
export type SettingsBody = z.infer<typeof SettingsBody>;

export interface Settings {
  get(): SettingsBody;
  /** Changes what is given and keeps the rest. */
  set(change: SettingsBody): SettingsBody;
  /** Told of every change. Answers with what ends it. */
  onChange(listener: (settings: SettingsBody) => void): () => void;
}

export function openSettings(dir: string): Settings {
  const file = join(dir, "settings.json");
  const listeners = new Set<(settings: SettingsBody) => void>();
  const get = (): SettingsBody => readSettings(file);
  return {
    get,
    set(change) {
      const next = { ...get(), ...change };
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      // Written beside and moved into place: nobody reads half of it.
      writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
      renameSync(`${file}.${process.pid}`, file);
      for (const listener of listeners) listener(next);
      return next;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A file that is not there, or is none of ours, is as if nothing had been chosen. */
function readSettings(file: string): SettingsBody {
  try {
    return SettingsBody.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}
