// Gemini CLI: `.gemini/agents/*.md`. Its `kind` says where an agent runs, not what it is.

import { commonReaders } from "./common-keys.ts";
import type { Dialect } from "./dialect.ts";
import { as, prompt, type Reader, same, translateWith } from "./read-keys.ts";
import { refuse } from "./wording.ts";

export const geminiDialect: Dialect = {
  name: "gemini",
  lies: (path) => /(^|\/)\.gemini\/agents\/.*\.md$/i.test(path),
  speaks: (keys) =>
    keys["kind"] === "local" || keys["kind"] === "remote" || Object.hasOwn(keys, "timeout_mins"),
  translate: (source) => [translateWith(source, READERS)],
};

const kind: Reader = (wording, value, key) => {
  if (value === "local") return;
  if (value !== "remote") return same(wording, value, key);
  const message = "remote agents (A2A) are not supported";
  refuse(wording, [key], { code: "REMOTE_AGENT", message });
};

const READERS = { ...commonReaders(), kind, display_name: as("title"), instructions: prompt };
