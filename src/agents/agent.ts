// From the keys that a person wrote to the definition that a run pins. Whatever is doubtful narrows what the agent
// may do, never widens it.

import { type KeyValues, readKeys } from "../config/keys.ts";
import { hasErrors, type Problem } from "../config/problem.ts";
import type { AgentLimits, Definition } from "../journal/definition.ts";
import { KEY_ALIASES, KEYS, NOT_YET } from "./frontmatter.ts";
import { isMapping, type ParsedAgent } from "./parse.ts";
import { agentRuleProblems } from "./rule-problems.ts";

export interface Agent {
  name: string;
  /** For people: relative to the project, `~/…` for the user's own, `builtin:…` for those that come with Cadre. */
  file: string;
  /** Undefined: broken, and the problems say why. */
  definition: Definition | undefined;
  /** The agents that the file names, with the keys that name them. */
  references: Reference[];
  problems: Problem[];
}

export interface Reference {
  key: string;
  name: string;
  line: number;
  column: number;
}

/** How the names of models in agent files become `provider/model`. */
export interface ModelNames {
  /** For files without a model, and for `inherit` at the root of a tree. */
  default: string;
  /** An alias to what it stands for; undefined: not known. */
  resolve(name: string): string | undefined;
}

type Values = KeyValues<typeof KEYS>;

/** `parsed` has its includes already; `hash` is that of the file as it was read. */
export function compileAgent(
  parsed: ParsedAgent,
  models: ModelNames,
  hash: string,
  toolNames?: readonly string[],
): Agent {
  const { values, problems: keyProblems } = readKeys(
    { ...parsed.document, data: parsed.frontmatter },
    KEYS,
    KEY_ALIASES,
  );
  const problems = hasErrors(parsed.problems) ? [...parsed.problems] : [...parsed.problems, ...keyProblems];
  const given = values.name ?? fileName(parsed.file);
  const name = agentId(given) || agentId(fileName(parsed.file)) || "agent";
  const references = readReferences(parsed, values);
  if (toolNames) problems.push(...agentRuleProblems(parsed, values, toolNames));
  if (hasErrors(problems)) return { name, file: parsed.file, definition: undefined, references, problems };

  const warn = warnings(parsed, problems);
  const description = values.description?.trim() || firstSentence(parsed.body);
  if (!values.description?.trim())
    warn("description", "NO_DESCRIPTION", "no `description`: others cannot tell when to call it");
  for (const key of NOT_YET) {
    if (values[key] !== undefined) warn(key, "NOT_YET", `\`${key}\` is not acted on by this version`);
  }
  const title = values.title ?? (given === name ? undefined : given);
  const definition: Definition = {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    kind: values.kind ?? "main",
    models: modelChain(values.model, models, warn),
    ...defined({ temperature: values.temperature, maxOutputTokens: values.maxOutputTokens }),
    ...defined({ reasoning: values.reasoning }),
    prompt: parsed.body,
    tools: toolGate(values, warn),
    permissions: { ask: values.permissions?.ask ?? [], deny: values.permissions?.deny ?? [] },
    agents: delegates(values, warn),
    limits: limitsOf(values),
    ...(isMapping(values.output) ? { output: values.output } : {}),
    source: { file: parsed.file, hash },
  };
  if (typeof values.output === "string")
    warn("output", "NOT_YET", "an `output` schema in a file is not read by this version");
  return { name, file: parsed.file, definition, references, problems };
}

/** One spelling for names and for references to them: `Code Reviewer` is `code-reviewer`. */
export function agentId(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_./-]+/gu, "-")
    .replace(/^[-./]+|[-./]+$/g, "");
}

type Warn = (key: string, code: string, message: string) => void;

function warnings(parsed: ParsedAgent, problems: Problem[]): Warn {
  return (key, code, message) => {
    const written = Object.keys(parsed.frontmatter).find((name) => (KEY_ALIASES[name] ?? name) === key);
    const at = parsed.document.at(written === undefined ? [] : [written], "key");
    problems.push({ file: parsed.file, ...at, code, severity: "warning", message });
  };
}

function modelChain(model: Values["model"], names: ModelNames, warn: Warn): string[] {
  const wanted = typeof model === "string" ? [model] : (model ?? []);
  const chain: string[] = [];
  for (const name of wanted.map((text) => text.trim())) {
    if (name === "" || name === "inherit") {
      chain.push(names.default);
      continue;
    }
    const resolved = names.resolve(name) ?? (name.includes("/") ? name : undefined);
    if (!resolved)
      warn("model", "MODEL_SUBSTITUTED", `model \`${name}\` is not known: ${names.default} is used`);
    chain.push(resolved ?? names.default);
  }
  return chain.length > 0 ? [...new Set(chain)] : [names.default];
}

/** Without `Patch` in its policy an agent changes no files. */
const PATCHING_TOOLS = ["Write", "Edit"];

function toolGate(values: Values, warn: Warn): Definition["tools"] {
  const { tools } = values;
  if (tools === null)
    warn(
      "tools",
      "TOOLS_EMPTY",
      "`tools` has no value and counts as absent: every tool; write `[]` for none",
    );
  const map = Array.isArray(tools) ? { allow: tools } : (tools ?? {});
  const deny = [...(map.deny ?? []), ...(values.disallowedTools ?? [])];
  if (Array.isArray(values.policy) && !values.policy.includes("Patch")) deny.push(...PATCHING_TOOLS);
  // What `extends` would bring is not known here: no tools is the only answer that cannot be too many.
  const allow = map.allow ?? (values.extends === undefined ? undefined : []);
  const everything = allow === undefined || allow.includes("*");
  return { ...(everything ? {} : { allow }), ask: map.ask ?? [], deny: [...new Set(deny)] };
}

function delegates(values: Values, warn: Warn): string[] {
  const named = [...new Set((values.agents ?? []).map(agentId))];
  if (named.length === 0) return [];
  if (values.kind === "subagent") {
    warn(
      "agents",
      "SUBAGENT_DELEGATES",
      "a subagent never delegates: `agents` is ignored; make it `kind: main`",
    );
    return [];
  }
  if (Array.isArray(values.policy) && !values.policy.includes("Delegate")) return [];
  const targets = values.delegate_targets?.map(agentId);
  return targets ? named.filter((name) => targets.includes(name)) : named;
}

function limitsOf(values: Values): AgentLimits {
  const { maxTurns, maxDuration } = values;
  return { ...defined({ maxTurns, maxDuration }), ...(values.limits as AgentLimits | undefined) };
}

const REFERENCE_FIELDS = ["agent", "agents", "destinations", "fallback", "members", "judge"];

function readReferences(parsed: ParsedAgent, values: Values): Reference[] {
  const found: Reference[] = [];
  const { agents, handoff, router, advisors, team, bestOf } = values;
  for (const [key, value] of Object.entries({ agents, handoff, router, advisors, team, bestOf })) {
    const written = Object.keys(parsed.frontmatter).find((name) => (KEY_ALIASES[name] ?? name) === key);
    if (written === undefined) continue;
    namesIn(value).forEach((name, index) => {
      found.push({ key, name: agentId(name), ...parsed.document.at([written, index]) });
    });
  }
  return found;
}

function namesIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isMapping(value)) return [];
  return REFERENCE_FIELDS.flatMap((field) => namesIn(value[field]));
}

function firstSentence(body: string): string {
  const line = body.split("\n").find((text) => /\p{L}/u.test(text)) ?? "";
  return line.replace(/^[#>*\-\s]+/, "").slice(0, 200);
}

function fileName(file: string): string {
  return file.replace(/^.*[/\\:]/, "").replace(/(\.agent|\.chatmode)?\.md$/i, "");
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
