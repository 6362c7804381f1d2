// `cadre chat [agent]`, and `cadre` without a command at a terminal: a conversation with an agent.
// Each message is a run that continues the previous one, so the journals hold the conversation.

import { omitUndefined } from "../../omit-undefined.ts";
import { type ChatState, converse } from "../chat/conversation.ts";
import { addToHistory, readHistory } from "../chat/history.ts";
import type { ChatInput } from "../chat/input.ts";
import { createLineInput } from "../chat/line-input.ts";
import { createLiveInput } from "../chat/live-input.ts";
import { commonStart, completePath } from "../chat/mentions.ts";
import { COMMAND_NAMES, createSlashCommands, returnTo } from "../chat/slash-commands.ts";
import { openReconnectingClient, type ReconnectingClient } from "../connection/reconnecting-client.ts";
import type { Answerer } from "../follow/questions.ts";
import { chooseModel, type ModelOptions } from "../follow/rehearsal.ts";
import { defaultAgent, latestRun, refuseModelOfOwner } from "../follow/start-request.ts";
import { EXIT, type Invocation, isAttended, usageError } from "../invocation.ts";
import { defaultPreset } from "../project.ts";
import { warnWithoutSandbox } from "../terminal/sandbox-notice.ts";
import { watchShutdown } from "../terminal/shutdown.ts";
import { askForTrust } from "../terminal/trust-prompt.ts";
import { withLiveScreen } from "../terminal/with-live-screen.ts";
import type { LiveScreen } from "../view/live/live-screen.ts";

interface ChatOptions extends ModelOptions {
  continue?: boolean;
  /** The id of a run of the conversation to return to. */
  resume?: string;
}

export async function chat(
  invocation: Invocation,
  agent: string | undefined,
  options: ChatOptions,
): Promise<number> {
  if (invocation.json)
    throw usageError("A conversation prints no JSON. For a program: `cadre run --output json`.");
  if (agent !== undefined && (options.continue || options.resume !== undefined))
    throw usageError("A conversation that is continued keeps its agent. Nothing was started.");
  await askForTrust(invocation);
  await warnWithoutSandbox(invocation);
  const { folder, io } = invocation;
  const returns = options.continue || options.resume !== undefined;
  const model = returns ? options.model : await chooseModel(invocation, agent, options);
  const client = await openReconnectingClient({ folder, io, drive: true, flags: omitUndefined({ model }) });
  try {
    if (model !== undefined) await client.withClient((api) => refuseModelOfOwner(api, model));
    return await withLiveScreen(invocation, (shown, live) => talk(shown, live, { client, agent, options }));
  } finally {
    await client.close();
  }
}

interface Opened {
  client: ReconnectingClient;
  agent: string | undefined;
  options: ChatOptions;
}

async function talk(
  invocation: Invocation,
  live: LiveScreen | undefined,
  { client, agent, options }: Opened,
): Promise<number> {
  const { io, screen } = invocation;
  const leaving = watchShutdown(io);
  const history = readHistory(io.env);
  const input = live ? liveInput(live, history, io.cwd) : createLineInput(io, screen);
  const state: ChatState = {
    agent,
    model: undefined,
    head: undefined,
    branch: undefined,
    runs: new Set(),
  };
  try {
    if (agent !== undefined) await client.withClient((api) => api.get("/api/agents/{name}", { name: agent }));
    const earlier = options.continue ? (await client.withClient(latestRun)).id : options.resume;
    if (earlier === undefined) state.agent ??= await client.withClient(defaultAgent);
    if (isAttended(invocation)) screen.line(screen.paint("dim", greeting(state.agent, invocation)));
    if (earlier !== undefined) await returnTo(earlier, { client, invocation }, state);
    let hasLeft = false;
    const leave = (): void => {
      hasLeft = true;
      leaving.interrupt();
    };
    const commands = createSlashCommands({ invocation, client, leave }, state);
    const isPerson = isAttended(invocation);
    const remember = (text: string): void => (isPerson ? addToHistory(text, io.env) : undefined);
    const answerer = answererOf(invocation, input);
    const code = await converse({ invocation, client, input, answerer, leaving, remember }, state, commands);
    if (state.head !== undefined) await printReturn(state.head, client, invocation);
    return hasLeft || !leaving.signal.aborted ? code : EXIT.done;
  } finally {
    input.close();
    leaving.dispose();
  }
}

const liveInput = (live: LiveScreen, history: string[], cwd: string): ChatInput =>
  createLiveInput({ live, history, complete: (text) => complete(text, cwd) });

/** Completes a command at the beginning of the text, or a path after an `@`. */
function complete(text: string, cwd: string): string {
  if (!/^\/\w*$/.test(text)) return completePath(text, cwd);
  const names = COMMAND_NAMES.filter((name) => name.startsWith(text));
  return names.length === 1 ? `${names[0]!} ` : commonStart(names) || text;
}

function answererOf(invocation: Invocation, { keys }: ChatInput): Answerer {
  if (!isAttended(invocation)) return { type: "nobody" };
  const { io, screen } = invocation;
  return { type: "person", context: { screen, keys, env: io.env } };
}

function greeting(agent: string | undefined, invocation: Invocation): string {
  const who = agent === undefined ? "Cadre" : agent;
  return `${who} · preset ${defaultPreset(invocation)} · /help · /resume returns to an earlier conversation`;
}

/** Says how to return to the conversation, and what becomes of a run that has not ended. */
async function printReturn(
  head: string,
  client: ReconnectingClient,
  { screen, commandLine }: Invocation,
): Promise<void> {
  const { endedAt } = await client.withClient((api) => api.get("/api/runs/{id}", { id: head }));
  const kept = endedAt === undefined ? `Run ${head} is kept. ` : "";
  screen.line(screen.paint("dim", `${kept}Return to this conversation: ${commandLine("chat --continue")}`));
}
