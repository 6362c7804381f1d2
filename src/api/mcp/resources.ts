// Offers agents, runs and approvals as MCP resources: JSON documents that clients can read and watch.

import { type McpServer, ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import { CadreError } from "../../errors.ts";
import type { WithClient } from "./tool.ts";
import { agentUri, agentView, itemView, NOTE, readRunView, runSummaryView, runUri } from "./views.ts";

const LISTED = 50;
const JSON_TYPE = "application/json";

export function addResources(server: McpServer, ask: WithClient): void {
  const about = (title: string, description: string) => ({ title, description, mimeType: JSON_TYPE });
  server.registerResource("agents", "cadre://agents", about("Agents", "All agents."), async (uri) =>
    jsonContents(uri, { agents: (await allAgents(ask)).map(agentView) }),
  );
  server.registerResource(
    "approvals",
    "cadre://approvals",
    about("Approvals", "All items that wait for a person."),
    async (uri) => {
      const { approvals } = await ask((client) => client.get("/api/approvals"));
      return jsonContents(uri, { approvals: approvals.map(itemView) });
    },
  );
  server.registerResource("runs", "cadre://runs", about("Runs", "The latest runs."), async (uri) =>
    jsonContents(uri, { runs: (await latestRuns(ask)).map(runSummaryView) }),
  );
  server.registerResource(
    "agent",
    new ResourceTemplate("cadre://agents/{+name}", { list: () => listAgents(ask) }),
    about("Agent", "One agent: its purpose, its model, and the agents that it may start."),
    (uri, { name }) =>
      readOrNotFound(uri, async () =>
        agentView(await ask((client) => client.get("/api/agents/{name}", { name: String(name) }))),
      ),
  );
  server.registerResource(
    "run",
    new ResourceTemplate("cadre://runs/{id}", { list: () => listRuns(ask) }),
    about("Run", "The status of a run, its open items, and its result."),
    (uri, { id }) => readOrNotFound(uri, () => readRunView(String(id), ask)),
  );
  server.registerResource(
    "events",
    new ResourceTemplate("cadre://runs/{id}/events", { list: undefined }),
    about("Events", "The latest events of a run and all below it; run_events has the others."),
    (uri, { id }) =>
      readOrNotFound(uri, async () => {
        const events = await ask((client) => client.treeEvents(String(id)));
        return { events: events.slice(-LISTED) };
      }),
  );
}

const allAgents = async (ask: WithClient) => (await ask((client) => client.get("/api/agents"))).agents;

const latestRuns = async (ask: WithClient) =>
  (await ask((client) => client.get("/api/runs", { roots: true, limit: LISTED }))).runs;

async function listRuns(ask: WithClient) {
  const resources = (await latestRuns(ask)).map(({ id, agent, status, task }) => ({
    uri: runUri(id),
    name: `${agent} ${id}`,
    title: `${agent} ${id}`,
    description: `${status}: ${task.slice(0, 200)}`,
    mimeType: JSON_TYPE,
  }));
  return { resources };
}

async function listAgents(ask: WithClient) {
  const resources = (await allAgents(ask)).map(({ name, description }) => ({
    uri: agentUri(name),
    name,
    title: name,
    description,
    mimeType: JSON_TYPE,
  }));
  return { resources };
}

async function readOrNotFound(uri: URL, read: () => Promise<object>) {
  try {
    return jsonContents(uri, await read());
  } catch (error) {
    if (error instanceof CadreError && error.code === "NOT_FOUND") throw new ResourceNotFoundError(uri.href);
    throw error;
  }
}

const jsonContents = (uri: URL, value: object) => ({
  contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify({ note: NOTE, ...value }) }],
});
