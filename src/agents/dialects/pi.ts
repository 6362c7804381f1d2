// pi: `.pi/agents/*.md`, the subagents of pi's extensions.

import { commonReaders, readersFor } from "./common-keys.ts";
import type { Dialect } from "./dialect.ts";
import { type Reader, type Readers, translateWith, unsupportedKey } from "./read-keys.ts";
import { setKey } from "./translation-builder.ts";

export const piDialect: Dialect = {
  name: "pi",
  matchesPath: (path) => /(^|\/)\.pi\/(agent\/)?agents\/.*\.md$/i.test(path),
  matchesKeys: (keys) => SIGNS.some((key) => Object.hasOwn(keys, key)),
  translate: (source) => [translateWith(source, READERS)],
};

const SIGNS = "systemPromptMode inheritProjectContext inheritSkills defaultContext defaultReads".split(" ");

/** A run with `fork` starts with the parent's conversation. A run with `fresh` starts without it. */
const defaultContext: Reader = (builder, value, key) => {
  if (value === "fork") setKey(builder, "context", "full", key);
  else if (value === "fresh") setKey(builder, "context", "none", key);
  else unsupportedKey(builder, value, key);
};

const READERS: Readers = {
  ...commonReaders(),
  ...readersFor(
    "systemPromptMode inheritProjectContext inheritSkills defaultReads defaultProgress",
    unsupportedKey,
  ),
  ...readersFor("aliases output prompt_mode maxSubagentDepth", unsupportedKey),
  defaultContext,
};
