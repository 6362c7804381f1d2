// Builds the translation of one agent. The readers of keys write into the builder. At the end it computes the tool gate
// from all keys about tools, and the kind from the delegates.

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
  /** Agents that it may delegate to. Undefined: no key names any. */
  agents: readonly string[] | undefined;
  /** Agents that it may never call, even if another key names them. `*` means all. */
  readonly refused: string[];
  /** People cannot choose it. */
  hidden: boolean;
  body: string;
  promptFile?: string;
}

export function startTranslation(source: SourceFile, base: Path = []): TranslationBuilder {
  return {
    source,
    base,
    keys: bare(),
    from: bare(),
    extra: bare(),
    problems: [],
    limits: bare(),
    gate: OPEN_GATE,
    agents: undefined,
    refused: [],
    hidden: false,
    body: source.body,
  };
}

/** `key` is ours, `written` the key in the file. */
export function setKey(wording: TranslationBuilder, key: string, value: Data, written: string): void {
  wording.keys[key] = value;
  wording.from[key] = [...wording.base, written];
}

export function setLimit(wording: TranslationBuilder, name: string, value: Data, written: string): void {
  wording.limits[name] = value;
  wording.from["limits"] = [...wording.base, written];
}

/** Narrows the gate by one key about tools. `path` is relative to the builder's base. */
export function narrowTools(wording: TranslationBuilder, gate: Partial<ToolGate>, path: Path): void {
  wording.gate = intersectGates(wording.gate, { ...OPEN_GATE, ...gate });
  wording.from["tools"] ??= [...wording.base, ...path];
}

/** If two keys name delegates, only those in both remain. */
export function allowDelegates(wording: TranslationBuilder, names: readonly string[], path: Path): void {
  const before = wording.agents;
  wording.agents = before ? before.filter((name) => names.includes(name)) : [...new Set(names)];
  wording.from["agents"] ??= [...wording.base, ...path];
}

export interface Finding {
  code: string;
  message: string;
  suggestion?: string;
}

export function warn(wording: TranslationBuilder, path: Path, finding: Finding): void {
  report(wording, path, "warning", finding);
}

/** Reports an error, so that the agent is not loaded. For values whose loss could allow more than the file meant. */
export function refuse(wording: TranslationBuilder, path: Path, finding: Finding): void {
  report(wording, path, "error", finding);
}

export function finishTranslation(wording: TranslationBuilder): Translation {
  const tools = gateAsTools(wording.gate);
  if (tools !== undefined) {
    if (wording.keys["tools"] === null) warn(wording, ["tools"], TOOLS_EMPTY);
    wording.keys["tools"] = tools;
  }
  const agents = wording.agents?.filter(
    (name) => !wording.refused.includes(name) && !wording.refused.includes("*"),
  );
  if (agents) wording.keys["agents"] = agents;
  if (wording.hidden && !agents?.length) wording.keys["kind"] ??= "subagent";
  if (Object.keys(wording.limits).length > 0) wording.keys["limits"] = { ...wording.limits };
  dropUnfit(wording);
  const { keys, from, body, promptFile, extra, problems } = wording;
  return omitUndefined({ keys, from, body, promptFile, extra, problems });
}

const TOOLS_EMPTY = { code: "TOOLS_EMPTY", message: "`tools` has no value and counts as absent" };

/** Keys that decide about permissions. Our own schema rejects the file if such a value does not fit. */
const DECISIVE = new Set("tools disallowedTools permissions policy delegate_targets agents".split(" "));

/** Drops values that do not fit our schema: another product's `temperature: low` is no reason to reject the agent. */
function dropUnfit(wording: TranslationBuilder): void {
  for (const [key, value] of Object.entries(wording.keys)) {
    const ours = Object.hasOwn(KEY_ALIASES, key) ? KEY_ALIASES[key]! : key;
    if (DECISIVE.has(ours) || !Object.hasOwn(AGENT_KEYS, ours)) continue;
    if (AGENT_KEYS[ours as keyof typeof AGENT_KEYS].safeParse(value).success) continue;
    delete wording.keys[key];
    wording.extra[key] = value;
    const written = wording.from[key]?.at(-1) ?? key;
    warnIgnored(wording, [written], `\`${written}\` has a value that does not fit here`);
  }
}

export function warnIgnored(wording: TranslationBuilder, path: Path, why: string): void {
  warn(wording, path, { code: "VALUE_IGNORED", message: `${why}: it is ignored` });
}

function report(
  wording: TranslationBuilder,
  path: Path,
  severity: Problem["severity"],
  finding: Finding,
): void {
  const { file, document } = wording.source;
  const at = document.at([...wording.base, ...path], path.length > 1 ? "value" : "key");
  wording.problems.push({ file, ...at, severity, ...finding });
}

/** Without a prototype, because a foreign key can be called `constructor`. */
const bare = <T>(): Record<string, T> => Object.create(null);
