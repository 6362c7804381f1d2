// opencode: `.opencode/agent/**/*.md`. Kilo Code uses the same format in another folder.

import type { Data } from "../../config/yaml.ts";
import { isMapping } from "../files/parse.ts";
import { commonReaders, readersFor } from "./common-keys.ts";
import type { Dialect, SourceFile, Translation } from "./dialect.ts";
import {
  limitKey,
  metadataKey,
  promptKey,
  type Reader,
  type Readers,
  sameKey,
  translateWith,
  unsupportedKey,
} from "./read-keys.ts";
import { readFolders } from "./read-tools.ts";
import { refuse, setKey, warnIgnored } from "./translation-builder.ts";

export const opencodeDialect: Dialect = {
  name: "opencode",
  inheritsServers: true,
  matchesPath: (path) => /(^|\/)\.?opencode\/(agents?|modes?)\/.*\.md$/i.test(path),
  matchesKeys: (keys) =>
    Object.hasOwn(keys, "permission") ||
    isMode(keys["mode"]) ||
    (isMapping(keys["tools"]) && areFlags(keys["tools"])),
  translate: (source) => [translate(source)],
};

export const kiloDialect: Dialect = {
  name: "kilo",
  inheritsServers: true,
  matchesPath: (path) => /(^|\/)\.kilo(code)?\/agents?\/.*\.md$/i.test(path),
  translate: (source) => [translate(source)],
};

/** If a file has an `id`, Cadre uses the id as `name`, and uses the file's `name` as `title`. */
function translate(source: SourceFile): Translation {
  const { id, name, ...rest } = source.keys;
  const named = typeof id === "string" && id !== "";
  const result = translateWith(named ? { ...source, keys: rest } : source, READERS);
  if (!named) return result;
  const title: Record<string, Data> = typeof name === "string" ? { title: name } : {};
  return {
    ...result,
    keys: { name: id, ...title, ...result.keys },
    from: { name: ["id"], title: ["name"], ...result.from },
  };
}

const isMode = (value: Data | undefined): boolean =>
  value === "primary" || value === "subagent" || value === "all";

const areFlags = (tools: Record<string, Data>): boolean => {
  const values = Object.values(tools);
  return values.length > 0 && values.every((value) => typeof value === "boolean");
};

const mode: Reader = (builder, value, key) => {
  if (value === "subagent") builder.hidden = true;
  else if (value === "primary") setKey(builder, "kind", "main", key);
  else if (value !== "all" && value !== null)
    warnIgnored(builder, [key], `\`${key}\` must be primary, subagent or all`);
};

const disable: Reader = (builder, value, key) => {
  if (value !== true) return;
  refuse(builder, [key], {
    code: "AGENT_DISABLED",
    message: "the file says that this agent is switched off",
  });
};

/** In opencode, `steps` is a number of turns. If the value is a string, it is Cadre's own `steps`. */
const steps: Reader = (builder, value, key) =>
  (typeof value === "string" ? sameKey : limitKey("maxTurns"))(builder, value, key);

const READERS: Readers = {
  ...commonReaders(),
  ...readersFor("primary_objective anti_objectives intended_followups", metadataKey),
  ...readersFor("dependencies options", unsupportedKey),
  maxSteps: limitKey("maxTurns"),
  steps,
  mode,
  disable,
  prompt: promptKey,
  allowed_directories: readFolders,
};
