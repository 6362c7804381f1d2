// Gemini CLI: `.gemini/agents/*.md`. The key `kind` says whether an agent runs locally or remotely.

import { commonReaders } from "./common-keys.ts";
import type { Dialect } from "./dialect.ts";
import { alias, promptKey, type Reader, sameKey, translateWith } from "./read-keys.ts";
import { refuse } from "./translation-builder.ts";

export const geminiDialect: Dialect = {
  name: "gemini",
  inheritsServers: true,
  matchesPath: (path) => /(^|\/)\.gemini\/agents\/.*\.md$/i.test(path),
  matchesKeys: (keys) =>
    keys["kind"] === "local" || keys["kind"] === "remote" || Object.hasOwn(keys, "timeout_mins"),
  translate: (source) => [translateWith(source, READERS)],
};

const kind: Reader = (builder, value, key) => {
  if (value === "local") return;
  if (value !== "remote") return sameKey(builder, value, key);
  const message = "remote agents (A2A) are not supported";
  refuse(builder, [key], { code: "REMOTE_AGENT", message });
};

const READERS = { ...commonReaders(), kind, display_name: alias("title"), instructions: promptKey };
