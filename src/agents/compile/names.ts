// What agents are called, and who is meant by a name: in a file of an agent, or typed by a person.
//  N5  The folder (pack) of whoever asks first, then the full name, then base names and titles, the nearest scope first.
//      A pack keeps its meaning whatever lies beside it: a project's `researcher` is not that of a pack's `researcher`.
//      Several in the same scope are an error where the name is used, never where the files are loaded.

import { agentId } from "../../journal/agent-id.ts";
import type { Agent } from "../agent.ts";

export interface NameSource {
  /** Below the folder that was searched, with `/`: `core/reviewer.agent.md`. */
  below: string;
  /** In our own folders the folders below are packs, and part of the name. */
  packs: boolean;
}

/** `given`: what the file itself says. */
export function fullName(given: string | undefined, { below, packs }: NameSource): string {
  const path = agentId(below.replace(ENDINGS, "")) || "agent";
  const name = given === undefined ? "" : agentId(given);
  if (name === "") return path;
  const pack = packs ? path.split("/").slice(0, -1).join("/") : "";
  return pack === "" || name.startsWith(`${pack}/`) ? name : `${pack}/${name}`;
}

const ENDINGS = /(\.agent|\.chatmode)?\.(md|ai|toml|json|ya?ml)$/i;

/** Whoever can be meant by a name. */
export interface Named {
  name: string;
  scope: Agent["scope"];
}

export type ResolvedName<T> =
  | { agent: T }
  /** Nobody can tell which of them is meant. */
  | { candidates: string[] }
  | undefined;

/** `from`: whose file says the name. */
export type NameResolver<T> = (name: string, from?: Pick<Named, "name">) => ResolvedName<T>;

/** Who is meant by a name. */
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

/** A set never changes once it is assembled, and every delegation asks it. */
const resolvers = new WeakMap<ReadonlyMap<string, Named>, NameResolver<Named>>();

export const packOf = (name: string): string => name.split("/").slice(0, -1).join("/");

const SCOPES = ["project", "user", "builtin"] as const;

/** The same for many names. */
export function createNameResolver<T extends Named>(
  agents: ReadonlyMap<string, T>,
  titleOf: (agent: T) => string | undefined,
): NameResolver<T> {
  const byShortName = shortNames(agents, titleOf);
  return (name, from) => {
    const id = agentId(name);
    const pack = from === undefined ? "" : packOf(from.name);
    const near = pack === "" ? undefined : agents.get(`${pack}/${id}`);
    // Nobody means itself: a pack's `reviewer` that extends `reviewer` means another one.
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
