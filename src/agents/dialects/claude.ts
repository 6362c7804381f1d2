// Claude Code: `.claude/agents/*.md`, and the agents of its plugins.

import type { Data } from "../../config/yaml.ts";
import { commonReaders, each } from "./common-keys.ts";
import type { Dialect } from "./dialect.ts";
import { type Reader, type Readers, translateWith, unsupported } from "./read-keys.ts";
import { put } from "./wording.ts";

export const claudeDialect: Dialect = {
  name: "claude",
  lies: (path) => /(^|\/)(\.claude\/agents|plugins\/[^/]+\/agents)\/.*\.md$/i.test(path),
  speaks: (keys) => SIGNS.some((key) => Object.hasOwn(keys, key)),
  translate: (source) => [translateWith(source, READERS)],
};

const SIGNS = ["permissionMode", "allowed-tools", "memory", "effort"];

/** Written on one line by a generator: the model should see the lines. */
const description: Reader = (wording, value: Data, key) =>
  put(wording, "description", typeof value === "string" ? value.replaceAll("\\n", "\n") : value, key);

const READERS: Readers = {
  ...commonReaders(),
  ...each("initialPrompt mode", unsupported),
  description,
};
