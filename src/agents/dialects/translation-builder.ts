// One agent on its way from another product's keys to ours. Readers of keys write into it; what it turns into is
// decided once, at the end: the gate from all the keys that spoke of tools, the kind from whom it may call.

import type { Problem } from "../../config/problem.ts";
import type { Data, Path } from "../../config/yaml.ts";
import { AGENT_KEYS, KEY_ALIASES } from "../frontmatter.ts";
import type { SourceFile, Translation } from "./dialect.ts";
import { gateAsTools, intersectGates, OPEN_GATE, type ToolGate } from "./tool-gate.ts";

export interface TranslationBuilder {
  readonly source: SourceFile;
  /** Where this agent's keys stand in the file: `[]`, or `["Roles", 0]` where there are several. */
  readonly base: Path;
  readonly keys: Record<string, Data>;
  readonly from: Record<string, Path>;
  readonly extra: Record<string, Data>;
  readonly problems: Problem[];
  readonly limits: Record<string, Data>;
  gate: ToolGate;
  /** Whom it may delegate to; undefined: nothing was said. */
  agents: readonly string[] | undefined;
  /** Whom it may not call, whoever else names them; `*` is everybody. */
  readonly refused: string[];
  /** Not for people to choose. */
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

/** `key` is ours, `written` is where the file says it. */
export function setKey(wording: TranslationBuilder, key: string, value: Data, written: string): void {
  wording.keys[key] = value;
  wording.from[key] = [...wording.base, written];
}

export function setLimit(wording: TranslationBuilder, name: string, value: Data, written: string): void {
  wording.limits[name] = value;
  wording.from["limits"] = [...wording.base, written];
}

/** What a key says about tools. `path` is where it stands, without the wording's base. */
export function narrowTools(wording: TranslationBuilder, gate: Partial<ToolGate>, path: Path): void {
  wording.gate = intersectGates(wording.gate, { ...OPEN_GATE, ...gate });
  wording.from["tools"] ??= [...wording.base, ...path];
}

/** Two keys that both name agents leave those that both name. */
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

/** The agent is not loaded, for this reason: where going on could allow more than the file meant. */
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
  return { keys, from, body, ...(promptFile === undefined ? {} : { promptFile }), extra, problems };
}

const TOOLS_EMPTY = { code: "TOOLS_EMPTY", message: "`tools` has no value and counts as absent" };

/** What decides who may do what: a value there that does not fit stops the file, by our own schema. */
const DECISIVE = new Set("tools disallowedTools permissions policy delegate_targets agents".split(" "));

/** Another product's `temperature: low` is no reason to refuse its agent. */
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

/** Keys of strangers go in here: none of them may be found on a prototype. */
const bare = <T>(): Record<string, T> => Object.create(null);
