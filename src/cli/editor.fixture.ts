// A test editor that uses the official package of the Agent Client Protocol.
// The editor starts `cadre acp` as a separate process and communicates with it over stdin and stdout.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Project } from "./cli.fixture.ts";

export interface Asked {
  request: RequestPermissionRequest;
  /** Selects the option of this kind. If there is no such option, cancels the request. */
  answer(kind: string): void;
  /** Selects the option with this id, even if the request does not offer it. */
  choose(optionId: string): void;
  withdrawn: Promise<unknown>;
}

export async function openEditor({ folder, env, launcher }: Project, ...args: string[]) {
  const child = spawn(process.execPath, [launcher, "acp", ...args], {
    cwd: folder,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = once(child, "close");
  const told: SessionNotification[] = [];
  const asked = queue<Asked>();
  const connection = client({ name: "editor" })
    .onRequest(methods.client.session.requestPermission, ({ params: request, signal }) => {
      const answer = Promise.withResolvers<RequestPermissionResponse>();
      const cancel = (): void => answer.resolve({ outcome: { outcome: "cancelled" } });
      const withdrawn = once(signal, "abort").then(cancel);
      asked.put({
        request,
        withdrawn,
        choose: (optionId) => answer.resolve({ outcome: { outcome: "selected", optionId } }),
        answer(kind) {
          const option = request.options.find((each) => each.kind === kind);
          if (option) answer.resolve({ outcome: { outcome: "selected", optionId: option.optionId } });
          else cancel();
        },
      });
      return answer.promise;
    })
    .onNotification(methods.client.session.update, ({ params }) => void told.push(params))
    .connect(
      ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>),
    );
  const { agent } = connection;
  const updates = (sessionId: string): SessionUpdate[] =>
    told.filter((each) => each.sessionId === sessionId).map(({ update }) => update);
  const initialized = await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION });
  return {
    agent,
    updates,
    initialized,
    asked: asked.take,
    /** Starts a session with an agent. Returns the session's id. */
    async begin(modeId: string) {
      const { sessionId } = await agent.request(methods.agent.session.new, { cwd: folder, mcpServers: [] });
      await agent.request(methods.agent.session.setMode, { sessionId, modeId });
      return sessionId;
    },
    load: (sessionId: string) =>
      agent.request(methods.agent.session.load, { sessionId, cwd: folder, mcpServers: [] }),
    prompt: (sessionId: string, text: string) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }),
    cancel: (sessionId: string) => agent.notify(methods.agent.session.cancel, { sessionId }),
    /** The agent's text so far. */
    said: (sessionId: string) =>
      updates(sessionId)
        .map((update) =>
          update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
            ? update.content.text
            : "",
        )
        .join(""),
    /** Kills the `cadre acp` process. */
    async end() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

export type Editor = Awaited<ReturnType<typeof openEditor>>;

function queue<T>() {
  const ready: T[] = [];
  const waiting: ((value: T) => void)[] = [];
  return {
    put(value: T): void {
      const next = waiting.shift();
      if (next) next(value);
      else ready.push(value);
    },
    take: (): Promise<T> =>
      ready.length > 0 ? Promise.resolve(ready.shift()!) : new Promise((resolve) => waiting.push(resolve)),
  };
}
