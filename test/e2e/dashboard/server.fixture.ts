// A project with a tree of three levels: a lead, two workers, and an editor below each.
// `cadre up` serves the project, in the test's process or in a separate process that can be killed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CadreClient, createClient } from "../../../src/api/client/client.ts";
import { agent, type Project, project, type Started } from "../../../src/cli/cli.fixture.ts";

export interface TestServer {
  url: string;
  /** A sign-in link that works once. */
  link: string;
}

export interface SeparateServer extends TestServer {
  up: Started;
}

/** Each editor needs approval to write its file. */
export const treeProject = (more: Record<string, string> = {}): Promise<Project> =>
  project({
    "agents/lead.md": agent("lead", "agents: [worker]\ndelegation: { mode: parallel, maxParallel: 4 }\n"),
    "agents/worker.md": agent("worker", "agents: [editor]\n"),
    "agents/editor.md": agent("editor", "kind: subagent\n"),
    "lead.script.yaml": `turns:
  - when: { turn: 1 }
    text: I split the work between two workers, one for the parser and one for the printer.
    calls:
      - { tool: delegate, input: { agent: worker, task: "Mend the parser" } }
      - { tool: delegate, input: { agent: worker, task: "Mend the printer" } }
  - report: { summary: "Both parts are mended, and the tests are green." }
`,
    "worker.script.yaml": `turns:
  - when: { turn: 1 }
    text: "I look at what is there, and hand the change to an editor."
    calls: [{ tool: LS, input: { path: . } }]
  - when: { turn: 2 }
    calls: [{ tool: delegate, input: { agent: editor, task: "\${task}: write it down" } }]
  - report: { summary: "\${task}: done." }
`,
    "editor.script.yaml": `turns:
  - when: { turn: 1, task: parser }
    text: "The parser needs a new file."
    calls: [{ tool: Write, input: { path: parser.txt, content: "one\\ntwo\\nthree\\n" } }]
  - when: { turn: 1, task: printer }
    text: "The printer needs a new file."
    calls: [{ tool: Write, input: { path: printer.txt, content: "alpha\\nbeta\\n" } }]
  - when: { isError: true }
    report: { summary: "It was not wanted: \${lastResult}" }
  - report: { summary: "Written." }
`,
    "README.md": "# The parser and the printer\n",
    ...more,
  });

/** Serves the project in the test's process. To restart on the same port, pass the port of the earlier server. */
export const serve = (p: Project, port = 0, ...flags: string[]): Promise<TestServer> =>
  readLink(p.startHere(...upAt(port, flags)));

/** Serves the project in a separate process, which the test can kill. */
export async function serveSeparately(p: Project, port = 0): Promise<SeparateServer> {
  const up = p.start(...upAt(port, []));
  return { ...(await readLink(up)), up };
}

const upAt = (port: number, flags: string[]): string[] => [
  "up",
  "--port",
  String(port),
  "--no-open",
  "--json",
  ...flags,
];

async function readLink(up: Pick<Started, "shows">): Promise<TestServer> {
  return JSON.parse((await up.shows(/^\{.*"link".*\}$/m))[0]) as TestServer;
}

/** An API client with the project's token. */
export function clientOf({ url }: TestServer, { folder }: Project): CadreClient {
  const token = readFileSync(join(folder, ".cadre/token"), "utf8").trim();
  const headers = { Authorization: `Bearer ${token}` };
  return createClient({
    baseUrl: url,
    fetch: (to, init = {}) => fetch(to, { ...init, headers: { ...(init.headers as object), ...headers } }),
  });
}
