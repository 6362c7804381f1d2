// Cursor: `.cursor/agents/*.md`.

import { commonReaders, readersFor } from "./common-keys.ts";
import type { Dialect } from "./dialect.ts";
import { readReadonly } from "./presets.ts";
import { type Readers, translateWith, unsupportedKey } from "./read-keys.ts";

export const cursorDialect: Dialect = {
  name: "cursor",
  inheritsServers: true,
  matchesPath: (path) => /(^|\/)\.cursor\/agents\/.*\.mdc?$/i.test(path),
  matchesKeys: (keys) => Object.hasOwn(keys, "readonly") || Object.hasOwn(keys, "is_background"),
  translate: (source) => [translateWith(source, READERS)],
};

const READERS: Readers = {
  ...commonReaders(),
  ...readersFor("is_background globs alwaysApply actions integrations", unsupportedKey),
  readonly: readReadonly,
};
