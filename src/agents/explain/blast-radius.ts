// What could come of it if an agent were started here: what it and everybody whom it could start may do, and what of that
// nobody at work in the tree can do already. Pure: of the agents as they are now, and of what binds them from above.

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
import { DEFAULT_TREE_RUNS, worstCase } from "./worst-case.ts";

export interface BlastRadiusParts extends ReachParts {
  from: TreePosition;
  /** Those at work in the tree, with all that is denied to each. */
  atWork: readonly { definition: Definition; deny: readonly string[] }[];
}

/** More than anybody reads of a list, or wants in a journal. */
const MOST = 100;

export function blastRadius(agent: Definition, parts: BlastRadiusParts): BlastRadius {
  const { from, atWork, limits } = parts;
  const { root, stops } = reachFrom(agent, parts);
  const places = allNodes(root).toSorted((a, b) => a.path.length - b.path.length);
  const now = atWork.flatMap(({ definition, deny }) => allowedTools(definition, deny, parts));
  const then = places.flatMap(({ tools }) => tools);
  const whole = stops.every(({ why }) => why !== "too-many");
  const worst = worstCase(root, { maxRuns: limits.tree?.maxRuns ?? DEFAULT_TREE_RUNS, whole });
  const maxCost = Math.min(worst.maxCost ?? Infinity, limits.tree?.maxCost ?? Infinity);
  return cutToRead({
    agent: agent.name,
    agents: agentsOf(places, new Set(atWork.map(({ definition }) => definition.name))),
    levels: Math.max(...places.map(({ depth }) => depth)) - from.depth,
    powers: powersIn(then, now),
    tools: toolsIn(places, now),
    hosts: hostsIn(
      { tools: then, definitions: places.map(({ definition }) => definition) },
      { tools: now, definitions: atWork.map(({ definition }) => definition) },
    ),
    never: neverIn(places),
    runs: worst.runs,
    turns: worst.turns,
    ...omitUndefined({ maxCost: Number.isFinite(maxCost) ? maxCost : undefined }),
  });
}

/** What could be done now that could not when it was shown, in names. */
export function addedReach(shown: BlastRadius, now: BlastRadius): string[] {
  const hosts = new Set(shown.hosts.map(({ host }) => host));
  return [
    ...now.tools.filter((tool) => !shown.tools.some((one) => covers(one, tool))).map(({ name }) => name),
    ...now.hosts.filter(({ host }) => !reaches(hosts, host)).map(({ host }) => host),
  ];
}

function agentsOf(places: readonly ReachNode[], atWork: ReadonlySet<string>): BlastRadius["agents"] {
  const found = new Map<string, BlastRadius["agents"][number]>();
  for (const { agent, path } of places) {
    if (found.has(agent)) continue;
    const from = path.at(-2)?.to ?? places[0]!.agent;
    const how = path.length === 0 ? {} : { from, key: path.at(-1)!.key };
    found.set(agent, { agent, ...how, ...marked(!atWork.has(agent)) });
  }
  return [...found.values()];
}

function powersIn(then: readonly AllowedTool[], now: readonly AllowedTool[]): BlastRadius["powers"] {
  const has = (tools: readonly AllowedTool[], power: Power): boolean =>
    tools.some((tool) => powersOf(tool).includes(power));
  return POWERS.filter((power) => has(then, power)).map((power) => ({ power, ...marked(!has(now, power)) }));
}

function toolsIn(places: readonly ReachNode[], now: readonly AllowedTool[]): BlastRadius["tools"] {
  const held = new Map<string, { by: Set<string>; ways: AllowedTool[] }>();
  for (const { agent, tools } of places) {
    for (const tool of tools.filter((one) => powersOf(one).length > 0)) {
      const { by, ways } = held.get(tool.name) ?? { by: new Set(), ways: [] };
      held.set(tool.name, { by: by.add(agent), ways: [...ways, tool] });
    }
  }
  return [...held].map(([name, { by, ways }]) => {
    const only = ways.every((way) => way.only) ? [...new Set(ways.flatMap((way) => way.only!))] : undefined;
    const isMore = ways.some((way) => !now.some((have) => covers(have, way)));
    return omitUndefined({ name, by: [...by], only, isNew: isMore || undefined });
  });
}

type Named = Pick<AllowedTool, "name" | "only">;

/** `Bash` is at least `Bash(npm test)`, and that is at least itself. What may write a file may edit it. */
const covers = (have: Named, want: Named): boolean =>
  (have.name === want.name || (have.name === "Write" && want.name === "Edit")) &&
  (!have.only || (want.only?.every((rule) => have.only!.includes(asTool(have.name, rule))) ?? false));

const asTool = (name: string, rule: string): string => rule.replace(/^[^(]+/, name);

const ANY_HOST = "any host";

interface Holding {
  tools: readonly AllowedTool[];
  definitions: readonly Definition[];
}

function hostsIn(then: Holding, now: Holding): BlastRadius["hosts"] {
  const hosts = ({ tools, definitions }: Holding) =>
    new Set([
      ...tools.flatMap(hostsOf),
      // What a server offers may not be known before somebody is started who uses it.
      ...definitions.flatMap(({ mcpServers = [] }) => mcpServers.map((name) => SERVER + name)),
    ]);
  const known = hosts(now);
  const all = [...hosts(then)];
  // Beside any host others say nothing.
  const told = all.includes(ANY_HOST)
    ? all.filter((host) => host === ANY_HOST || host.startsWith(SERVER))
    : all;
  return told.map((host) => ({ host, ...marked(!reaches(known, host)) }));
}

const reaches = (hosts: ReadonlySet<string>, host: string): boolean =>
  hosts.has(host) || (hosts.has(ANY_HOST) && !host.startsWith(SERVER));

const SERVER = "MCP server ";

/** The hosts that a tool declares. A command may reach whatever its sandbox lets it. */
const hostsOf = (tool: AllowedTool): readonly string[] =>
  canReach(tool, "network") ? (tool.hosts ?? [ANY_HOST]) : [];

/** Rules with a pattern: they leave the tool, and forbid some of its calls. Only what binds everybody who has it counts. */
function neverIn(places: readonly ReachNode[]): string[] {
  const binds = (rule: string): boolean => {
    const holders = places.filter(({ tools }) =>
      tools.some(
        (tool) => powersOf(tool).length > 0 && rulesFor([rule], "wide", tool).some((one) => !one.bare),
      ),
    );
    return holders.length > 0 && holders.every(({ deny }) => deny.includes(rule));
  };
  return [...new Set(places.flatMap(({ deny }) => deny))].filter(binds);
}

const marked = (isNew: boolean): { isNew?: true } => (isNew ? { isNew: true } : {});

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
