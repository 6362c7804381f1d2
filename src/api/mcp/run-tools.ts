// MCP tools that start and read runs.

import { randomUUID } from "node:crypto";
import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { AgentView } from "../routes/agents.ts";
import { awaitRun } from "./await-run.ts";
import { type McpTool, mcpTool, type WithClient } from "./tool.ts";
import { agentView, eventsUri, readRunView, runUri } from "./views.ts";

const MAX_EVENTS = 500;
const runId = z.string().min(1).describe("The run's id, or the beginning of it.");

/** The spawn tool of contract S1, section 4.2. */
const spawn = mcpTool({
  name: "spawn",
  title: "Start an agent",
  description:
    "Starts a run of an agent and returns at once with its id: the run works on by itself and survives restarts. With awaitResult, the call waits for the result. Follow a run by its resource or by run_status; it may stop to ask for a decision.",
  kind: "acts",
  input: z.strictObject({
    agentType: z.string().min(1).describe("A name from list_agents."),
    task: z.string().min(1).describe("What it should do. It sees nothing of your conversation: be complete."),
    context: z.record(z.string(), z.unknown()).optional().describe("Anything else that it should know."),
    model: z.string().min(1).optional().describe("A model other than its own."),
    maxTurns: z.int().positive().optional().describe("At most this many turns."),
    awaitResult: z
      .boolean()
      .optional()
      .describe(
        "Wait until the run has ended or needs a decision, and return its status and result. The default is false.",
      ),
  }),
  async call({ agentType, task, context, model, maxTurns, awaitResult }, ask, call) {
    await checkStartable(agentType, ask);
    const request = {
      agent: agentType,
      task,
      attended: true,
      ...omitUndefined({ input: context, model, limits: maxTurns === undefined ? undefined : { maxTurns } }),
    };
    const key = randomUUID();
    const { runId: id } = await ask((client) =>
      client.post("/api/runs", { body: request, idempotencyKey: key }),
    );
    const progress = {
      uri: runUri(id),
      name: `run ${id}`,
      description: `The status and result of ${agentType}.`,
    };
    const spawned = { agentId: id, runId: id, status: "spawned", progress: progress.uri };
    if (!awaitResult) return { result: spawned, links: [progress] };
    await awaitRun(id, ask, call);
    const run = await readRunView(id, ask);
    const next = `Not over yet: read or subscribe to ${progress.uri}, or call run_status. \`needs\` says what waits for a decision.`;
    return { result: { ...spawned, ...run, ...(run.isOver ? {} : { next }) }, links: [progress] };
  },
});

/** S1-8, S1-19: an MCP client cannot start subagents, nor agents whose files say that only other agents or people start them. */
async function checkStartable(agentType: string, ask: WithClient): Promise<void> {
  const { agents } = await ask((client) => client.get("/api/agents"));
  const mayStart = ({ kind, startable }: AgentView): boolean => kind === "main" && startable !== false;
  const agent = agents.find(({ name }) => name === agentType);
  // A broken file has no kind. The server says what is wrong with it.
  if (agent?.kind === undefined || mayStart(agent)) return;
  const names = agents.filter(mayStart).map(({ name }) => name);
  throw new CadreError(
    "FORBIDDEN",
    `an MCP client cannot spawn ${agentType}, which only other agents or people may start. It may spawn: ${names.join(", ")}.`,
  );
}

const listAgents = mcpTool({
  name: "list_agents",
  title: "List the agents",
  description: "The agents of this project, with their purpose and the agents that each may start.",
  kind: "reads",
  input: z.strictObject({}),
  async call(_, ask) {
    const { agents } = await ask((client) => client.get("/api/agents"));
    return { result: { agents: agents.filter(({ kind }) => kind !== undefined).map(agentView) } };
  },
});

const runStatus = mcpTool({
  name: "run_status",
  title: "Look at a run",
  description:
    "The status of a run: what it waits for, the decisions that it needs, its children, its cost, and its result once it has ended.",
  kind: "reads",
  input: z.strictObject({ runId }),
  call: async ({ runId: id }, ask) => ({ result: await readRunView(id, ask) }),
});

const runEvents = mcpTool({
  name: "run_events",
  title: "Read a run's journal",
  description:
    "What happened in a run, event by event, in order. Give `nextAfter` back as `after` for what came later: nothing is missing and nothing comes twice.",
  kind: "reads",
  input: z.strictObject({
    runId,
    after: z.int().nonnegative().optional().describe("A position: only what came after it."),
    tree: z.boolean().optional().describe("With all runs below it."),
    limit: z.int().min(1).max(MAX_EVENTS).default(50),
  }),
  async call({ runId: id, after = 0, tree = false, limit }, ask) {
    const page = await ask((client) => client.get("/api/runs/{id}/events", { id, after, tree }));
    const events = page.events.slice(0, limit);
    const hasMore = page.events.length > limit || page.nextAfter !== undefined;
    const result = { events, nextAfter: events.at(-1)?.position ?? after, hasMore };
    return {
      result,
      links: [{ uri: eventsUri(id), name: `events of ${id}`, description: "The run's latest events." }],
    };
  },
});

export const runTools: readonly McpTool[] = [spawn, listAgents, runStatus, runEvents];
