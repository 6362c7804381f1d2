// `ToolSearch` and `mcp_call`: how an agent uses many tools of MCP servers without carrying all their schemas in its prompt.
// The list of tools never changes during a run (J12). A search returns schemas, and the agent calls the found tools through `mcp_call`.
// Journal folds, rules and approvals treat a call through `mcp_call` as a call of the tool that it names (`toolCallsOf`).

import { z } from "zod";
import { nearestWord } from "../../../config/problem.ts";
import type { Definition, Effect } from "../../../journal/definition.ts";
import { MCP_CALL } from "../../../journal/message.ts";
import type { ToolFacts } from "../../../journal/tool-facts.ts";
import { type DeclaredTool, jsonSchema, type ToolGate } from "./declared-tool.ts";

export const TOOL_SEARCH = "ToolSearch";

/** An agent with more MCP tools than this gets only their names. */
export const MAX_LISTED_TOOLS = 40;

export interface SearchableTool extends ToolFacts {
  name: string;
  description: string;
  effect: Effect;
}

type Tools = ReadonlyMap<string, SearchableTool>;

/** True if the MCP servers have more tools than an agent's list can have. */
export function hasManyServerTools(tools: ReadonlyMap<string, Pick<SearchableTool, "server">>): boolean {
  let count = 0;
  for (const { server } of tools.values()) if (server !== undefined) count++;
  return count > MAX_LISTED_TOOLS;
}

/** The tools that are left out of an agent's list because the agent has too many. Empty if all are listed. */
export function unlistedTools<T extends SearchableTool>(
  definition: Definition,
  { tools, offers }: { tools: ReadonlyMap<string, T>; offers: ToolGate["offers"] },
): T[] {
  if (!hasManyServerTools(tools)) return [];
  const own = [...new Set(tools.values())].filter(
    (tool) => tool.server !== undefined && offers(definition, tool),
  );
  return own.length > MAX_LISTED_TOOLS ? own : [];
}

const MAX_FOUND = 5;

export const SearchInput = z.object({
  query: z.string().min(1).describe("What the tool should do, in a few words, or names of tools"),
  limit: z.int().min(1).max(20).optional().describe(`How many tools to show (${MAX_FOUND})`),
});

const CallInput = z.object({
  tool: z.string().describe("The tool's full name: mcp__server__name"),
  input: z.record(z.string(), z.unknown()).describe("The tool's own input, as ToolSearch shows it"),
});

const SEARCH_SCHEMA = jsonSchema(SearchInput, true);
const CALL_SCHEMA = jsonSchema(CallInput, true);

export const toolSearch: DeclaredTool = {
  name: TOOL_SEARCH,
  kind: "loop",
  effect: "read",
  reaches: [],
  unlisted: true,
  needsServerTools: true,
  offered({ definition }, { offers, tools = NO_TOOLS }) {
    const unlisted = unlistedTools(definition, { tools, offers });
    if (unlisted.length === 0) return [];
    const description = `Shows what tools of MCP servers do, and their input. Then call them with ${MCP_CALL}. There are:\n${listNames(unlisted)}`;
    return [{ name: TOOL_SEARCH, description, schema: SEARCH_SCHEMA }];
  },
};

export const mcpCall: DeclaredTool = {
  name: MCP_CALL,
  kind: "loop",
  effect: "read",
  reaches: [],
  unlisted: true,
  needsServerTools: true,
  offered({ definition }, { offers, tools = NO_TOOLS }) {
    if (unlistedTools(definition, { tools, offers }).length === 0) return [];
    const description = `Calls a tool that ${TOOL_SEARCH} has found.`;
    return [{ name: MCP_CALL, description, schema: CALL_SCHEMA }];
  },
};

const NO_TOOLS: Tools = new Map();

/** One line for each server, with the names of its tools. */
function listNames(tools: readonly SearchableTool[]): string {
  const servers = Map.groupBy(tools, ({ name }) => name.slice(0, prefixLength(name)));
  return [...servers]
    .map(([prefix, own]) => `${prefix} ${own.map(({ name }) => name.slice(prefix.length)).join(", ")}`)
    .join("\n");
}

/** Length of `mcp__server__` in a tool's name. A name without a server, such as `mcp__create_issue`, has only `mcp__`. */
function prefixLength(name: string): number {
  const end = name.indexOf("__", PREFIX.length);
  return end < 0 ? PREFIX.length : end + 2;
}

const PREFIX = "mcp__";

/** The tools that match a query best. Exact names come first. A word that many tools share counts little. */
export function searchTools<T extends SearchableTool>(
  { query, limit = MAX_FOUND }: z.output<typeof SearchInput>,
  tools: readonly T[],
): T[] {
  const given = new Set(query.toLowerCase().split(/[\s,]+/));
  const found = tools.map((tool) => ({ tool, score: isGiven(tool, given) ? Number.POSITIVE_INFINITY : 0 }));
  const texts = tools.map(({ name, description }) => ({
    inName: wordsOf(name.slice(prefixLength(name))),
    inText: wordsOf(`${name} ${description}`),
  }));
  for (const word of wordsOf(query)) {
    const weight = Math.log(tools.length / (1 + texts.filter(({ inText }) => inText.has(word)).length));
    for (const [at, { inName, inText }] of texts.entries())
      if (inText.has(word)) found[at]!.score += Math.max(0, weight) * (inName.has(word) ? 3 : 1);
  }
  return (
    found
      .filter(({ score }) => score > 0)
      // Two exact matches have the score Infinity, and the difference of their scores is NaN.
      .toSorted((left, right) => right.score - left.score || 0)
      .slice(0, limit)
      .map(({ tool }) => tool)
  );
}

const isGiven = ({ name }: SearchableTool, given: ReadonlySet<string>): boolean =>
  given.has(name.toLowerCase()) || given.has(name.slice(prefixLength(name)).toLowerCase());

/** The words of a text. A plural s at the end of a word is removed. */
const wordsOf = (text: string): Set<string> =>
  new Set(
    text
      .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .map((word) => (word.length > 3 ? word.replace(/s$/, "") : word))
      .filter((word) => word.length > 1),
  );

/** The tools that the model probably meant when it used a name that no tool has. */
export function nearestTools(name: string, tools: readonly SearchableTool[]): string[] {
  const names = tools.map((tool) => tool.name);
  const meant = nearestWord(name, names) ?? shortNamed(name, names);
  const alike = searchTools({ query: name }, tools).map((tool) => tool.name);
  return [...new Set([...(meant === undefined ? [] : [meant]), ...alike])].slice(0, MAX_FOUND);
}

/** Compares tool names without their servers, and returns the tool with the most similar name. */
function shortNamed(name: string, names: readonly string[]): string | undefined {
  const byShort = new Map(names.map((full) => [full.slice(prefixLength(full)), full]));
  const short = name.startsWith(PREFIX) ? name.slice(prefixLength(name)) : name;
  return byShort.get(nearestWord(short, byShort.keys()) ?? "");
}
