// Builds the translation of one agent. The reader of each key adds its part.
// At the end, the builder computes the tool gate from all keys about tools. It derives the agent's kind from its delegates.

import type { Problem } from "../../config/problem.ts";
import type { Data, Path } from "../../config/yaml.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { AGENT_KEYS, KEY_ALIASES } from "../frontmatter.ts";
import type { SourceFile, Translation } from "./dialect.ts";
import { gateAsTools, intersectGates, OPEN_GATE, type ToolGate } from "./tool-gate.ts";

export interface TranslationBuilder {
  readonly source: SourceFile;
  /** Path of this agent's keys in the file: `[]`, or `["Roles", 0]` in a file with several agents. */
  readonly base: Path;
  readonly keys: Record<string, Data>;
  readonly from: Record<string, Path>;
  readonly extra: Record<string, Data>;
  readonly problems: Problem[];
  readonly limits: Record<string, Data>;
  gate: ToolGate;
  /** The agents to which this agent can delegate. Undefined if no key lists delegates. */
  agents: readonly string[] | undefined;
  /** Agents that this agent is never allowed to call, even if another key names them. `*` means all agents. */
  readonly refused: string[];
  /** Whether the agent is hidden from people. */
  hidden: boolean;
  body: string;
  promptFile?: string;
}

export function startTranslation(source: SourceFile, base: Path = []): TranslationBuilder {
  return {
    source,
    base,
    keys: emptyRecord(),
    from: emptyRecord(),
    extra: emptyRecord(),
    problems: [],
    limits: emptyRecord(),
    gate: OPEN_GATE,
    agents: undefined,
    refused: [],
    hidden: false,
    body: source.body,
  };
}

/** Sets `key`, a key of Cadre. `written` is the name of the key in the file. */
export function setKey(builder: TranslationBuilder, key: string, value: Data, written: string): void {
  builder.keys[key] = value;
  builder.from[key] = [...builder.base, written];
}

export function setLimit(builder: TranslationBuilder, name: string, value: Data, written: string): void {
  builder.limits[name] = value;
  builder.from["limits"] = [...builder.base, written];
}

/** Narrows the tool gate by the rules of one key. `path` is the key's path, relative to the builder's base. */
export function narrowTools(builder: TranslationBuilder, gate: Partial<ToolGate>, path: Path): void {
  builder.gate = intersectGates(builder.gate, { ...OPEN_GATE, ...gate });
  builder.from["tools"] ??= [...builder.base, ...path];
}

/** If two keys name delegates, only the agents that both keys name remain. */
export function allowDelegates(builder: TranslationBuilder, names: readonly string[], path: Path): void {
  const before = builder.agents;
  if (!before || before.includes("*")) builder.agents = [...new Set(names)];
  else if (!names.includes("*")) builder.agents = before.filter((name) => names.includes(name));
  builder.from["agents"] ??= [...builder.base, ...path];
}

export interface Finding {
  code: string;
  message: string;
  suggestion?: string;
}

export function warn(builder: TranslationBuilder, path: Path, finding: Finding): void {
  addProblem(builder, path, "warning", finding);
}

/** Reports an invalid value as an error, so that the agent is not loaded. Ignoring the value could allow more than the author meant. */
export function refuse(builder: TranslationBuilder, path: Path, finding: Finding): void {
  addProblem(builder, path, "error", finding);
}

export function finishTranslation(builder: TranslationBuilder): Translation {
  const tools = gateAsTools(builder.gate);
  if (tools !== undefined) {
    if (builder.keys["tools"] === null) warn(builder, ["tools"], TOOLS_EMPTY);
    builder.keys["tools"] = tools;
  }
  const agents = builder.agents?.filter(
    (name) => !builder.refused.includes(name) && !builder.refused.includes("*"),
  );
  if (agents) builder.keys["agents"] = agents;
  if (builder.hidden && !agents?.length) builder.keys["kind"] ??= "subagent";
  if (Object.keys(builder.limits).length > 0) builder.keys["limits"] = { ...builder.limits };
  dropInvalid(builder);
  const { keys, from, body, promptFile, extra, problems } = builder;
  return omitUndefined({ keys, from, body, promptFile, extra, problems });
}

const TOOLS_EMPTY = { code: "TOOLS_EMPTY", message: "`tools` has no value and counts as absent" };

/** Keys that decide about permissions. If the value of such a key is invalid, Cadre's schema rejects the file. */
const DECISIVE = new Set("tools disallowedTools permissions policy delegate_targets agents".split(" "));

/** Drops values that Cadre's schema does not accept: another product's `temperature: low` is no reason to reject the agent. */
function dropInvalid(builder: TranslationBuilder): void {
  for (const [key, value] of Object.entries(builder.keys)) {
    const ours = Object.hasOwn(KEY_ALIASES, key) ? KEY_ALIASES[key]! : key;
    if (DECISIVE.has(ours) || !Object.hasOwn(AGENT_KEYS, ours)) continue;
    if (AGENT_KEYS[ours as keyof typeof AGENT_KEYS].safeParse(value).success) continue;
    delete builder.keys[key];
    builder.extra[key] = value;
    const written = builder.from[key]?.at(-1) ?? key;
    warnIgnored(builder, [written], `\`${written}\` has a value that is not valid here`);
  }
}

export function warnIgnored(builder: TranslationBuilder, path: Path, why: string): void {
  warn(builder, path, { code: "VALUE_IGNORED", message: `${why}: it is ignored` });
}

function addProblem(
  builder: TranslationBuilder,
  path: Path,
  severity: Problem["severity"],
  finding: Finding,
): void {
  const { file, document } = builder.source;
  const at = document.at([...builder.base, ...path], path.length > 1 ? "value" : "key");
  builder.problems.push({ file, ...at, severity, ...finding });
}

/** The record has no prototype, because another product's key can be named `constructor`. */
const emptyRecord = <T>(): Record<string, T> => Object.create(null);

/** Refuses a path outside the folder of the agent's file. Otherwise the file could pull `../../.ssh/id_rsa` into a prompt. */
export function setPromptFile(builder: TranslationBuilder, file: string, path: Path): void {
  const clean = file
    .trim()
    .replaceAll("\\", "/")
    .replace(/^(\.\/)+/, "");
  const outside = clean === "" || /^([A-Za-z]:|\/|~)/.test(clean) || clean.split("/").includes("..");
  if (!outside) {
    builder.promptFile = clean;
    return;
  }
  const message = `the prompt's file \`${file}\` is outside the folder of the file that names it`;
  refuse(builder, path, { code: "PROMPT_OUTSIDE", message, suggestion: "move it beside the file" });
}
