// pi: subagents of its extensions, `.pi/agents/*.md`.

import { commonReaders, each } from "./common-keys.ts";
import type { Dialect } from "./dialect.ts";
import { type Reader, type Readers, translateWith, unsupported } from "./read-keys.ts";
import { put } from "./wording.ts";

export const piDialect: Dialect = {
  name: "pi",
  lies: (path) => /(^|\/)\.pi\/(agent\/)?agents\/.*\.md$/i.test(path),
  speaks: (keys) => SIGNS.some((key) => Object.hasOwn(keys, key)),
  translate: (source) => [translateWith(source, READERS)],
};

const SIGNS = [
  "systemPromptMode",
  "inheritProjectContext",
  "inheritSkills",
  "defaultContext",
  "defaultReads",
];

/** `fork` starts with the parent's conversation, `fresh` with none of it. */
const defaultContext: Reader = (wording, value, key) => {
  if (value === "fork") put(wording, "context", "full", key);
  else if (value === "fresh") put(wording, "context", "none", key);
  else unsupported(wording, value, key);
};

const READERS: Readers = {
  ...commonReaders(),
  ...each("systemPromptMode inheritProjectContext inheritSkills defaultReads defaultProgress", unsupported),
  ...each("aliases output prompt_mode maxSubagentDepth", unsupported),
  defaultContext,
};
