// Factory: `.factory/droids/*.md`. A single word in `tools` can mean a category of tools.

import { commonReaders } from "./common-keys.ts";
import type { Dialect } from "./dialect.ts";
import { type Reader, type Readers, translateWith } from "./read-keys.ts";
import { readTools } from "./read-tools.ts";
import { READ_ONLY } from "./tool-gate.ts";
import { narrowTools } from "./translation-builder.ts";

export const factoryDialect: Dialect = {
  name: "factory",
  inheritsServers: true,
  matchesPath: (path) => /(^|\/)\.factory\/droids\/.*\.md$/i.test(path),
  translate: (source) => [translateWith(source, READERS)],
};

const VOCABULARY = {
  groups: {
    "read-only": ["Read", "Grep", "Glob", "LS"],
    edit: ["Edit", "Write"],
    web: ["WebSearch", "WebFetch"],
    mcp: ["mcp__*__*"],
  },
};

const tools: Reader = (builder, value, key) => {
  readTools(VOCABULARY)(builder, value, key);
  if (value === "read-only") narrowTools(builder, READ_ONLY, [key]);
};

const READERS: Readers = { ...commonReaders(VOCABULARY), tools };
