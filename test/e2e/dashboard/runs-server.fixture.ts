// A project with many kinds of runs to list: a tree of three levels whose editors need approval, quick runs that end or fail, and a slow run.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CadreClient, createClient } from "../../../src/api/client/client.ts";
import { agent, type Project } from "../../../src/cli/cli.fixture.ts";
import { serve, type TestServer, treeProject } from "./server.fixture.ts";

export const runsProject = (): Promise<Project> =>
  treeProject({
    "agents/worker.md": agent("worker", "agents: [editor]\n"),
    "worker.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: delegate, input: { agent: editor, task: "\${task}: write it down" } }]
  - report: { summary: "\${task}: done." }
`,
    "agents/quick.md": agent("quick"),
    "quick.script.yaml": `turns:
  - when: { turn: 1, task: fail }
    error: { status: 400, message: "The provider said no" }
  - report: { summary: "The answer is \${task}." }
`,
    "agents/slow.md": agent("slow"),
    "slow.script.yaml": "turns: [{ text: I take my time., delay: 300000 }]\n",
  });

export interface RunsServer {
  /** An API client with the project's token. */
  client: CadreClient;
  start(agent: string, task: string): Promise<string>;
  /** Starts a tree and waits until two approvals are open. */
  startTree(): Promise<string>;
}

export const serveRuns = async (p: Project): Promise<TestServer & RunsServer> => withRuns(p, await serve(p));

export function withRuns<S extends TestServer>(p: Project, server: S): S & RunsServer {
  const Authorization = `Bearer ${readFileSync(join(p.folder, ".cadre", "token"), "utf8").trim()}`;
  const client = createClient({
    baseUrl: server.url,
    fetch(url, init = {}) {
      const headers = new Headers(init.headers);
      headers.set("Authorization", Authorization);
      return fetch(url, { ...init, headers });
    },
  });
  const start = async (name: string, task: string) =>
    (await client.post("/api/runs", { body: { agent: name, task, attended: true } })).runId;
  return {
    ...server,
    client,
    start,
    async startTree() {
      const runId = await start("lead", "Mend the parser and the printer");
      const end = new AbortController();
      for await (const item of client.follow({ runId, tree: true, signal: end.signal })) {
        if (item.type !== "event" || item.event.type !== "RUN_SUSPENDED") continue;
        if ((await client.get("/api/approvals", { run: runId })).approvals.length === 2) break;
      }
      end.abort();
      return runId;
    },
  };
}

export async function untilEnded(client: CadreClient, runId: string): Promise<void> {
  for await (const _ of client.follow({ runId, signal: new AbortController().signal }));
}
