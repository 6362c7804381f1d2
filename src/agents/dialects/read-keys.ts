// The keys of a file, one after the other, each by the reader that its product has for it. A key that no table knows
// stays as it is, so that the common code can ask whether another one was meant.

import type { Data } from "../../config/yaml.ts";
import { isMapping } from "../parse.ts";
import type { SourceFile, Translation } from "./dialect.ts";
import { finishWording, ignored, limit, put, startWording, type Wording, warn } from "./wording.ts";

/** `key` is as the file writes it. */
export type Reader = (wording: Wording, value: Data, key: string) => void;

export type Readers = Readonly<Record<string, Reader>>;

/** A file whose keys stand at its top, by a table of readers. */
export function translateWith(source: SourceFile, readers: Readers): Translation {
  const wording = startWording(source);
  readAll(wording, source.keys, readers);
  return finishWording(wording);
}

export function readAll(wording: Wording, keys: Readonly<Record<string, Data>>, readers: Readers): void {
  for (const [key, value] of Object.entries(keys)) {
    const reader = Object.hasOwn(readers, key) ? readers[key]! : same;
    reader(wording, value, key);
  }
}

/** The same key with the same meaning. */
export const same: Reader = (wording, value, key) => put(wording, key, value, key);

/** Another word for a key of ours. */
export const as =
  (ours: string): Reader =>
  (wording, value, key) => {
    if (value === null) return;
    if (Object.hasOwn(wording.keys, ours)) return ignored(wording, [key], `\`${ours}\` is said twice`);
    put(wording, ours, value, key);
  };

/** About the file, not about what the agent does. */
export const metadata: Reader = (wording, value, key) => {
  wording.extra[key] = value;
};

/** Something that we have no feature for. */
export const unsupported: Reader = (wording, value, key) => {
  wording.extra[key] = value;
  if (value === null || value === false) return;
  const message = `\`${key}\` has no effect here`;
  warn(wording, [key], { code: "UNSUPPORTED_KEY", message });
};

/** Commands, endpoints and secrets: kept as text, never run, never filled in. */
export const inert: Reader = (wording, value, key) => {
  wording.extra[key] = value;
  const message = `\`${key}\` is not taken from an agent file of another product: nothing of it is started`;
  const suggestion = /mcp/i.test(key) ? "declare the servers in cadre.yaml's `mcpServers`" : undefined;
  warn(wording, [key], { code: "UNSUPPORTED_KEY", message, ...(suggestion ? { suggestion } : {}) });
};

/** A whole number for one of our limits, in units of `unit`. */
export const limitOf =
  (name: string, unit = 1): Reader =>
  (wording, value, key) => {
    if (value === null) return;
    const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    const amount = typeof count === "number" ? Math.round(count * unit) : Number.NaN;
    if (!Number.isSafeInteger(amount) || amount < 0) {
      wording.extra[key] = value;
      return ignored(wording, [key], `\`${key}\` must be a number`);
    }
    limit(wording, name, amount, key);
  };

/** One model, a list, or `a | b`: in the order in which they are tried. A placeholder in `<…>` is one name. */
export const models: Reader = (wording, value, key) => {
  if (Array.isArray(value) && value.length === 0) return;
  if (typeof value !== "string" || !value.includes("|") || value.includes("<"))
    return put(wording, "model", value, key);
  const names = value.split("|").map((name) => name.trim().replace(/^(['"])(.*)\1$/, "$2"));
  put(
    wording,
    "model",
    names.filter((name) => name !== ""),
    key,
  );
};

/** `off` and `none` are words of ours for the same thing. */
export const reasoning: Reader = (wording, value, key) => {
  if (value === null) return;
  if (isMapping(value)) return unsupported(wording, value, key);
  as("reasoning")(wording, value === "off" ? "none" : value, key);
};

/** `user-invocable: false`, `hidden: true`: only other agents call it. */
export const hiddenIf =
  (flag: boolean): Reader =>
  (wording, value, key) => {
    if (value === flag) wording.hidden = true;
    wording.extra[key] = value;
  };

/** A prompt in a key, where the file has no body. */
export const prompt: Reader = (wording, value, key) => {
  if (typeof value === "string" && wording.body.trim() === "") wording.body = value.trim();
  else unsupported(wording, value, key);
};

/** A JSON Schema under another name. */
export const schemaAs =
  (ours: string): Reader =>
  (wording, value, key) =>
    isMapping(value) ? as(ours)(wording, value, key) : unsupported(wording, value, key);
