// Computes the blast radius of an agent that a running tree is about to start: everything that this agent and the agents below it could do.
// Entries are marked as new if no agent that already works in the tree can do the same.

import { type BlastRadius, POWERS, type Power } from "../../journal/blast-radius.ts";
import type { Definition } from "../../journal/definition.ts";
import { canReach, powersOf } from "../../journal/tool-facts.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { rulesFor } from "../../permissions/rules.ts";
import {
  type AllowedTool,
  allNodes,
  allowedTools,
  type ReachNode,
  type ReachParts,
  reachFrom,
  type TreePosition,
} from "./reach.ts";
import { worstCase } from "./worst-case.ts";

export interface BlastRadiusParts extends ReachParts {
  from: TreePosition;
  /** The agents that already work in the tree, each with all deny rules that apply to it. */
  atWork: readonly { definition: Definition; deny: readonly string[] }[];
}

/** Maximum length of each list. The journal stores the lists, and people do not read longer ones. */
const MOST = 100;

export function blastRadius(agent: Definition, parts: BlastRadiusParts): BlastRadius {
  const { from, atWork, limits } = parts;
  const reach = reachFrom(agent, parts);
  const nodes = allNodes(reach.root).toSorted((a, b) => a.path.length - b.path.length);
  const now = atWork.flatMap(({ definition, deny }) => allowedTools(definition, deny, parts));
  const then = nodes.flatMap(({ tools }) => tools);
  const worst = worstCase(reach, parts);
  const ofTree = worst.unpriced ? Infinity : (limits.tree?.maxCost ?? Infinity);
  const maxCost = Math.min(worst.maxCost ?? Infinity, ofTree);
  return cutToRead({
    agent: agent.name,
    agents: agentsOf(nodes, new Set(atWork.map(({ definition }) => definition.name))),
    levels: Math.max(...nodes.map(({ depth }) => depth)) - from.depth,
    powers: powersIn(then, now),
    tools: toolsIn(nodes, now),
    hosts: hostsIn(
      { tools: then, definitions: nodes.map(({ definition }) => definition) },
      { tools: now, definitions: atWork.map(({ definition }) => definition) },
    ),
    never: deniedCallsIn(nodes),
    runs: worst.runs,
    turns: worst.turns,
    ...omitUndefined({ maxCost: Number.isFinite(maxCost) ? maxCost : undefined }),
  });
}

/** Names of tools and hosts that are reachable now, but were missing from the blast radius that the person saw. */
export function addedReach(shown: BlastRadius, now: BlastRadius): string[] {
  const hosts = new Set(shown.hosts.map(({ host }) => host));
  return [
    ...now.tools.filter((tool) => !shown.tools.some((one) => covers(one, tool))).map(({ name }) => name),
    ...now.hosts.filter(({ host }) => !reaches(hosts, host)).map(({ host }) => host),
  ];
}

function agentsOf(nodes: readonly ReachNode[], atWork: ReadonlySet<string>): BlastRadius["agents"] {
  const found = new Map<string, BlastRadius["agents"][number]>();
  for (const { agent, path } of nodes) {
    if (found.has(agent)) continue;
    const from = path.at(-2)?.to ?? nodes[0]!.agent;
    const how = path.length === 0 ? {} : { from, key: path.at(-1)!.key };
    found.set(agent, { agent, ...how, ...newMark(!atWork.has(agent)) });
  }
  return [...found.values()];
}

function powersIn(then: readonly AllowedTool[], now: readonly AllowedTool[]): BlastRadius["powers"] {
  const has = (tools: readonly AllowedTool[], power: Power): boolean =>
    tools.some((tool) => powersOf(tool).includes(power));
  return POWERS.filter((power) => has(then, power)).map((power) => ({ power, ...newMark(!has(now, power)) }));
}

function toolsIn(nodes: readonly ReachNode[], now: readonly AllowedTool[]): BlastRadius["tools"] {
  const held = new Map<string, { by: Set<string>; ways: AllowedTool[] }>();
  for (const { agent, tools } of nodes) {
    for (const tool of tools.filter((one) => powersOf(one).length > 0)) {
      const { by, ways } = held.get(tool.name) ?? { by: new Set(), ways: [] };
      held.set(tool.name, { by: by.add(agent), ways: [...ways, tool] });
    }
  }
  return [...held].map(([name, { by, ways }]) => {
    const only = ways.every((way) => way.only) ? [...new Set(ways.flatMap((way) => way.only!))] : undefined;
    const isMore = ways.some((way) => !now.some((have) => covers(have, way)));
    return omitUndefined({
      name,
      by: [...by],
      only,
      files: changedFiles(ways[0]!),
      isNew: isMore || undefined,
    });
  });
}

function changedFiles(tool: AllowedTool): "any" | "paths" | undefined {
  if (!canReach(tool, "files")) return undefined;
  return tool.target?.kind === "path" && tool.target.use === "changes" ? "paths" : "any";
}

type Named = Pick<AllowedTool, "name" | "only">;

/** True if `have` allows every call that `want` allows: `Bash` covers `Bash(npm test)`, and `Write` covers `Edit`. */
const covers = (have: Named, want: Named): boolean =>
  (have.name === want.name || (have.name === "Write" && want.name === "Edit")) &&
  (!have.only || (want.only?.every((rule) => have.only!.includes(asTool(have.name, rule))) ?? false));

const asTool = (name: string, rule: string): string => rule.replace(/^[^(]+/, name);

const ANY_HOST = "any host";
/** Names that mean a whole class of hosts. WebFetch declares "any public host" if it has no allow list. */
const ANY_HOSTS: ReadonlySet<string> = new Set([ANY_HOST, "any public host"]);

interface Holding {
  tools: readonly AllowedTool[];
  definitions: readonly Definition[];
}

function hostsIn(then: Holding, now: Holding): BlastRadius["hosts"] {
  const hosts = ({ tools, definitions }: Holding) =>
    new Set([
      ...tools.flatMap(hostsOf),
      // The tools of a server can be unknown until an agent that uses the server starts.
      ...definitions.flatMap(({ mcpServers = [] }) => mcpServers.map((name) => SERVER + name)),
    ]);
  const known = hosts(now);
  const all = [...hosts(then)];
  // If an agent can reach any host, there is no need to list single hosts.
  const told = all.includes(ANY_HOST)
    ? all.filter((host) => host === ANY_HOST || host.startsWith(SERVER))
    : all;
  return told.map((host) => ({
    host,
    ...(ANY_HOSTS.has(host) ? { isClass: true as const } : {}),
    ...newMark(!reaches(known, host)),
  }));
}

const reaches = (hosts: ReadonlySet<string>, host: string): boolean =>
  hosts.has(host) || (hosts.has(ANY_HOST) && !host.startsWith(SERVER));

const SERVER = "MCP server ";

/** The hosts that a tool declares. A command can reach every host that its sandbox allows. */
const hostsOf = (tool: AllowedTool): readonly string[] =>
  canReach(tool, "network") ? (tool.hosts ?? [ANY_HOST]) : [];

/** Rules that deny only some calls of a tool, and that apply to every agent with this tool. */
function deniedCallsIn(nodes: readonly ReachNode[]): string[] {
  const binds = (rule: string): boolean => {
    const holders = nodes.filter(({ tools }) =>
      tools.some(
        (tool) => powersOf(tool).length > 0 && rulesFor([rule], "wide", tool).some((one) => !one.bare),
      ),
    );
    return holders.length > 0 && holders.every(({ deny }) => deny.includes(rule));
  };
  return [...new Set(nodes.flatMap(({ deny }) => deny))].filter(binds);
}

const newMark = (isNew: boolean): { isNew?: true } => (isNew ? { isNew: true } : {});

function cutToRead(radius: BlastRadius): BlastRadius {
  let more = 0;
  const cut = <T>(list: readonly T[]): T[] => {
    more += Math.max(0, list.length - MOST);
    return list.slice(0, MOST);
  };
  const tools = cut(radius.tools).map(({ only, by, ...tool }) => ({
    ...tool,
    by: cut(by),
    ...omitUndefined({ only: only && cut(only) }),
  }));
  const lists = { agents: cut(radius.agents), tools, hosts: cut(radius.hosts), never: cut(radius.never) };
  return omitUndefined({ ...radius, ...lists, more: more || undefined });
}
