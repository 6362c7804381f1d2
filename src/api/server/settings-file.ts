// Keeps the chat settings in a file next to the store, so that they are the same in every browser and survive restarts.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { namedStrictObject } from "../routes/schemas.ts";

export const SettingsBody = namedStrictObject("SettingsBody", {
  /** Agent that a new chat uses. */
  agent: z.string().min(1).exactOptional(),
  mode: z.enum(["auto", "chat"]).exactOptional(),
});
export type SettingsBody = z.infer<typeof SettingsBody>;

export interface Settings {
  get(): SettingsBody;
  /** Changes the given settings and leaves the other settings as they are. */
  set(change: SettingsBody): SettingsBody;
  /** Calls the listener with the new settings after each change. Returns a function that ends the subscription. */
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
      // Write a temporary file and rename it, so that readers never see half a file.
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

/** Reads the settings. If the file is missing or invalid, the defaults apply. */
function readSettings(file: string): SettingsBody {
  try {
    return SettingsBody.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}
