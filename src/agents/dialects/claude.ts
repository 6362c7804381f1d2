// Claude Code: `.claude/agents/*.md`, and the agents of plugins.

import type { Data } from "../../config/yaml.ts";
import { commonReaders, readersFor } from "./common-keys.ts";
import type { Dialect } from "./dialect.ts";
import { type Reader, type Readers, translateWith, unsupportedKey } from "./read-keys.ts";
import { setKey } from "./translation-builder.ts";

export const claudeDialect: Dialect = {
  name: "claude",
  inheritsServers: true,
  matchesPath: (path) => /(^|\/)(\.claude\/agents|plugins\/[^/]+\/agents)\/.*\.md$/i.test(path),
  matchesKeys: (keys) => SIGNS.some((key) => Object.hasOwn(keys, key)),
  translate: (source) => [translateWith(source, READERS)],
};

const SIGNS = ["permissionMode", "allowed-tools", "memory", "effort"];

/** Claude's generator writes a line break as a backslash and an `n`. The model should see a real line break. */
const description: Reader = (builder, value: Data, key) =>
  setKey(builder, "description", typeof value === "string" ? value.replaceAll("\\n", "\n") : value, key);

const READERS: Readers = {
  ...commonReaders(),
  ...readersFor("initialPrompt mode", unsupportedKey),
  description,
};
