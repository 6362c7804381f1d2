// A project served on a port of the loopback, and requests to it as any program or page could send them.

import { type IncomingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { CLERK, type ServedRuntime, tempProject } from "./api.fixture.ts";
import type { ApiParts } from "./parts.ts";
import { BUILT_PAGE, type PublicServer, startPublicServer } from "./public-server.ts";
import { openSettings } from "./settings.ts";
import type { UserConnections } from "./visitors.ts";

/** Where nobody is let in by name. */
export const noUsers: UserConnections = {
  admit: async () => undefined,
  addBrowser: async () => undefined,
  close() {},
};

export const TOKEN = "a-token-that-is-long-enough-for-it";

/** How commands for the project begin. */
export const COMMAND = "node '/it''s here/cadre.js' -C /p";

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

type Opened = ServedRuntime & { stop(): Promise<void> };

export function publicProject(open: (folder: string) => Promise<Opened>) {
  const problems: unknown[] = [];
  let project: ReturnType<typeof tempProject>;
  const served = {} as { server: PublicServer; runtime: Opened; parts: ApiParts };
  beforeAll(async () => {
    project = tempProject({ "agents/clerk.md": CLERK });
    const { folder } = project;
    served.runtime = await open(folder);
    const {
      store,
      people,
      admit,
      retry,
      fork,
      say,
      explain,
      agentFile,
      workspaceTree,
      agents,
      onDelta,
      parts,
    } = served.runtime;
    served.parts = {
      ...{ store, people, admit, retry, fork, say, explain, agentFile, workspaceTree, agents, onDelta },
      replay: served.runtime.replay,
      replayAgent: served.runtime.replayAgent,
      settings: openSettings(join(folder, ".cadre")),
      systemPrompt: parts.systemPrompt,
      web: {},
      info: {
        version: "0.0.0",
        folder,
        command: COMMAND,
        startedAt: 1,
        drives: false,
        isShared: false,
        model: "scripted/clerk",
      },
      who: () => "maria",
      checks: async () => [],
      onProblem: (problem) => problems.push(problem),
    };
    served.server = await startPublicServer(served.parts, {
      host: "127.0.0.1",
      port: 0,
      token: TOKEN,
      names: ["cadre.example"],
      page: BUILT_PAGE,
    });
  });
  afterAll(async () => {
    await served.server.close();
    await served.runtime.stop();
    project.remove();
  });
  /** The path goes out as it stands: nothing tidies it up on the way. */
  const send = (path: string, { method = "GET", headers = {}, body }: Sent = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(served.server.url);
      const sent = request({ hostname, port, path, method, headers, agent: false }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.once("end", () =>
          resolve({
            status: incoming.statusCode!,
            headers: incoming.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      });
      sent.once("error", reject);
      sent.end(body);
    });
  const withToken = (path: string, { headers, ...rest }: Sent = {}): Promise<Answer> =>
    send(path, { ...rest, headers: { Authorization: `Bearer ${TOKEN}`, ...headers } });
  const runCount = async (): Promise<number> => (await served.runtime.store.runs({})).runs.length;
  return { served, send, withToken, runCount, problems };
}
