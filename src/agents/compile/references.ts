// Finds the references to other agents in a file, with their positions, and resolves them in the set.
// A delegate that does not exist is removed with a warning.
// A pattern that names a missing agent is an error, because the pattern cannot work.

import { hasErrors, type Problem, suggestWord } from "../../config/problem.ts";
import type { Data, Path, YamlDocument } from "../../config/yaml.ts";
import type { Definition, Delegate } from "../../journal/definition.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { ALL_PATTERNS, type PatternKey, patternsIn } from "../../patterns/declarations/facts.ts";
import type { Agent, Reference } from "../agent.ts";
import type { Draft } from "../files/draft.ts";
import { isMapping } from "../files/parse.ts";
import { type AgentValues, canonicalKey } from "../frontmatter.ts";
import { createNameResolver, type NameResolver } from "./names.ts";
import { ALL_SUBAGENTS, policyDelegates } from "./tool-gate.ts";

/** The references in a file. Each reference has the name as the file spells it, and the key that contains it. */
export function referencesOf(values: AgentValues, document: YamlDocument): Reference[] {
  const written = Object.keys(document.data as Record<string, Data>);
  // With `router: true`, the names in `agents` are the router's destinations.
  const taker = ALL_PATTERNS.find(({ key, takesDelegates }) => takesDelegates?.(values[key as PatternKey]));
  const named = NAMING_KEYS.flatMap((key) => {
    const file = written.find((name) => canonicalKey(name) === key);
    if (file === undefined) return [];
    const countsFor = key === "agents" && taker ? taker.key : key;
    const names = namesIn(values[key as keyof AgentValues], [file], fieldsOf(key));
    return names.map(({ name, path }) => ({ key: countsFor, name, ...document.at(path) }));
  });
  const targets = written.find((word) => canonicalKey(word) === "delegate_targets");
  const at = document.at([targets ?? "policy"], "key");
  const granted = policyDelegates(values) ?? [];
  return [...named, ...granted.map((name) => ({ key: "agents", by: "delegate_targets", name, ...at }))];
}

/** The names of all agents that a draft refers to, including its base. The draft's keys are not checked yet. */
export function namedAgents({ keys }: Pick<Draft, "keys">): string[] {
  const naming = [...NAMING_KEYS, "extends"];
  return Object.entries(keys)
    .map(([written, value]) => ({ key: canonicalKey(written), value }))
    .filter(({ key }) => naming.includes(key))
    .flatMap(({ key, value }) => namesIn(value, [key], fieldsOf(key)))
    .flatMap(({ name }) => name.split(","));
}

const NAMING_KEYS: readonly string[] = [
  "agents",
  ...ALL_PATTERNS.filter(({ agentFields }) => agentFields.length > 0).map(({ key }) => key),
];

const fieldsOf = (key: string): readonly string[] =>
  ALL_PATTERNS.find((pattern) => pattern.key === key)?.agentFields ?? [];

function namesIn(value: unknown, path: Path, fields: readonly string[]): { name: string; path: Path }[] {
  if (typeof value === "string") return [{ name: value, path }];
  if (Array.isArray(value)) return value.flatMap((item, index) => namesIn(item, [...path, index], fields));
  if (!isMapping(value)) return [];
  return fields.flatMap((field) => namesIn(value[field], [...path, field], []));
}

/** Resolves every reference and puts full names into the definitions. Reports references to missing agents. */
export function resolveReferences(agents: ReadonlyMap<string, Agent>): void {
  const resolve = createNameResolver(agents, ({ definition }) => definition?.title);
  for (const agent of agents.values()) nameAllAgents(agent, agents);
  const resolved = [...agents.values()].map((agent) => {
    for (const reference of agent.references) resolveReference(agent, reference, { resolve, agents });
    return { agent, definition: agent.definition && withFullNames(agent.definition, agent, agents) };
  });
  for (const { agent, definition } of resolved) {
    agent.definition = hasErrors(agent.problems) ? undefined : definition;
  }
  for (const agent of agents.values())
    agent.definition = agent.definition && withMains(agent.definition, agent, agents);
}

/** Adds the names of the main agents that a main agent can send messages to. They have its scope, and other agents may start them. */
function withMains(
  { mains, ...definition }: Definition,
  agent: Agent,
  agents: ReadonlyMap<string, Agent>,
): Definition {
  if (mains === undefined) return definition;
  const names = [...agents.values()]
    .filter((other) => other !== agent && other.scope === agent.scope && mayBeStarted(other))
    .filter((other) => other.definition!.kind === "main")
    .map(({ name }) => name);
  return names.length === 0 ? definition : { ...definition, mains: names };
}

/** `agents: "*"` names every agent of the project and of the user that another agent may start, and `Delegate` in `policy` names every
 * subagent. Built-in agents are left out. */
function nameAllAgents(agent: Agent, agents: ReadonlyMap<string, Agent>): void {
  if (!agent.definition) {
    agent.references = agent.references.filter(({ key, name }) => key !== "agents" || !WORDS.has(name));
    return;
  }
  const others = [...agents.values()].filter((other) => other !== agent && mayBeStarted(other));
  for (const [word, chosen] of [
    [ALL, others],
    [ALL_SUBAGENTS, others.filter((other) => other.definition?.kind === "subagent")],
  ] as const) {
    const isWord = ({ key, name }: Reference) => key === "agents" && name === word;
    const reference = agent.references.find(isWord);
    if (!reference) continue;
    const names = chosen.map(({ name }) => name);
    agent.references = agent.references.flatMap((each) =>
      isWord(each) ? names.map((name) => ({ ...each, name })) : [each],
    );
    const named: string[] = agent.definition!.agents.flatMap((name) => (name === word ? names : [name]));
    agent.definition = { ...agent.definition!, agents: named };
    if (word === ALL_SUBAGENTS && names.length === 0) reportNoSubagents(agent, reference);
  }
}

/** Reports an agent that may delegate but has no agent to start. */
function reportNoSubagents(agent: Agent, { line, column }: Reference): void {
  const message = "its `policy` has `Delegate`, but the project has no subagent: it cannot delegate";
  const suggestion = "add a file with `kind: subagent`, or name agents in `agents`";
  agent.problems.push({
    file: agent.file,
    line,
    column,
    severity: "warning",
    code: "NO_SUBAGENTS",
    message,
    suggestion,
  });
}

const ALL = "*";
const WORDS: ReadonlySet<string> = new Set([ALL, ALL_SUBAGENTS]);

const mayBeStarted = ({ scope, definition }: Agent): boolean =>
  scope !== "builtin" && definition !== undefined && definition.delegable !== false;

interface Surroundings {
  resolve: NameResolver<Agent>;
  agents: ReadonlyMap<string, Agent>;
}

function resolveReference(agent: Agent, reference: Reference, { resolve, agents }: Surroundings): void {
  const { key, by = key, name, line, column } = reference;
  const report = (problem: Pick<Problem, "code" | "message" | "suggestion" | "severity">) =>
    agent.problems.push({ file: agent.file, line, column, ...problem });
  const severity = key === "agents" ? "warning" : "error";
  const found = resolve(name, agent);
  if (!found) {
    const message = `\`${by}\` names \`${name}\`, and there is no such agent`;
    report({ code: "UNKNOWN_AGENT", severity, message, ...suggestWord(name, agents.keys()) });
  } else if ("candidates" in found) {
    const message = `\`${by}\` names \`${name}\`, which may be ${joinWithOr(found.candidates)}`;
    const suggestion = "write the full name";
    report({ code: "AMBIGUOUS_AGENT", severity: "error", message, suggestion });
  } else if (found.agent === agent) {
    report({ code: "SELF_REFERENCE", severity, message: `\`${by}\` names the agent itself` });
  } else reference.agent = found.agent.name;
}

export const joinWithOr = (names: readonly string[]): string =>
  names.map((name) => `\`${name}\``).join(" or ");

function withFullNames(definition: Definition, agent: Agent, agents: ReadonlyMap<string, Agent>): Definition {
  const meant = new Map(
    agent.references.map((reference) => [`${reference.key} ${reference.name}`, reference.agent]),
  );
  // Removes duplicates, because `planner` and `factory/planner` can be the same agent.
  const all = (key: string, names: readonly string[]) => [
    ...new Set(names.flatMap((name) => meant.get(`${key} ${name}`) ?? [])),
  ];
  const chooser = patternsIn(definition).find(({ pattern }) => pattern.choices);
  const key = chooser?.pattern.key ?? "agents";
  const delegates = delegatesOf(
    chooser?.pattern.choices?.(chooser.own) ?? definition.agents,
    (name) => agents.get(meant.get(`${key} ${name}`) ?? ""),
    definition.context,
  );
  const fullNames = (key: string, names: string | readonly string[]) =>
    typeof names === "string" ? (meant.get(`${key} ${names}`) ?? names) : all(key, names);
  const patterns = patternsIn(definition).map(({ pattern, own }) => {
    const written = own as Record<string, string | readonly string[] | undefined>;
    const fields = pattern.agentFields.filter((field) => written[field] !== undefined);
    const named = fields.map((field) => [field, fullNames(pattern.key, written[field]!)]);
    return [pattern.key, { ...written, ...Object.fromEntries(named) }];
  });
  return {
    ...definition,
    agents: chooser ? all("agents", definition.agents) : delegates.map((delegate) => delegate.agent),
    ...(delegates.length > 0 ? { delegates } : {}),
    ...Object.fromEntries(patterns),
  };
}

/** Maximum length of a delegate's description in a tool's schema. Some descriptions are pages long. */
const MAX_DESCRIPTION = 1_024;

function delegatesOf(
  names: readonly string[],
  find: (name: string) => Agent | undefined,
  inherited: Definition["context"],
): Delegate[] {
  const found = new Map<string, Delegate>();
  for (const name of names) {
    const agent = find(name);
    if (!agent || found.has(agent.name)) continue;
    const description = (agent.definition?.description ?? "").slice(0, MAX_DESCRIPTION);
    const context = agent.definition?.context ?? inherited;
    found.set(agent.name, { name, agent: agent.name, description, ...omitUndefined({ context }) });
  }
  return [...found.values()];
}
