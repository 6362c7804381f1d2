// Cadre as an agent of the Agent Client Protocol.
// An editor's session is a Cadre session. The editor offers the main agents as the session's modes. The session's folder is the project.

import { randomUUID } from "node:crypto";
import {
  type AgentApp,
  type AgentCapabilities,
  type AgentContext,
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionModeState,
} from "@agentclientprotocol/sdk";
import { CadreError, httpStatus, toCadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { WithClient } from "../mcp/tool.ts";
import { createEditorSession, type EditorSession } from "./editor-session.ts";
import { readPrompt } from "./read-prompt.ts";

export interface AcpOptions {
  version: string;
  /** The project folder for requests that name no folder. */
  folder: string;
  /** The agent of a new session. If undefined, the agent comes from the chat settings. */
  agent: string | undefined;
  /** Returns the API of the project in this folder. */
  open(folder: string): Promise<WithClient>;
  /** Aborted when the editor's connection ends. */
  signal: AbortSignal;
}

const CAPABILITIES: AgentCapabilities = {
  loadSession: true,
  promptCapabilities: { embeddedContext: true, image: true },
  sessionCapabilities: { list: {} },
};

export function createAcpAgent(options: AcpOptions): AgentApp {
  const { version, folder, open, signal } = options;
  const sessions = new Map<string, { session: EditorSession; modes: SessionModeState }>();
  const openSession = async (sessionId: string, cwd: string, editor: AgentContext) => {
    const ask = await open(cwd);
    const modes = await modesOf(ask, options.agent);
    const session = createEditorSession({ ask, editor, sessionId, signal }, modes.currentModeId);
    return { session, modes };
  };
  const findSession = (sessionId: string) => {
    const found = sessions.get(sessionId);
    if (!found)
      throw new CadreError("NOT_FOUND", `There is no session ${sessionId} here: start or load it first.`);
    return found;
  };
  return agent({ name: "cadre" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "cadre", title: "Cadre", version },
      agentCapabilities: CAPABILITIES,
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, ({ params: { cwd }, client }) =>
      withAcpErrors(async () => {
        const sessionId = randomUUID();
        const opened = await openSession(sessionId, cwd, client);
        sessions.set(sessionId, opened);
        return { sessionId, modes: opened.modes };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params: { sessionId, cwd }, client }) =>
      withAcpErrors(async () => {
        const opened = await openSession(sessionId, cwd, client);
        if (!(await opened.session.load()))
          throw new CadreError("NOT_FOUND", `There is no session ${sessionId} in ${cwd}.`);
        sessions.set(sessionId, opened);
        opened.modes.currentModeId = opened.session.agent;
        return { modes: opened.modes };
      }),
    )
    .onRequest(methods.agent.session.list, ({ params: { cwd, cursor } }) =>
      withAcpErrors(() => listSessions(open, cwd ?? folder, cursor ?? undefined)),
    )
    .onRequest(methods.agent.session.setMode, ({ params: { sessionId, modeId } }) =>
      withAcpErrors(async () => {
        const { session, modes } = findSession(sessionId);
        if (!modes.availableModes.some(({ id }) => id === modeId))
          throw new CadreError("BAD_REQUEST", `There is no main agent ${modeId}. Nothing was changed.`);
        session.agent = modeId;
        return {};
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params: { sessionId, prompt } }) =>
      withAcpErrors(async () => ({
        stopReason: await findSession(sessionId).session.prompt(readPrompt(prompt)),
      })),
    )
    .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) =>
      withAcpErrors(() => findSession(sessionId).session.cancel()),
    );
}

async function modesOf(ask: WithClient, wanted: string | undefined): Promise<SessionModeState> {
  const [{ agents }, settings] = await ask((client) =>
    Promise.all([client.get("/api/agents"), client.get("/api/settings")]),
  );
  const main = agents.filter(({ kind }) => kind === "main");
  const currentModeId = wanted ?? settings.agent;
  if (!main.some(({ name }) => name === currentModeId))
    throw new CadreError(
      "AGENT_NOT_FOUND",
      `There is no main agent ${currentModeId} here. There are: ${main.map(({ name }) => name).join(", ")}.`,
    );
  return {
    currentModeId,
    availableModes: main.map(({ name, title, description }) => ({
      id: name,
      name: title ?? name,
      description,
    })),
  };
}

async function listSessions(open: AcpOptions["open"], cwd: string, cursor: string | undefined) {
  const ask = await open(cwd);
  const page = await ask((client) => client.get("/api/sessions", { cursor }));
  return {
    sessions: page.sessions.map(({ id, last }) => ({
      sessionId: id,
      cwd,
      title: last.task.split("\n", 1)[0]!,
      updatedAt: new Date(last.updatedAt).toISOString(),
    })),
    ...omitUndefined({ nextCursor: page.nextCursor }),
  };
}

/** Converts thrown errors to ACP errors with the same message. */
async function withAcpErrors<T>(answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const { code, message } = toCadreError(error);
    const status = httpStatus(code);
    throw new RequestError(status === 404 ? -32002 : status < 500 ? -32602 : -32603, message, { code });
  }
}
