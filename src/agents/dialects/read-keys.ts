// Reads the keys of a file one by one, each with the reader that the dialect's table has for it. A key without a reader is
// copied unchanged, so that the common check can suggest the key that was meant.

import type { Data } from "../../config/yaml.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { isMapping } from "../files/parse.ts";
import type { SourceFile, Translation } from "./dialect.ts";
import {
  finishTranslation,
  setKey,
  setLimit,
  startTranslation,
  type TranslationBuilder,
  warn,
  warnIgnored,
} from "./translation-builder.ts";

/** `key` is spelled as in the file. */
export type Reader = (wording: TranslationBuilder, value: Data, key: string) => void;

export type Readers = Readonly<Record<string, Reader>>;

/** Translates a file with its keys at the top level. */
export function translateWith(source: SourceFile, readers: Readers): Translation {
  const wording = startTranslation(source);
  readAll(wording, source.keys, readers);
  return finishTranslation(wording);
}

export function readAll(
  wording: TranslationBuilder,
  keys: Readonly<Record<string, Data>>,
  readers: Readers,
): void {
  for (const [key, value] of Object.entries(keys)) {
    const reader = Object.hasOwn(readers, key) ? readers[key]! : sameKey;
    reader(wording, value, key);
  }
}

/** A key with the same name and meaning in Cadre. */
export const sameKey: Reader = (wording, value, key) => setKey(wording, key, value, key);

/** Another name for one of our keys. */
export const alias =
  (ours: string): Reader =>
  (wording, value, key) => {
    if (value === null) return;
    if (Object.hasOwn(wording.keys, ours)) return warnIgnored(wording, [key], `\`${ours}\` is said twice`);
    setKey(wording, ours, value, key);
  };

/** Information about the file that does not change what the agent does. */
export const metadataKey: Reader = (wording, value, key) => {
  wording.extra[key] = value;
};

/** A feature that Cadre does not have. */
export const unsupportedKey: Reader = (wording, value, key) => {
  wording.extra[key] = value;
  if (value === null || value === false) return;
  const message = `\`${key}\` has no effect here`;
  warn(wording, [key], { code: "UNSUPPORTED_KEY", message });
};

/** Commands, endpoints and secrets: kept as text, never run or expanded. */
export const inertKey: Reader = (wording, value, key) => {
  wording.extra[key] = value;
  const message = `\`${key}\` is not taken from an agent file of another product: nothing of it is started`;
  const suggestion = /mcp/i.test(key) ? "declare the servers in cadre.yaml's `mcpServers`" : undefined;
  warn(wording, [key], omitUndefined({ code: "UNSUPPORTED_KEY", message, suggestion }));
};

/** A whole number for one of our limits, multiplied by `unit`. */
export const limitKey =
  (name: string, unit = 1): Reader =>
  (wording, value, key) => {
    if (value === null) return;
    const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    const amount = typeof count === "number" ? Math.round(count * unit) : Number.NaN;
    if (!Number.isSafeInteger(amount) || amount < 0) {
      wording.extra[key] = value;
      return warnIgnored(wording, [key], `\`${key}\` must be a number`);
    }
    setLimit(wording, name, amount, key);
  };

/** One model, a list, or `a | b`, in the order in which they are tried. A placeholder `<a | b>` is a single name. */
export const modelKey: Reader = (wording, value, key) => {
  if (Array.isArray(value) && value.length === 0) return;
  if (typeof value !== "string" || !value.includes("|") || value.includes("<"))
    return setKey(wording, "model", value, key);
  const names = value.split("|").map((name) => name.trim().replace(/^(['"])(.*)\1$/, "$2"));
  setKey(
    wording,
    "model",
    names.filter((name) => name !== ""),
    key,
  );
};

/** `off` becomes `none`, our word for it. */
export const reasoningKey: Reader = (wording, value, key) => {
  if (value === null) return;
  if (isMapping(value)) return unsupportedKey(wording, value, key);
  alias("reasoning")(wording, value === "off" ? "none" : value, key);
};

/** `user-invocable: false` or `hidden: true`: only other agents may call it. */
export const hiddenFlag =
  (flag: boolean): Reader =>
  (wording, value, key) => {
    if (value === flag) wording.hidden = true;
    wording.extra[key] = value;
  };

/** A prompt in a key of a file that has no body. */
export const promptKey: Reader = (wording, value, key) => {
  if (typeof value === "string" && wording.body.trim() === "") wording.body = value.trim();
  else unsupportedKey(wording, value, key);
};

/** A JSON Schema under another name. */
export const schemaAlias =
  (ours: string): Reader =>
  (wording, value, key) =>
    isMapping(value) ? alias(ours)(wording, value, key) : unsupportedKey(wording, value, key);
