// Reads which tools a file allows or denies. Products use lists, texts with commas, maps of booleans, or maps of permissions.
// A value that Cadre cannot read never adds tools. An unknown tool is not allowed, and a bad deny rule makes the file invalid.

import type { Data, Path } from "../../config/yaml.ts";
import { isMapping } from "../files/parse.ts";
import { type MapReading, readPermissionMap } from "./permission-map.ts";
import { areTexts, type Reader } from "./read-keys.ts";
import { confineToFolders } from "./tool-gate.ts";
import { PARTS_OF_BASH, splitNames, toolMeaning, type Vocabulary } from "./tool-names.ts";
import { allowDelegates, narrowTools, refuse, type TranslationBuilder, warn } from "./translation-builder.ts";

/** Reads `tools`, the list of everything that the agent is allowed to call. */
export const readTools =
  (vocabulary: Vocabulary = {}): Reader =>
  (builder, value, key) => {
    if (value === null || value === "" || value === true) return readEmpty(builder, value, key);
    if (isMapping(value)) return readToolsMap(builder, value, key, vocabulary);
    const names = namesIn(value);
    if (!names) return refuse(builder, [key], BAD_TOOLS);
    if (names.length === 1 && names[0] === "none") return narrowTools(builder, { allow: [] }, [key]);
    narrowTools(builder, { allow: allowRules(builder, names, [key], vocabulary) }, [key]);
  };

/** Reads `disallowedTools`, which takes precedence over every list of allowed tools. */
export const readDenied =
  (vocabulary: Vocabulary = {}): Reader =>
  (builder, value, key) => {
    if (value === null) return;
    const names = namesIn(value);
    if (!areTexts(names)) return refuse(builder, [key], BAD_TOOLS);
    narrowTools(builder, { deny: denyRules(builder, names, vocabulary) }, [key]);
  };

/** Reads opencode's `permission` map. */
export const readPermissions: Reader = (builder, value, key) => {
  if (value === null) return;
  const map = typeof value === "string" ? { "*": value } : value;
  if (!isMapping(map)) return refuse(builder, [key], badPermission(key));
  applyMap(builder, readPermissionMap(map), key);
};

/** Reads the names of delegates. `*` stands for every agent of the project and of the user. */
export const readAgents: Reader = (builder, value, key) => {
  if (value === null) return;
  const names = typeof value === "string" ? splitNames(value) : value;
  if (!areTexts(names))
    return refuse(builder, [key], { code: "BAD_AGENTS", message: "`agents` must be a list of names" });
  allowDelegates(builder, names.includes("*") ? ["*"] : names, [key]);
};

/** Reads `allowed_directories`: the agent is allowed to work only in these folders. */
export const readFolders: Reader = (builder, value, key) => {
  if (value === null) return;
  const folders = namesIn(value);
  if (!areTexts(folders)) return refuse(builder, [key], badPermission(key));
  narrowTools(builder, confineToFolders(folders, builder.gate.allow), [key]);
  const message = `\`${key}\` limits the file tools to these folders; Bash cannot be limited to them, and is left out`;
  warn(builder, [key], { code: "PERMISSION_NARROWED", message });
};

export const BAD_TOOLS = {
  code: "BAD_TOOLS",
  message: "this value for tools cannot be read",
  suggestion: "write a list of names",
};

const badPermission = (where: string) => ({
  code: "BAD_PERMISSION",
  message: `\`${where}\` is not a permission`,
  suggestion: "write allow, ask or deny",
});

/** If a key has no value, the key is copied so that the common check reports it. */
function readEmpty(builder: TranslationBuilder, value: Data, key: string): void {
  if (value === true) return;
  builder.keys["tools"] = null;
  builder.from["tools"] ??= [...builder.base, key];
}

function namesIn(value: Data): Data[] | undefined {
  if (typeof value === "string") return splitNames(value);
  if (value === false) return [];
  return Array.isArray(value) ? value : undefined;
}

/** Reads `tools` as a map. An empty map changes nothing. */
function readToolsMap(
  builder: TranslationBuilder,
  map: Record<string, Data>,
  key: string,
  vocabulary: Vocabulary,
): void {
  const words = Object.keys(map);
  if (words.length === 0) return;
  if (words.every((word) => word === "allow" || word === "ask" || word === "deny"))
    readCadreMap(builder, map, key, vocabulary);
  else applyMap(builder, readPermissionMap(map), key);
}

function readCadreMap(
  builder: TranslationBuilder,
  map: Record<string, Data>,
  key: string,
  vocabulary: Vocabulary,
): void {
  const [allow, ask, deny] = ["allow", "ask", "deny"].map((word) => {
    const value = map[word] ?? null;
    return value === null ? [] : namesIn(value);
  });
  if (!allow || !areTexts(ask) || !areTexts(deny)) {
    refuse(builder, [key], BAD_TOOLS);
    return;
  }
  const hasAllow = (map["allow"] ?? null) !== null;
  narrowTools(
    builder,
    {
      ...(hasAllow ? { allow: allowRules(builder, allow, [key, "allow"], vocabulary) } : {}),
      ask: ask.flatMap((name) => restrictionRules(name, vocabulary)),
      deny: denyRules(builder, deny, vocabulary),
    },
    [key],
  );
}

function applyMap(
  builder: TranslationBuilder,
  { gate, agents, narrowed, bad }: MapReading,
  key: string,
): void {
  for (const path of bad) refuse(builder, [key, ...path], badPermission(path.join(".")));
  if (gate.allow || gate.ask.length > 0 || gate.deny.length > 0) narrowTools(builder, gate, [key]);
  if (agents) allowDelegates(builder, agents, [key, "task"]);
  for (const word of narrowed) {
    const message = `\`${word}\` depends on the order of its rules, or on text that Cadre's rules cannot match: it becomes narrower`;
    const suggestion = "see `cadre agents explain`, or say it in `tools: {allow, ask, deny}`";
    warn(builder, [key, word], { code: "PERMISSION_NARROWED", message, suggestion });
  }
}

/** Cadre's rules for the names that are known. Unknown names are ignored with a warning. */
export function allowRules(
  builder: TranslationBuilder,
  names: readonly Data[],
  path: Path,
  vocabulary: Vocabulary,
): string[] {
  const rules: string[] = [];
  const editor: string[] = [];
  const agents: string[] = [];
  let understood = names.length === 0;
  for (const [index, name] of names.entries()) {
    const meaning = typeof name === "string" ? toolMeaning(name, vocabulary) : UNKNOWN;
    if (meaning.kind === "tools") rules.push(...meaning.rules);
    else if (meaning.kind === "delegation") {
      agents.push(...(meaning.agents ?? []));
      // A tool such as Claude Code's Task, without names, may start every agent, unless another key names agents.
      if (meaning.agents === undefined && !namesAgents(builder)) agents.push("*");
    } else if (meaning.kind === "ide") editor.push(name as string);
    else if (isPartOfBash(name)) continue;
    else unknownTool(builder, [...path, index], name);
    understood ||= meaning.kind === "tools" || meaning.kind === "delegation";
  }
  if (agents.length > 0) allowDelegates(builder, agents.includes("*") ? ["*"] : agents, path);
  if (editor.length > 0) {
    const message = `there is nothing like ${editor.map((name) => `\`${name}\``).join(", ")} here: left out`;
    const suggestion = "with Bash, the agent can run the compiler, the linter and the tests itself";
    const isAboutErrors = editor.some((name) => /problems|testfailure|readlints/i.test(name));
    warn(builder, path, {
      ...{ code: "TOOL_IDE_ONLY", message },
      ...(isAboutErrors ? { suggestion } : {}),
    });
  }
  if (!understood) {
    const message = "none of these tools is known here: the agent gets no tools at all";
    warn(builder, path, { code: "NO_KNOWN_TOOLS", message, suggestion: "name Read, Grep, Edit, Bash …" });
  }
  return [...new Set(rules)];
}

const isPartOfBash = (name: Data): boolean =>
  typeof name === "string" &&
  PARTS_OF_BASH.has(
    name
      .trim()
      .toLowerCase()
      .replace(/^execute\//, ""),
  );

const UNKNOWN = { kind: "unknown" } as const;

const namesAgents = ({ source }: TranslationBuilder): boolean =>
  AGENT_LISTS.some((key) => source.keys[key] !== undefined);

/** Keys that list the agents to which an agent can delegate. */
export const AGENT_LISTS = ["agents", "subagents", "spawnableAgents", "allowedDelegations", "delegates"];

function unknownTool(builder: TranslationBuilder, path: Path, name: Data): void {
  const written = typeof name === "string" ? `\`${name}\`` : "this";
  const suggestion = "a tool of an MCP server is `mcp__server__tool`";
  warn(builder, path, {
    code: "UNKNOWN_TOOL",
    message: `no tool is called ${written}: left out`,
    suggestion,
  });
}

function denyRules(builder: TranslationBuilder, names: readonly string[], vocabulary: Vocabulary): string[] {
  return names.flatMap((name) => {
    const meaning = toolMeaning(name, vocabulary);
    if (meaning.kind !== "delegation") return restrictionRules(name, vocabulary);
    builder.refused.push(...(meaning.agents ?? ["*"]));
    return [];
  });
}

/** Returns the rules that deny or ask about a tool. An unknown name is kept as a rule, so that the common checks report it. */
function restrictionRules(name: string, vocabulary: Vocabulary): readonly string[] {
  if (isPartOfBash(name)) return ["BashOutput"];
  if (/^notebookedit$/i.test(name.trim())) return ["NotebookEdit", "Edit(**/*.ipynb)"];
  const meaning = toolMeaning(name, vocabulary);
  return meaning.kind === "tools" ? meaning.rules : meaning.kind === "ide" ? [] : [name.trim()];
}
