// Modes of Roo Code and Kilo Code. One file has several modes, and each mode has groups of tools and a role.

import type { Data, Path } from "../../config/yaml.ts";
import { isMapping } from "../files/parse.ts";
import { commonReaders, readersFor } from "./common-keys.ts";
import type { Dialect, SourceFile, Translation } from "./dialect.ts";
import { alias, metadataKey, promptKey, type Reader, type Readers, readAll } from "./read-keys.ts";
import { allowRules, BAD_TOOLS } from "./read-tools.ts";
import {
  finishTranslation,
  narrowTools,
  refuse,
  setKey,
  startTranslation,
  type TranslationBuilder,
  warn,
} from "./translation-builder.ts";
import { pathPattern, regexWildcards } from "./wildcards.ts";

export const modesDialect: Dialect = {
  name: "roo",
  matchesPath: (path) => /(^|\/)(\.roomodes|\.kilocodemodes|custom_modes\.(ya?ml|json))$/i.test(path),
  matchesKeys: ({ customModes }) => Array.isArray(customModes) && customModes.length > 0,
  translate: (source) => modesIn(source).map(({ path, mode }) => translate(source, path, mode)),
};

/** `customModes` is a list, or a map with the slug as the key. The whole file can also be such a map. */
function modesIn({ keys }: SourceFile): { path: Path; mode: Data }[] {
  const listed = keys["customModes"];
  if (Array.isArray(listed)) return listed.map((mode, index) => ({ path: ["customModes", index], mode }));
  const [map, base]: [Data, Path] = listed === undefined ? [{ ...keys }, []] : [listed, ["customModes"]];
  if (!isMapping(map)) return map === null ? [] : [{ path: base, mode: map }];
  return Object.entries(map).map(([slug, mode]) => ({
    path: [...base, slug],
    mode: isMapping(mode) ? { slug, ...mode } : mode,
  }));
}

function translate(source: SourceFile, path: Path, mode: Data): Translation {
  const builder = startTranslation({ ...source, body: "" }, path);
  if (!isMapping(mode))
    refuse(builder, [], { code: "BAD_MODE", message: "a mode must be `key: value` lines" });
  else {
    readAll(builder, mode, READERS);
    builder.body = [mode["roleDefinition"], mode["customInstructions"], builder.body]
      .filter((text) => typeof text === "string")
      .map((text) => text.trim())
      .filter((text) => text !== "")
      .join("\n\n");
  }
  return finishTranslation(builder);
}

const VOCABULARY = {
  groups: {
    read: ["Read", "Grep", "Glob", "LS"],
    edit: ["Edit", "Write"],
    command: ["Bash"],
    browser: ["WebFetch", "WebSearch"],
    mcp: ["mcp__*__*"],
  },
};

const readInBody: Reader = () => {};

/** `whenToUse` replaces `description`, because it is written for agents that delegate and is more detailed. */
const whenToUse: Reader = (builder, value, key) => {
  if (typeof value === "string" && value.trim() !== "") setKey(builder, "description", value, key);
};

const description: Reader = (builder, value, key) => {
  if (!Object.hasOwn(builder.keys, "description")) setKey(builder, "description", value, key);
};

/** `edit` allows all tools of the group. `[edit, {fileRegex}]` allows them only for files whose path matches. */
const groups: Reader = (builder, value, key) => {
  if (value === null) return;
  if (!Array.isArray(value)) return refuse(builder, [key], BAD_TOOLS);
  const plain = value.map((entry) => (Array.isArray(entry) && entry.length === 1 ? entry[0]! : entry));
  const whole = plain.filter((entry) => !Array.isArray(entry));
  const scoped = plain.flatMap((entry, index) =>
    Array.isArray(entry) ? scopedGroup(builder, entry, [key, index]) : [],
  );
  const listed = whole.length > 0 ? allowRules(builder, whole, [key], VOCABULARY) : [];
  narrowTools(builder, { allow: [...new Set([...listed, ...scoped])] }, [key]);
};

function scopedGroup(builder: TranslationBuilder, [group, options]: readonly Data[], path: Path): string[] {
  const regex = isMapping(options) ? options["fileRegex"] : undefined;
  if (regex === undefined && isMapping(options))
    return allowRules(builder, [group ?? null], path, VOCABULARY);
  const globs = typeof regex === "string" ? regexWildcards(regex)?.map(pathPattern) : undefined;
  if (group === "edit" && globs?.every((glob) => glob !== undefined))
    return VOCABULARY.groups.edit.flatMap((tool) => globs.map((glob) => `${tool}(${glob})`));
  const message = `Cadre's rules cannot express this \`fileRegex\`: the group is left out`;
  const suggestion = 'write `tools: ["Edit(docs/**)"]` in a file of your own';
  warn(builder, path, { code: "PERMISSION_NARROWED", message, suggestion });
  return [];
}

const READERS: Readers = {
  ...commonReaders(),
  ...readersFor("roleDefinition customInstructions", readInBody),
  ...readersFor("source iconName", metadataKey),
  slug: alias("name"),
  name: alias("title"),
  whenToUse,
  description,
  groups,
  prompt: promptKey,
};
