// The agents that a file names: where they stand, and whom they mean in a set. A delegate that does not exist is taken
// away with a warning; a pattern that names nobody cannot work, and is an error.

import { hasErrors, nearestWord, type Problem } from "../../config/problem.ts";
import type { Data, Path, YamlDocument } from "../../config/yaml.ts";
import type { Definition, Delegate } from "../../journal/definition.ts";
import type { Agent, Reference } from "../agent.ts";
import type { Draft } from "../files/draft.ts";
import { isMapping } from "../files/parse.ts";
import { type AgentValues, canonicalKey } from "../frontmatter.ts";
import { createNameResolver, type NameResolver } from "./names.ts";

/** As the file writes them, with the key that they count for. */
export function referencesOf(values: AgentValues, document: YamlDocument): Reference[] {
  const { agents, handoff, router, advisors, team, bestOf } = values;
  const written = Object.keys(document.data as Record<string, Data>);
  const found: Reference[] = [];
  for (const [key, value] of Object.entries({ agents, handoff, router, advisors, team, bestOf })) {
    const file = written.find((name) => canonicalKey(name) === key);
    if (file === undefined) continue;
    // With `router: true` the delegates are its destinations, and needed as such.
    const counts = key === "agents" && router === true ? "router" : key;
    for (const { name, path } of namesIn(value, [file])) {
      found.push({ key: counts, name, ...document.at(path) });
    }
  }
  return found;
}

/** Whom a draft may mean, before its keys are checked: its base as well. */
export function namedAgents({ keys }: Pick<Draft, "keys">): string[] {
  return Object.entries(keys)
    .filter(([written]) => NAMING.has(canonicalKey(written)))
    .flatMap(([key, value]) => namesIn(value, [key]))
    .flatMap(({ name }) => name.split(","));
}

const NAMING = new Set(["agents", "handoff", "router", "advisors", "team", "bestOf", "extends"]);

const FIELDS = ["agent", "agents", "destinations", "fallback", "members", "judge"];

function namesIn(value: unknown, path: Path): { name: string; path: Path }[] {
  if (typeof value === "string") return [{ name: value, path }];
  if (Array.isArray(value)) return value.flatMap((item, index) => namesIn(item, [...path, index]));
  if (!isMapping(value)) return [];
  return FIELDS.flatMap((field) => namesIn(value[field], [...path, field]));
}

/** Gives every reference its agent, and definitions the full names; says what is wrong with the others. */
export function resolveReferences(agents: ReadonlyMap<string, Agent>): void {
  const resolve = createNameResolver(agents, ({ definition }) => definition?.title);
  const resolved = [...agents.values()].map((agent) => {
    for (const reference of agent.references) resolveReference(agent, reference, { resolve, agents });
    return { agent, definition: agent.definition && withFullNames(agent.definition, agent, agents) };
  });
  for (const { agent, definition } of resolved) {
    agent.definition = hasErrors(agent.problems) ? undefined : definition;
  }
}

interface Surroundings {
  resolve: NameResolver<Agent>;
  agents: ReadonlyMap<string, Agent>;
}

function resolveReference(agent: Agent, reference: Reference, { resolve, agents }: Surroundings): void {
  const { key, name, line, column } = reference;
  const report = (problem: Pick<Problem, "code" | "message" | "suggestion" | "severity">) =>
    agent.problems.push({ file: agent.file, line, column, ...problem });
  const severity = key === "agents" ? "warning" : "error";
  const found = resolve(name, agent);
  if (!found) {
    const meant = nearestWord(name, agents.keys());
    const message = `\`${key}\` names \`${name}\`, and there is no such agent`;
    const suggestion = meant ? { suggestion: `did you mean \`${meant}\`?` } : {};
    report({ code: "UNKNOWN_AGENT", severity, message, ...suggestion });
  } else if ("candidates" in found) {
    const message = `\`${key}\` names \`${name}\`, which may be ${joinWithOr(found.candidates)}`;
    const suggestion = "write the full name";
    report({ code: "AMBIGUOUS_AGENT", severity: "error", message, suggestion });
  } else if (found.agent === agent) {
    report({ code: "SELF_REFERENCE", severity, message: `\`${key}\` names the agent itself` });
  } else reference.agent = found.agent.name;
}

export const joinWithOr = (names: readonly string[]): string =>
  names.map((name) => `\`${name}\``).join(" or ");

function withFullNames(definition: Definition, agent: Agent, agents: ReadonlyMap<string, Agent>): Definition {
  const { handoff, router, advisors, team, bestOf } = definition;
  const meant = new Map(
    agent.references.map((reference) => [`${reference.key} ${reference.name}`, reference.agent]),
  );
  // Each of them once: `planner` and `factory/planner` may be the same.
  const all = (key: string, names: readonly string[]) => [
    ...new Set(names.flatMap((name) => meant.get(`${key} ${name}`) ?? [])),
  ];
  const one = (key: string, name: string) => meant.get(`${key} ${name}`) ?? name;
  const key = router ? "router" : "agents";
  const delegates = delegatesOf(router?.destinations ?? definition.agents, (name) =>
    agents.get(meant.get(`${key} ${name}`) ?? ""),
  );
  return {
    ...definition,
    agents: router ? all("agents", definition.agents) : delegates.map((delegate) => delegate.agent),
    ...(delegates.length > 0 ? { delegates } : {}),
    ...(handoff === undefined ? {} : { handoff: { ...handoff, agent: one("handoff", handoff.agent) } }),
    ...(router
      ? {
          router: {
            ...router,
            destinations: all("router", router.destinations),
            ...(router.fallback === undefined ? {} : { fallback: one("router", router.fallback) }),
          },
        }
      : {}),
    ...(advisors ? { advisors: { ...advisors, agents: all("advisors", advisors.agents) } } : {}),
    ...(team ? { team: { ...team, members: all("team", team.members) } } : {}),
    ...(bestOf?.judge === undefined ? {} : { bestOf: { ...bestOf, judge: one("bestOf", bestOf.judge) } }),
  };
}

/** What a model is told of a delegate goes into a tool's schema: some descriptions run to pages. */
const MAX_DESCRIPTION = 1_024;

function delegatesOf(names: readonly string[], find: (name: string) => Agent | undefined): Delegate[] {
  const found = new Map<string, Delegate>();
  for (const name of names) {
    const agent = find(name);
    if (!agent || found.has(agent.name)) continue;
    const description = (agent.definition?.description ?? "").slice(0, MAX_DESCRIPTION);
    found.set(agent.name, { name, agent: agent.name, description });
  }
  return [...found.values()];
}
