// A project in a temporary folder, served on a real socket: what the tests of this folder talk to.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { scratchFolder } from "../config/scratch.fixture.ts";
import type { JournalEvent } from "../journal/events.ts";
import type { LoopParts } from "../loop/parts.ts";
import { defineTool } from "../tools/tool.ts";
import { createApp } from "./app.ts";
import { createClient } from "./client.ts";
import type { ApiParts } from "./parts.ts";
import type { ApprovalView } from "./schema.ts";
import { openSettings } from "./settings.ts";
import { serveOnSocket, socketFetch } from "./socket.ts";

/** As much of a runtime as is served. */
export interface ServedRuntime
  extends Pick<
    ApiParts,
    | "store"
    | "people"
    | "admit"
    | "retry"
    | "fork"
    | "say"
    | "explain"
    | "agentFile"
    | "workspaceTree"
    | "agents"
    | "onDelta"
    | "replay"
    | "replayAgent"
  > {
  parts: Pick<LoopParts, "systemPrompt">;
  defaultModel: string;
}

export async function serveRuntime(runtime: ServedRuntime, folder: string) {
  const { store, people, admit, retry, fork, say, agents, onDelta, defaultModel: model } = runtime;
  const problems: { message: string; error: unknown }[] = [];
  const listeners = { deltas: 0, commits: 0 };
  const parts: ApiParts = {
    store: counted(store, listeners),
    people,
    admit,
    retry,
    fork,
    say,
    explain: runtime.explain,
    agentFile: runtime.agentFile,
    replay: runtime.replay,
    replayAgent: runtime.replayAgent,
    workspaceTree: runtime.workspaceTree,
    settings: openSettings(join(folder, ".cadre")),
    agents,
    systemPrompt: runtime.parts.systemPrompt,
    onDelta(listener) {
      listeners.deltas++;
      const end = onDelta(listener);
      return () => {
        listeners.deltas--;
        end();
      };
    },
    web: {},
    info: { version: "0.0.0", folder, command: "cadre", startedAt: 1, drives: true, isShared: false, model },
    who: (request) => request.headers.get("X-Who") ?? "maria",
    checks: async () => [],
    onProblem: (problem) => problems.push(problem),
  };
  const app = createApp(parts);
  const path = join(folder, "cadre.sock");
  const { close } = await serveOnSocket(app, path);
  const fetch = socketFetch(path);
  const as = (who: string) =>
    createClient({
      fetch: (url, init = {}) =>
        fetch(url, { ...init, headers: { ...(init.headers as object), "X-Who": who } }),
    });
  /** The same API over another store. */
  const over = (other: ApiParts["store"]) => createApp({ ...parts, store: other });
  return { app, parts, path, fetch, client: createClient({ fetch }), as, over, close, problems, listeners };
}

export type Api = Awaited<ReturnType<typeof serveRuntime>>;

/** A request as any program would send it. */
export async function sendRequest(
  api: Pick<Api, "fetch">,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
) {
  const response = await api.fetch(`http://cadre${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  return { status: response.status, body: (await response.json()) as any };
}

export function tempProject(files: Record<string, string>) {
  const folder = scratchFolder("cadre-api-");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The journal up to the first event that fits. */
export async function eventsUntil(
  api: Pick<Api, "client">,
  runId: string,
  fits: (event: JournalEvent) => boolean,
): Promise<JournalEvent[]> {
  const stop = new AbortController();
  const events: JournalEvent[] = [];
  for await (const item of api.client.follow({ runId, signal: stop.signal })) {
    if (item.type !== "event") continue;
    events.push(item.event);
    if (fits(item.event)) break;
  }
  return events;
}

export const isEnd = ({ type }: JournalEvent): boolean =>
  type === "RUN_COMPLETED" || type === "RUN_FAILED" || type === "RUN_CANCELLED";

/** What a run waits for, once it does. */
export async function waitForApprovals(api: Pick<Api, "client">, runId: string): Promise<ApprovalView[]> {
  await eventsUntil(api, runId, ({ type }) => type === "RUN_SUSPENDED");
  return api.client.approvals({ runId });
}

/** A tool that must not happen twice, and remembers what happened. */
export function payTool() {
  const paid: { runId: string; callId: string; input: { to: string; amount: number } }[] = [];
  let fingerprint = "1";
  const tool = defineTool({
    name: "Pay",
    description: "Pays somebody.",
    input: z.object({ to: z.string(), amount: z.number().positive() }),
    effect: "unsafe",
    async execute(input, { runId, callId }) {
      paid.push({ runId, callId, input });
      return { output: `paid ${input.amount} to ${input.to}` };
    },
    preview: async ({ to, amount }) => ({ text: `pay ${amount} to ${to}`, fingerprint }),
  });
  return {
    tool,
    paid,
    /** What the calls rest on is not what it was. */
    change(to: string) {
      fingerprint = to;
    },
  };
}

export const CLERK = `---
name: clerk
description: Pays what must be paid.
model: scripted/clerk
tools: { allow: [Pay, AskUser], ask: [Pay] }
---
You pay.
`;

function counted(store: ApiParts["store"], listeners: { commits: number }): ApiParts["store"] {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (name !== "onCommit") return typeof value === "function" ? value.bind(target) : value;
      return (listener: Parameters<ApiParts["store"]["onCommit"]>[0]) => {
        listeners.commits++;
        const end = target.onCommit(listener);
        return () => {
          listeners.commits--;
          end();
        };
      };
    },
  });
}
