// One session with a program that speaks the Agent Client Protocol over its stdin and stdout.

import { Readable, Writable } from "node:stream";
import {
  type AnyMessage,
  type ClientContext,
  client,
  methods,
  type NewSessionRequest,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import { messageOf } from "../errors.ts";
import type { LiveRunner, RunnerFacts } from "../loop/programs/runner.ts";
import { createReportQueue } from "./report-queue.ts";
import { CANCELLED, optionOf, SessionReports } from "./session-reports.ts";
import { readUpdate } from "./session-update.ts";
import type { TranslateOptions } from "./translate-call.ts";

export interface RunnerProcess {
  input: Writable;
  output: Readable;
  /** When the process has ended, this resolves to the reason. */
  ended: Promise<string>;
  kill(): void;
}

export interface SessionOptions {
  cwd: string;
  /** The session to resume. If undefined, a new session is started. */
  session: string | undefined;
  mode: string | undefined;
  as: TranslateOptions;
  version: string;
}

type Facts = Pick<RunnerFacts, "session" | "mode" | "loads" | "loaded">;

/** Length of the longest message that a program is allowed to send. */
const MAX_MESSAGE_BYTES = 8_000_000;

/** Opens a session. Throws an error with a message that people can understand. */
export async function openSession(
  program: RunnerProcess,
  wanted: SessionOptions,
): Promise<Omit<LiveRunner, "facts"> & { facts: Facts }> {
  const line = createReportQueue(program.kill);
  const told = new SessionReports(line, wanted.as);
  let isWorking = false;
  const wire = ndJsonStream(
    Writable.toWeb(program.input),
    Readable.toWeb(program.output) as ReadableStream<Uint8Array>,
    { maxMessageBytes: MAX_MESSAGE_BYTES },
  );
  const { agent, closed } = client({ name: "cadre" })
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) =>
      isWorking ? told.permission(params, signal) : CANCELLED,
    )
    .connect({
      writable: wire.writable,
      // A resumed session repeats old updates, so updates are ignored until the program starts to work.
      readable: wire.readable.pipeThrough(
        divertUpdates((params) => isWorking && told.update(readUpdate(params))),
      ),
    });
  void program.ended.then((why) => {
    told.flushDelayedCalls();
    line.end({ type: "gone", why });
  });
  // If the connection closes, for example after a message that was too long, the program is useless and must exit.
  void closed.then(() => exitOf(program));
  const facts = await startSession(agent, wanted);
  const { session: sessionId } = facts;
  return {
    facts,
    workedMs: 0,
    calls: new Map(),
    get openQuestions() {
      return new Map([...told.asks].map(([ask, { call }]) => [ask, call]));
    },
    get cost() {
      return told.cost();
    },
    takeCost: () => told.takeCost(),
    prompt(words, onText) {
      isWorking = true;
      told.onText = onText;
      const answered = agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text: words }],
      });
      answered.then(
        ({ stopReason: stop }) => {
          told.flushDelayedCalls();
          line.push({ type: "answer", text: told.takeText(), stop });
        },
        (error: unknown) => exitReason(error, program).then((why) => line.end({ type: "gone", why })),
      );
      const over = (): void => {
        isWorking = false;
      };
      answered.then(over, over);
    },
    nextReport: line.next,
    answer(ask, allowed) {
      const open = told.asks.get(ask);
      const option = open && optionOf(open.request, allowed ? "allow_once" : "reject_once");
      open?.answer(option === undefined ? CANCELLED : { outcome: { outcome: "selected", optionId: option } });
      return option !== undefined && !line.isOver();
    },
    cancel() {
      for (const { answer } of told.asks.values()) answer(CANCELLED);
      agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined);
    },
  };
}

/** Takes updates out of the message stream and handles them in order. The protocol package would log an error for each unknown update. */
function divertUpdates(heard: (params: unknown) => void): TransformStream<AnyMessage, AnyMessage> {
  return new TransformStream({
    transform(message, onward) {
      if ("method" in message && message.method === methods.client.session.update) heard(message.params);
      else onward.enqueue(message);
    },
  });
}

/** Returns the reason that the program gave. If it gave none, returns how the program ended. */
export const exitReason = async (error: unknown, program: RunnerProcess): Promise<string> =>
  error instanceof RequestError ? messageOf(error).slice(0, 1_000) : exitOf(program);

/** Waits before killing a program that has closed its output. It is usually exiting, and its own exit code says more than our signal. */
async function exitOf(program: RunnerProcess): Promise<string> {
  const late = setTimeout(program.kill, ENDING_MS);
  const why = await program.ended;
  clearTimeout(late);
  return why;
}

const ENDING_MS = 1_000;

async function startSession(agent: ClientContext, wanted: SessionOptions): Promise<Facts> {
  const { cwd, session, mode, version } = wanted;
  const { agentCapabilities, protocolVersion } = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    // Cadre offers no client capabilities: the program reads files and runs commands itself, inside its sandbox.
    clientCapabilities: {},
    clientInfo: { name: "cadre", version },
  });
  if (protocolVersion !== PROTOCOL_VERSION)
    throw new Error(
      `it speaks version ${protocolVersion} of the Agent Client Protocol, and not ${PROTOCOL_VERSION}`,
    );
  const loads = agentCapabilities?.loadSession === true ? { loads: true as const } : {};
  const place: NewSessionRequest = { cwd, mcpServers: [] };
  if (session !== undefined) {
    const loaded = await agent.request(methods.agent.session.load, { sessionId: session, ...place });
    const { modes } = (loaded ?? {}) as { modes?: Modes | null };
    return { session, ...loads, loaded: true, ...(await setMode(agent, session, mode, modes)) };
  }
  const { sessionId, modes } = await agent.request(methods.agent.session.new, place);
  return { session: sessionId, ...loads, ...(await setMode(agent, sessionId, mode, modes)) };
}

interface Modes {
  currentModeId: string;
  availableModes: readonly { id: string }[];
}

/** Sets the requested mode. If no mode was requested, keeps the program's default. The journal records the mode in both cases. */
async function setMode(
  agent: ClientContext,
  sessionId: string,
  wanted: string | undefined,
  modes: Modes | null | undefined,
): Promise<{ mode?: string }> {
  const ids = modes?.availableModes.map(({ id }) => id) ?? [];
  if (wanted === undefined) return modes ? { mode: modes.currentModeId } : {};
  if (!ids.includes(wanted))
    throw new Error(
      `it has no mode \`${wanted}\`; ${ids.length > 0 ? `there are: ${ids.join(", ")}` : "it has none at all"}`,
    );
  await agent.request(methods.agent.session.setMode, { sessionId, modeId: wanted });
  return { mode: wanted };
}
