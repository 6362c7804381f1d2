// Linggen: `.linggen/agents/*.md`. The text of `personality` comes before the prompt.

import type { Data } from "../../config/yaml.ts";
import { commonReaders } from "./common-keys.ts";
import type { Dialect } from "./dialect.ts";
import { type Reader, type Readers, translateWith, unsupportedKey } from "./read-keys.ts";

export const linggenDialect: Dialect = {
  name: "linggen",
  matchesPath: (path) => /(^|\/)\.linggen\/agents\/.*\.md$/i.test(path),
  matchesKeys: (keys) => Object.hasOwn(keys, "personality"),
  translate: (source) => [translateWith(source, READERS)],
};

const prependToPrompt: Reader = (builder, value: Data, key) => {
  if (typeof value !== "string") return unsupportedKey(builder, value, key);
  builder.body = [value.trim(), builder.body].filter((text) => text !== "").join("\n\n");
};

const READERS: Readers = { ...commonReaders(), personality: prependToPrompt };
