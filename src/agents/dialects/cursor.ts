// Cursor: `.cursor/agents/*.md`.

import { commonReaders, each } from "./common-keys.ts";
import type { Dialect } from "./dialect.ts";
import { readReadonly } from "./presets.ts";
import { type Readers, translateWith, unsupported } from "./read-keys.ts";

export const cursorDialect: Dialect = {
  name: "cursor",
  lies: (path) => /(^|\/)\.cursor\/agents\/.*\.mdc?$/i.test(path),
  speaks: (keys) => Object.hasOwn(keys, "readonly") || Object.hasOwn(keys, "is_background"),
  translate: (source) => [translateWith(source, READERS)],
};

const READERS: Readers = {
  ...commonReaders(),
  ...each("is_background globs alwaysApply actions integrations", unsupported),
  readonly: readReadonly,
};
