// Kiro: `.kiro/agents/`. The files are Markdown, or JSON with the prompt in a key.

import { isMapping } from "../files/parse.ts";
import { commonReaders, readersFor } from "./common-keys.ts";
import type { Dialect, SourceFile, Translation } from "./dialect.ts";
import { warnGrantIgnored } from "./presets.ts";
import { inertKey, type Reader, type Readers, translateWith, unsupportedKey } from "./read-keys.ts";
import { readDenied, readTools } from "./read-tools.ts";
import { setPromptFile, warn } from "./translation-builder.ts";

export const kiroDialect: Dialect = {
  name: "kiro",
  matchesPath: (path) => /(^|\/)\.kiro\/agents\/.*\.(md|json)$/i.test(path),
  matchesKeys: (keys) =>
    Object.hasOwn(keys, "toolsSettings") ||
    (Object.hasOwn(keys, "prompt") && Object.hasOwn(keys, "allowedTools")),
  translate: (source) => [translate(source)],
};

function translate(source: SourceFile): Translation {
  const gated = source.keys["tools"] !== undefined && source.keys["tools"] !== null;
  return translateWith(source, gated ? { ...READERS, allowedTools: readAllowedTools } : READERS);
}

/** `@git` means an MCP server, and `@git/status` means one of the server's tools. */
const VOCABULARY = {
  groups: { write: ["Write", "Edit"], fs_write: ["Write", "Edit"] },
  mcp(name: string): string[] | undefined {
    const [, server, tool = "*"] = /^@([\w.-]+)(?:\/([\w.*-]+))?$/.exec(name) ?? [];
    return server === undefined || server === "builtin" ? undefined : [`mcp__${server}__${tool}`];
  },
};

/** If a file has the key `tools`, its key `allowedTools` lists the tools that need no approval. */
const readAllowedTools: Reader = (builder, value, key) => {
  if (value === null || (Array.isArray(value) && value.length === 0)) return;
  warnGrantIgnored(builder, key, `\`${key}\``);
};

/** A tool with a `denied…` setting is denied completely. A setting that permits something has no effect. */
const readSettings: Reader = (builder, value, key) => {
  if (isMapping(value)) {
    for (const [name, options] of Object.entries(value)) {
      if (!isMapping(options) || !Object.keys(options).some((option) => /^den(y|ied)/i.test(option)))
        continue;
      const message = `\`${name}\` is denied as a whole: Cadre's rules cannot express what its settings deny`;
      warn(builder, [key, name], { code: "PERMISSION_NARROWED", message });
      readDenied(VOCABULARY)(builder, [name], key);
    }
  }
  unsupportedKey(builder, value, key);
};

const prompt: Reader = (builder, value, key) => {
  if (typeof value !== "string" || builder.body.trim() !== "") return unsupportedKey(builder, value, key);
  const file = /^file:\/\/(.+)$/.exec(value.trim())?.[1];
  if (file === undefined) builder.body = value.trim();
  else setPromptFile(builder, file, [key]);
};

const READERS: Readers = {
  ...commonReaders(VOCABULARY),
  ...readersFor(
    "resources toolAliases includeMcpJson useLegacyMcpJson keyboardShortcut welcomeMessage",
    unsupportedKey,
  ),
  ...readersFor("agentSpawn userPromptSubmit", inertKey),
  allowedTools: readTools(VOCABULARY),
  toolsSettings: readSettings,
  prompt,
};
