// Lists and describes agents, and reports the problems in broken agent files.

import { z } from "zod";
import { type Edge, edgesOf } from "../../agents/explain/edges.ts";
import { isTerminal } from "../../agents/explain/terminal-agents.ts";
import { CadreError } from "../../errors.ts";
import { Definition } from "../../journal/definition.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { EDGE_KEYS, ownToolsOf } from "../../patterns/declarations/facts.ts";
import { talliesByVersion } from "../../projections/usage/agent-tallies.ts";
import { AgentTally } from "../../projections/usage/usage-schema.ts";
import type { ApiParts, ListedAgent } from "../parts.ts";
import { findAgent, storedAgentName } from "../views/find-agent.ts";
import { latestRuns } from "../views/read-runs.ts";
import { agentExplanationRoute } from "./agent-explanation.ts";
import { agentReplayRoute } from "./agent-replay.ts";
import { route } from "./route.ts";
import { namedObject, nameSchema } from "./schemas.ts";
import { lookedFields } from "./usage.ts";

export const ProblemView = z.object({
  file: z.string(),
  line: z.int(),
  column: z.int(),
  code: z.string(),
  severity: z.enum(["error", "warning"]),
  message: z.string(),
  suggestion: z.string().exactOptional(),
});

export const AgentView = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  /** `main`: people can start the agent. `subagent`: only other agents can start it. Absent if the file is broken. */
  kind: z.enum(["main", "subagent"]).optional(),
  /** False if an MCP client cannot start the agent, although it is a main agent. */
  startable: z.literal(false).exactOptional(),
  /** Icon and color of the agent's badge, from its file. */
  icon: z.string().optional(),
  color: z.string().optional(),
  models: z.array(z.string()),
  file: z.string(),
  problems: z.array(ProblemView),
  /** The agent's origin. A project's agent overrides a user's agent with the same name, and a user's agent overrides a built-in agent. */
  scope: z.enum(["project", "user", "builtin"]),
  /** The product that the agent's file was written for. */
  dialect: z.string(),
  /** Agents that this agent can start, and the key in its file that names them. */
  edges: z.array(z.object({ key: z.enum(EDGE_KEYS), to: z.string() })),
  /** True if the agent's own text is the final answer. */
  isTerminal: z.boolean(),
  /** True if none of the agent's tools can change anything. */
  readOnly: z.boolean(),
  /** True if a module next to the agent's file controls the agent. */
  steps: z.boolean(),
});
export type AgentView = z.infer<typeof AgentView>;

export const Agents = namedObject("Agents", {
  agents: z.array(AgentView),
  /** Problems in files that define no agent. */
  problems: z.array(ProblemView),
});
export type Agents = z.infer<typeof Agents>;

export const AgentVersions = namedObject("AgentVersions", {
  /** One version for each definition that the agent's runs have used. The most recently used version comes first. */
  versions: z.array(
    z.object({
      definition: z.string(),
      ...AgentTally.shape,
      models: z.array(z.string()).exactOptional(),
      /** True if the agent's file has not changed since this version was used. */
      sameFile: z.boolean(),
    }),
  ),
  ...lookedFields,
});
export type AgentVersions = z.infer<typeof AgentVersions>;

export const AgentDetail = nameSchema(
  "AgentDetail",
  AgentView.extend({
    /** The definition that a new run would use. Absent if the file is broken. */
    definition: Definition.optional(),
    /** The file as it is on disk. Absent if the agent has no file of its own. */
    source: z
      .object({
        text: z.string(),
        /** The file's frontmatter. Empty if it cannot be parsed. */
        frontmatter: z.record(z.string(), z.unknown()),
        body: z.string(),
        /** Number of the line where the body starts. */
        bodyLine: z.int(),
      })
      .exactOptional(),
  }),
);
export type AgentDetail = z.infer<typeof AgentDetail>;

export function agentRoutes(parts: ApiParts) {
  return [
    route.get(
      "/api/agents",
      { summary: "All agents, and problems in their files", answer: Agents, etag: true },
      () => listOf(parts),
    ),
    route.post(
      "/api/agents/reload",
      {
        summary: "Read all agents from disk now, as every run does by itself",
        answer: Agents,
        role: "viewer",
      },
      () => listOf(parts),
    ),
    route.get(
      "/api/agents/{name}",
      { summary: "One agent", answer: AgentDetail, etag: true, allowSlashes: true },
      ({ params: { name } }) => detailOf(parts, name),
    ),
    agentExplanationRoute(parts),
    route.get(
      "/api/agents/{name}/versions",
      {
        summary: "Results of its latest runs, by pinned definition",
        answer: AgentVersions,
        allowSlashes: true,
      },
      ({ params: { name } }) => versionsOf(parts, name),
    ),
    agentReplayRoute(parts),
    route.get(
      "/api/definitions/{hash}",
      { summary: "A definition that runs have pinned", answer: Definition },
      async ({ params: { hash } }) => {
        const definition = await readDefinition(parts, hash);
        if (!definition) throw new CadreError("NOT_FOUND", `There is no definition ${hash}.`);
        return definition;
      },
    ),
  ];
}

async function detailOf(parts: ApiParts, name: string): Promise<z.input<typeof AgentDetail>> {
  const agent = await findAgent(parts, name);
  if (!agent)
    throw new CadreError("NOT_FOUND", `There is no agent ${name}. \`cadre agents\` lists all agents.`);
  const { definition, file } = agent;
  const source = await parts.agentFile(file);
  return {
    ...viewOf(agent, parts),
    ...(definition ? { definition: parts.people.mask.value({ ...definition }) } : {}),
    ...(source ? { source } : {}),
  };
}

/** Lists the versions of an agent. A deleted agent also has versions, because its runs remain. */
async function versionsOf(parts: ApiParts, name: string): Promise<z.input<typeof AgentVersions>> {
  const under = await storedAgentName(parts, name);
  const { rows, more } = await latestRuns(parts.store, under);
  const now = (await parts.agents(under)).agents.get(under)?.definition?.source.hash;
  const versions = talliesByVersion(rows).map(async (tally) => {
    const definition = await readDefinition(parts, tally.definition);
    const sameFile = definition !== undefined && definition.source.hash === now;
    return { ...tally, ...(definition ? { models: definition.models } : {}), sameFile };
  });
  return { versions: await Promise.all(versions), runs: rows.length, more };
}

/** Reads the definition with this hash. Returns undefined if the stored value is not a definition. */
async function readDefinition({ store }: ApiParts, hash: string): Promise<Definition | undefined> {
  const text = await store.blobs.get(hash);
  if (text === undefined || !text.startsWith("{")) return undefined;
  try {
    return Definition.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

async function listOf(parts: ApiParts): Promise<z.input<typeof Agents>> {
  const { agents, problems } = await parts.agents();
  const listed = [...agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const own = new Set(listed.flatMap((agent) => agent.problems));
  return {
    agents: listed.map((agent) => viewOf(agent, parts)),
    problems: parts.people.mask.value(problems.filter((problem) => !own.has(problem))),
  };
}

function viewOf(agent: ListedAgent, { people }: ApiParts): AgentView {
  const { name, file, scope, dialect, definition, problems, references } = agent;
  const { title, description = "", kind, icon, color, models = [] } = definition ?? {};
  return {
    name,
    // A person may have written a key into any text of the file, and a problem can repeat a text (A61).
    ...people.mask.value({
      description,
      ...omitUndefined({ title, icon, color }),
      models,
      problems: [...problems],
    }),
    ...omitUndefined({ kind }),
    // An agent that no model may start is for people alone, and an MCP client is a model.
    ...(definition?.startable === false || definition?.delegable === false ? { startable: false } : {}),
    file,
    scope,
    dialect,
    edges: definition ? edgesOf(definition) : edgesFrom(references),
    isTerminal: definition !== undefined && isTerminal(definition),
    readOnly: definition !== undefined && isReadOnly(definition, people.tools),
    steps: definition?.steps !== undefined,
  };
}

/** Lists the agents that a broken file refers to. The list contains only references that could be read. */
const edgesFrom = (references: ListedAgent["references"]): Edge[] =>
  references.flatMap(({ key, agent }) =>
    agent === undefined ? [] : [{ key: key as Edge["key"], to: agent }],
  );

/** Only the tool of a rule such as `Bash(ls)` matters. A tool that we do not know, such as an MCP tool, is assumed to change things. */
function isReadOnly(definition: Definition, known: ApiParts["people"]["tools"]): boolean {
  const { readOnly, tools } = definition;
  if (readOnly || ownToolsOf(definition)?.may === "none") return true;
  return tools.allow?.every((rule) => known.get(rule.replace(/\(.*$/s, ""))?.effect === "read") ?? false;
}
