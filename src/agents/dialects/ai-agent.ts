// ai-agent: `*.ai` files. The names in `tools` are MCP servers, and the names in `agents` are paths to other files.

import { posix } from "node:path";
import { parseDuration } from "../../config/duration.ts";
import type { Data } from "../../config/yaml.ts";
import { isMapping } from "../files/parse.ts";
import { commonReaders, readersFor } from "./common-keys.ts";
import type { Dialect, SourceFile, Translation } from "./dialect.ts";
import {
  areTexts,
  metadataKey,
  type Reader,
  type Readers,
  translateWith,
  unsupportedKey,
} from "./read-keys.ts";
import { readTools } from "./read-tools.ts";
import { splitNames } from "./tool-names.ts";
import {
  allowDelegates,
  refuse,
  setKey,
  setLimit,
  type TranslationBuilder,
  warn,
  warnIgnored,
} from "./translation-builder.ts";

export const aiAgentDialect: Dialect = {
  name: "ai-agent",
  matchesPath: (path) => /\.ai$/i.test(path),
  matchesKeys: (keys) =>
    Object.hasOwn(keys, "routerDestinations") || Object.hasOwn(keys, "toolResponseMaxBytes"),
  translate: (source) => [translate(source)],
};

/** In ai-agent, an agent can only use the servers that its file names. A file without `tools` allows no server. */
function translate(source: SourceFile): Translation {
  const tools = source.keys["tools"];
  const body = source.body.replace(TEMPLATE, (_, _quote, file: string) => `\${include:${file.trim()}}`);
  const result = translateWith({ ...source, body }, READERS);
  if (tools === undefined || tools === null) result.keys["tools"] = [];
  return result;
}

const TEMPLATE = /\{%-?\s*(?:render|include)\s+(["'])([^"'{}\n]+)\1[^%{}]*%\}/g;

const tools: Reader = (builder, value, key) => {
  const names = typeof value === "string" ? splitNames(value) : value;
  if (Array.isArray(names)) return readTools()(builder, names.map(serverRule), key);
  if (value !== null) return readTools()(builder, value, key);
  const message = "`tools` has no value: the agent gets none";
  warn(builder, [key], { code: "TOOLS_EMPTY", message });
};

/** In ai-agent, `fetch` is the name of a server, never Cadre's tool. */
const serverRule = (name: Data): Data =>
  typeof name === "string" && /^[\w.-]+$/.test(name) && !name.startsWith("mcp__") ? `mcp__${name}__*` : name;

const agents: Reader = (builder, value, key) => {
  if (value === null) return;
  const names = namesIn(builder, value);
  if (!names) return badNames(builder, key);
  allowDelegates(builder, names, [key]);
};

const advisors: Reader = (builder, value, key) => {
  const names = namesIn(builder, value);
  if (!names) return value === null ? undefined : badNames(builder, key);
  if (names.length > 0) setKey(builder, "advisors", names, key);
};

const handoff: Reader = (builder, value, key) => {
  const names = namesIn(builder, value);
  if (!names) return value === null ? undefined : badNames(builder, key);
  if (names.length === 1) setKey(builder, "handoff", names[0]!, key);
  else if (names.length > 1)
    refuse(builder, [key], { code: "BAD_HANDOFF", message: "`handoff` names one agent" });
};

const router: Reader = (builder, value, key) => {
  if (value === null) return;
  const { destinations, ...rest } = isMapping(value) ? value : { destinations: value };
  const names = destinations === undefined ? undefined : namesIn(builder, destinations);
  if (!names) return badNames(builder, key);
  if (names.length > 0) setKey(builder, "router", { ...rest, destinations: names }, key);
};

function badNames(builder: TranslationBuilder, key: string): void {
  refuse(builder, [key], { code: "BAD_AGENTS", message: `\`${key}\` must name agents, as \`./writer.ai\`` });
}

function namesIn(builder: TranslationBuilder, value: Data): string[] | undefined {
  const list = typeof value === "string" ? value.split(",") : value;
  if (!areTexts(list)) return undefined;
  return list
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map((name) => agentAt(builder, name));
}

/** In the file `team/lead.ai`, the path `../web/search.ai` means the agent `web/search`. */
function agentAt({ source }: TranslationBuilder, name: string): string {
  if (!/\.ai$|\//i.test(name)) return name;
  const plain = name.replace(/\.ai$/i, "");
  const path = posix.normalize(posix.join(posix.dirname(source.below), plain));
  return path.startsWith("..") || plain.startsWith("/") ? posix.basename(plain) : path;
}

/** A value `{format, schema}` is replaced by its schema. Cadre does not use the format. */
const format =
  (ours: string): Reader =>
  (builder, value, key) => {
    const schema = isMapping(value) ? value["schema"] : undefined;
    if (isMapping(schema) || typeof schema === "string") setKey(builder, ours, schema, key);
    else builder.extra[key] = value;
  };

const duration =
  (name: string): Reader =>
  (builder, value, key) => {
    if (value === null) return;
    const ms = typeof value === "string" || typeof value === "number" ? parseDuration(value) : undefined;
    if (ms === undefined) return warnIgnored(builder, [key], `\`${key}\` is no duration`);
    setLimit(builder, name, ms, key);
  };

const READERS: Readers = {
  ...commonReaders(),
  ...readersFor(
    "llmTimeout maxRetries toolResponseMaxBytes caching stream toolOutput contextWindow",
    unsupportedKey,
  ),
  ...readersFor("verbose toolName expectedOutput", metadataKey),
  ...readersFor("router routerDestinations", router),
  toolTimeout: duration("toolTimeout"),
  input: format("input"),
  output: format("output"),
  tools,
  agents,
  advisors,
  handoff,
};
