// GitHub Copilot: agents (`*.agent.md`, `.github/agents/`) and the older chat modes (`*.chatmode.md`).

import type { Data } from "../../config/yaml.ts";
import { isMapping } from "../files/parse.ts";
import { commonReaders } from "./common-keys.ts";
import type { Dialect, SourceFile, Translation } from "./dialect.ts";
import { metadataKey, type Reader, type Readers, translateWith } from "./read-keys.ts";
import type { Vocabulary } from "./tool-names.ts";
import { setKey, type TranslationBuilder, warn } from "./translation-builder.ts";

export const copilotDialect: Dialect = {
  name: "copilot",
  inheritsServers: true,
  matchesPath: (path) => /\.agent\.md$|(^|\/)\.github\/agents\/.*\.md$/i.test(path),
  matchesKeys: (keys) => SIGNS.some((key) => Object.hasOwn(keys, key)),
  translate: (source) => [translate(source)],
};

export const chatmodeDialect: Dialect = {
  name: "copilot-chatmode",
  inheritsServers: true,
  matchesPath: (path) => /\.chatmode\.md$|(^|\/)\.github\/chatmodes\/.*\.md$/i.test(path),
  translate: (source) => [translate(source)],
};

const SIGNS = ["user-invocable", "disable-model-invocation", "handoffs", "argument-hint", "mcp-servers"];

const translate = (source: SourceFile): Translation => translateWith(source, readers(source));

const readers = (source: SourceFile): Readers => ({
  ...commonReaders(vocabularyOf(source.keys["mcp-servers"])),
  agent: metadataKey,
  infer,
  mode,
  handoffs: readHandoffs,
});

const GROUPS = {
  edit: ["Edit", "Write"],
  search: ["Grep", "Glob", "LS"],
  web: ["WebFetch", "WebSearch"],
};

/** Recognises the names of MCP tools: `x/*`, `x/y`, a name with dots, or a server that the file itself declares. */
function vocabularyOf(servers: Data | undefined): Vocabulary {
  const declared = isMapping(servers) ? Object.keys(servers) : Array.isArray(servers) ? servers : [];
  return {
    groups: GROUPS,
    mcp(name) {
      const [, server, tool] = /^([\w.-]+)(?:\/([\w.*-]+))?$/.exec(name) ?? [];
      if (server === undefined) return undefined;
      if (tool !== undefined) return [`mcp__${server}__${tool}`];
      return declared.includes(name) || /\w\.\w/.test(name) ? [`mcp__${server}__*`] : undefined;
    },
  };
}

/** In a chat mode, only `mode: subagent` has an effect. */
const mode: Reader = (builder, value, key) => {
  if (value === "subagent") builder.hidden = true;
  builder.extra[key] = value;
};

/** `infer` is the older name of `disable-model-invocation`, with the opposite meaning. */
const infer: Reader = (builder, value, key) => {
  if (value === false) setKey(builder, "delegable", false, key);
};

/** An entry with `send: true` is a handoff. The other entries are buttons for a person. */
const readHandoffs: Reader = (builder, value, key) => {
  if (value === null) return;
  const entries = Array.isArray(value) ? value : [value];
  const sent = entries.filter((entry) => isMapping(entry) && entry["send"] === true);
  const [only] = sent as Record<string, Data>[];
  const target = only?.["agent"];
  if (sent.length === 1 && typeof target === "string" && target !== "agent")
    setKey(builder, "handoff", target, key);
  if (entries.length > (Object.hasOwn(builder.keys, "handoff") ? 1 : 0)) keepButtons(builder, value, key);
};

function keepButtons(builder: TranslationBuilder, value: Data, key: string): void {
  builder.extra[key] = value;
  const message = `\`${key}\` without \`send: true\` are buttons for a person: they have no effect here`;
  warn(builder, [key], { code: "UNSUPPORTED_KEY", message, suggestion: "name one agent in `handoff`" });
}
