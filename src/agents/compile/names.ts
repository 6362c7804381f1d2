// Finds the agent that a name refers to. The name can be in an agent's file or on the command line.
//  N5  A name is looked up in three steps: in the pack of the file that uses it, as a full name, and as a base name or title.
//      The nearest scope wins. If a pack has its own `researcher`, the pack's files always mean that agent.
//      If several agents of one scope match a name, using this name is an error. The agents' files are still loaded.

import { agentId } from "../../journal/agent-id.ts";
import type { Agent } from "../agent.ts";

export interface NameSource {
  /** Path of the file below the searched folder, with `/` as separator: `core/reviewer.agent.md`. */
  below: string;
  /** True if subfolders are packs, so that an agent's name includes its subfolder. True only for Cadre's own folders. */
  packs: boolean;
}

/** Returns the full name of an agent. `given` is the name that the file itself states. */
export function fullName(given: string | undefined, { below, packs }: NameSource): string {
  const path = agentId(below.replace(ENDINGS, "")) || "agent";
  const name = given === undefined ? "" : agentId(given);
  if (name === "") return path;
  const pack = packs ? path.split("/").slice(0, -1).join("/") : "";
  return pack === "" || name.startsWith(`${pack}/`) ? name : `${pack}/${name}`;
}

const ENDINGS = /(\.agent|\.chatmode)?\.(md|ai|toml|json|ya?ml)$/i;

/** An agent or a draft that a name can refer to. */
export interface Named {
  name: string;
  scope: Agent["scope"];
}

export type ResolvedName<T> =
  | { agent: T }
  /** Full names of several agents that match equally well. */
  | { candidates: string[] }
  | undefined;

/** `from` is the agent whose file uses the name. */
export type NameResolver<T> = (name: string, from?: Pick<Named, "name">) => ResolvedName<T>;

/** Finds the agent that a name refers to in a complete set. */
export function resolveName<T extends Named & Pick<Agent, "definition">>(
  { agents }: { agents: ReadonlyMap<string, T> },
  name: string,
  from?: Pick<Named, "name">,
): ResolvedName<T> {
  const known = resolvers.get(agents) as NameResolver<T> | undefined;
  const resolve = known ?? createNameResolver(agents, ({ definition }) => definition?.title);
  if (!known) resolvers.set(agents, resolve);
  return resolve(name, from);
}

/** The resolvers are cached, because every delegation resolves a name and a set never changes after it is assembled. */
const resolvers = new WeakMap<ReadonlyMap<string, Named>, NameResolver<Named>>();

export const packOf = (name: string): string => name.split("/").slice(0, -1).join("/");

const SCOPES = ["project", "user", "builtin"] as const;

export function createNameResolver<T extends Named>(
  agents: ReadonlyMap<string, T>,
  titleOf: (agent: T) => string | undefined,
): NameResolver<T> {
  const byShortName = shortNames(agents, titleOf);
  return (name, from) => {
    const id = agentId(name);
    const pack = from === undefined ? "" : packOf(from.name);
    const near = pack === "" ? undefined : agents.get(`${pack}/${id}`);
    // If the `reviewer` of a pack says `extends: reviewer`, it means the `reviewer` outside the pack and not itself.
    const found = near && near.name !== from?.name ? near : (agents.get(id) ?? near);
    if (found) return { agent: found };
    const candidates = byShortName.get(id) ?? [];
    for (const scope of SCOPES) {
      const [first, ...others] = candidates.filter((agent) => agent.scope === scope);
      if (first && others.length === 0) return { agent: first };
      if (first) return { candidates: [first, ...others].map((agent) => agent.name).sort() };
    }
    return undefined;
  };
}

function shortNames<T extends Named>(
  agents: ReadonlyMap<string, T>,
  titleOf: (agent: T) => string | undefined,
): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const agent of agents.values()) {
    const title = titleOf(agent);
    const names = [agent.name.split("/").at(-1)!, ...(title === undefined ? [] : [agentId(title)])];
    for (const name of new Set(names)) {
      const others = found.get(name);
      if (others) others.push(agent);
      else found.set(name, [agent]);
    }
  }
  return found;
}
