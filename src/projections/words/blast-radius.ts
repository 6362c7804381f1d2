// A blast radius as text, the same in the terminal and on the page: one line for the decision, and the details.

import type { BlastRadius } from "../../journal/blast-radius.ts";
import { ALL_PATTERNS } from "../../patterns/declarations/facts.ts";
import { money, plural } from "./format.ts";

/** The blast radius in one line: `could run commands, change src/**, reach 2 hosts, spend up to $3.00, 2 levels deep`. */
export function describeBlastRadius(radius: BlastRadius): string {
  const { agents, levels, maxCost } = radius;
  const may = [
    ...powerWords(radius),
    ...(agents.length > 1 ? [`start ${plural(agents.length - 1, "more agent")}`] : []),
    ...(levels > 0 ? [`go ${plural(levels, "level")} deeper`] : []),
    ...(maxCost === undefined ? ["spend without a limit of its own"] : [`spend up to ${money(maxCost)}`]),
  ];
  return `could ${may.join(", ")}`;
}

/** Tools and hosts that no working agent of the tree can use yet. */
export function newInBlastRadius({ tools, hosts }: BlastRadius): string[] {
  return [
    ...tools.flatMap(({ name, isNew }) => (isNew ? [name] : [])),
    ...hosts.flatMap(({ host, isNew }) => (isNew ? [host] : [])),
  ];
}

/** The patterns that restrict a tool, and the agents that have the tool. */
export function describeToolReach({ only, by }: BlastRadius["tools"][number]): string {
  const held = `held by ${joinNames(by, 4)}`;
  return only ? `only ${joinNames(only, 6)}; ${held}` : held;
}

/** Verbs for the keys of an agent's file that can name another agent. */
export const EDGE_VERBS: Readonly<Record<string, string>> = {
  agents: "delegates to",
  ...Object.fromEntries(ALL_PATTERNS.map(({ key, edge }) => [key, edge.verb])),
};

/** `worker delegates to editor`, or `worker is started` for the first agent. */
export function describeEdge({ agent, from, key }: BlastRadius["agents"][number]): string {
  return from === undefined ? `${agent} is started` : `${from} ${EDGE_VERBS[key ?? ""] ?? "starts"} ${agent}`;
}

export const describeWorstCase = ({ runs, turns }: BlastRadius): string =>
  `at worst ${plural(runs, "run")} and ${plural(turns, "turn")} of a model`;

function powerWords(radius: BlastRadius): string[] {
  const { powers, hosts } = radius;
  const has = (wanted: string): boolean => powers.some(({ power }) => power === wanted);
  if (powers.length === 0) return ["only read"];
  return [
    ...(has("commands") ? ["run commands"] : []),
    ...(has("files") ? [`change ${filesWords(radius, has("commands"))}`] : []),
    ...(has("network") ? [`reach ${hostsWords(hosts)}`] : []),
  ];
}

/** The paths that can be changed. If commands are allowed, restrictions to paths do not matter: a command can change any file. */
function filesWords({ tools }: BlastRadius, byCommands: boolean): string {
  const writing = tools.filter(({ files }) => files !== undefined);
  if (byCommands || writing.some(({ files, only }) => files === "any" || !only)) return "files";
  const patterns = writing.flatMap(({ only = [] }) =>
    only.map((rule) => rule.replace(/^\w+\((.*)\)$/s, "$1")),
  );
  return joinNames([...new Set(patterns)], 3);
}

function hostsWords(hosts: BlastRadius["hosts"]): string {
  if (hosts.length === 0) return "the network";
  const widest = hosts.find(({ isClass }) => isClass) ?? (hosts.length === 1 ? hosts[0] : undefined);
  return widest?.host ?? `${hosts.length} hosts`;
}

function joinNames(names: readonly string[], most: number): string {
  const more = names.length - most;
  return [...names.slice(0, most), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
