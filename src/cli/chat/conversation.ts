// A conversation at the terminal: a chain of runs, each of which continues the previous one. The journals hold all of its state.
//  - While a run works, messages are queued, or reach the run before its next step. When the person leaves, only the queue is lost.
//  - An interruption freezes the tree before its next steps. Then a message resumes the tree, and a second interruption cancels it.

import { randomUUID } from "node:crypto";
import type { RunDetail, RunSummary } from "../../api/client/types.ts";
import { CadreError, toCadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { describeCost, describeTokens, duration, plural } from "../../projections/words/format.ts";
import type { ReconnectingClient } from "../connection/reconnecting-client.ts";
import { type FollowResult, followRun, type WatchedRun } from "../follow/follow-run.ts";
import type { Answerer, Blockage } from "../follow/questions.ts";
import { blockedLines } from "../follow/report-result.ts";
import { continueRun, defaultAgent } from "../follow/start-request.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import type { Shutdown } from "../terminal/shutdown.ts";
import { createView } from "../terminal/with-live-screen.ts";
import { neededLines, summaryLines } from "../view/summary.ts";
import { fitLine, fitLines } from "../view/text/fit.ts";
import { plain, plainLine } from "../view/text/plain.ts";
import type { ChatInput, Phase, Wish } from "./input.ts";
import { readMentions } from "./mentions.ts";

export interface ChatContext {
  invocation: Invocation;
  client: ReconnectingClient;
  input: ChatInput;
  answerer: Answerer;
  leaving: Shutdown;
  /** Records a message in the user's history. */
  remember(text: string): void;
}

/** The settings of the next message. */
export interface ChatState {
  /** The agent of a new conversation. If absent, the project's usual agent gets the first message. */
  agent: string | undefined;
  /** The model of the next runs. If absent, each agent uses its own. */
  model: string | undefined;
  /** The latest run of the conversation. Absent before the first message. */
  head: string | undefined;
  /** The event from which the next message starts a new branch. */
  branch: { runId: string; seq?: number } | undefined;
  /** The runs that this process has started or continued, for `/cost`. */
  runs: Set<string>;
}

/** Runs a command such as `/help`. */
export interface ChatCommands {
  /** Whether the text is a command of the conversation. */
  isCommand(text: string): boolean;
  /** Whether the command can run while a run works. Other commands wait for their turn. */
  runsAtOnce(text: string): boolean;
  run(text: string): Promise<void>;
  /** Refuses a message such as `/name` if neither the project nor the user has such a command or skill. */
  refuseUnknown(text: string): Promise<void>;
}

export async function converse(
  context: ChatContext,
  state: ChatState,
  commands: ChatCommands,
): Promise<number> {
  const { invocation, client, input, answerer, leaving } = context;
  const { screen, commandLine } = invocation;
  const queue: string[] = [];
  const models = new Set<string>();
  let phase: Phase = "idle";
  let wake = (): void => {};
  let isLast = false;
  let code: number = EXIT.done;

  const show = (next: Phase): void => {
    phase = next;
    input.show(phase, queue);
  };
  const print = (lines: readonly string[]): void => {
    for (const line of fitLines(lines, screen)) screen.line(line);
  };
  /** Prints an error of the conversation. Other errors end it. */
  const printRefusal = (error: unknown): void => {
    if (!(error instanceof CadreError)) throw error;
    print([screen.paint("red", plain(error.message))]);
  };

  /** Returns the next text, or undefined if the person leaves. */
  async function takeText(next: Phase): Promise<string | undefined> {
    show(next);
    while (queue.length === 0 && !leaving.signal.aborted && !isLast) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      leaving.signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
    }
    if (leaving.signal.aborted) return undefined;
    const text = queue.shift();
    input.show(phase, queue);
    return text;
  }

  async function listen(): Promise<void> {
    while (!leaving.signal.aborted) await handle(await input.next(leaving.signal)).catch(printRefusal);
  }

  async function handle(wish: Wish): Promise<void> {
    if (wish.type === "leave") leaving.interrupt();
    else if (wish.type === "end") isLast = true;
    else if (wish.type === "interrupt") await interrupt();
    else await handleText(wish);
    wake();
  }

  async function handleText({ text, steers }: Extract<Wish, { type: "text" }>): Promise<void> {
    if (text !== "") context.remember(text);
    const isWorking = phase === "working" || phase === "pausing";
    if (isWorking && commands.isCommand(text) && commands.runsAtOnce(text)) return commands.run(text);
    if (isWorking && steers && text !== "" && !commands.isCommand(text)) return steer(text);
    if (isWorking && text === "") return;
    queue.push(text);
    if (isWorking) input.show(phase, queue);
  }

  /** Sends the message to the run that works. If the run has just ended, the message is the next one of the conversation. */
  async function steer(text: string): Promise<void> {
    await commands.refuseUnknown(text);
    const message = readMentions(text, invocation.io.cwd);
    try {
      await client.withClient((api) =>
        api.post("/api/runs/{id}/message", { id: state.head!, body: message, idempotencyKey: randomUUID() }),
      );
    } catch (error) {
      if (toCadreError(error).code !== "RUN_TERMINAL") throw error;
      queue.unshift(text);
    }
  }

  async function interrupt(): Promise<void> {
    const id = state.head;
    if (id === undefined || phase === "idle" || phase === "waiting") return;
    if (phase === "working") {
      show("pausing");
      await client.withClient((api) => api.post("/api/runs/{id}/freeze", { id }));
    } else {
      await client.withClient((api) => api.post("/api/runs/{id}/cancel", { id, body: {} }));
      // Continues the loop of a paused conversation, which follows the run to its end.
      if (phase === "paused") queue.unshift("");
    }
  }

  /** Sends a message: as the first of the conversation, to the session, or as a fork that continues the latest run. */
  async function send(text: string): Promise<void> {
    const { io } = invocation;
    await commands.refuseUnknown(text);
    const message = readMentions(text, io.cwd);
    const idempotencyKey = randomUUID();
    const { head, model, branch } = state;
    printMessage(text);
    const runId = await client.withClient(async (api) => {
      if (head === undefined && branch === undefined) {
        state.agent ??= await defaultAgent(api);
        const sessionId = `chat-${idempotencyKey}`;
        const { text: task, attachments } = message;
        const body = { agent: state.agent, task, sessionId, attended: true };
        const more = omitUndefined({ model, attachments });
        return (await api.post("/api/runs", { body: { ...body, ...more }, idempotencyKey })).runId;
      }
      const from = branch ?? (model === undefined ? undefined : { runId: head! });
      const request = { type: "resume", runId: head, ...message } as const;
      if (from === undefined) return continueRun(api, request, true, idempotencyKey);
      const { runId: id, seq } = from;
      const edit = { message: message.text, ...omitUndefined({ model }) };
      const body = { edit, allowEffects: true, ...omitUndefined({ seq }) };
      return (await api.post("/api/runs/{id}/fork", { id, body, idempotencyKey })).runId;
    });
    state.branch = undefined;
    state.head = runId;
    state.runs.add(runId);
  }

  function printMessage(text: string): void {
    screen.line("");
    for (const line of plain(text).split("\n"))
      for (const row of fitLine(
        { head: screen.paint(["bold", "cyan"], "› "), text: line, next: "  " },
        screen,
      ))
        screen.line(row);
  }

  /** Follows the latest run until it has ended. Whenever the run waits for the person, waits for their answer or message. */
  async function follow(): Promise<void> {
    const runId = state.head!;
    const watched: WatchedRun = { runId, view: createView(invocation, "tree", models), position: undefined };
    for (;;) {
      show("working");
      const rest = await client.withClient((api) => followRun(api, watched, answerer, leaving.signal));
      if (rest.type === "left") return;
      if (rest.type === "ended") return printEnd(watched);
      printWait(rest, watched);
      if (answerer.type === "nobody") {
        code = EXIT.waiting;
        isLast = true;
        queue.length = 0;
        return;
      }
      if (!(await goOn(rest))) return;
    }
  }

  function printWait(rest: Extract<FollowResult, { type: "needs-person" }>, watched: WatchedRun): void {
    const { items, pausedRuns } = rest;
    const others = pausedRuns.filter((run) => !isPaused(run));
    print([
      ...neededLines(items, commandLine, screen),
      ...blockedLines({ items, pausedRuns: others }, watched, commandLine),
    ]);
  }

  /** Waits for a message or an empty line, then resumes the paused runs. Returns false if the conversation left this run. */
  async function goOn({ pausedRuns }: Blockage): Promise<boolean> {
    const paused = pausedRuns.filter(isPaused);
    for (;;) {
      const text = await takeText(paused.length > 0 ? "paused" : "waiting");
      if (text === undefined) return false;
      try {
        if (commands.isCommand(text)) {
          const before = state.head;
          await commands.run(text);
          if (state.head !== before) return false;
          continue;
        }
        if (text !== "") {
          printMessage(text);
          await steer(text);
        }
        for (const { id, waitingOn } of paused) await letGoOn(id, waitingOn?.frozen?.[0]);
        return true;
      } catch (error) {
        printRefusal(error);
      }
    }
  }

  /** Resumes a paused run, or thaws the frozen branch that contains it. Ignores a run that has ended. */
  async function letGoOn(id: string, frozenTop: string | undefined): Promise<void> {
    try {
      await client.withClient((api) =>
        frozenTop === undefined
          ? api.post("/api/runs/{id}/resume", { id })
          : api.post("/api/runs/{id}/thaw", { id: frozenTop }),
      );
    } catch (error) {
      if (toCadreError(error).code !== "RUN_TERMINAL") throw error;
    }
  }

  async function printEnd({ runId, view }: WatchedRun): Promise<void> {
    const run = await client.withClient((api) => api.get("/api/runs/{id}", { id: runId }));
    const drawing = view.drawing(Date.now());
    for (const line of drawing.length > 0 ? ["", ...drawing] : []) screen.line(line);
    print(endLines(run, { said: view.lastWords(), isDrawn: drawing.length > 0 }, invocation));
  }

  const listening = listen().catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });

  async function talk(): Promise<number> {
    try {
      if (state.head !== undefined && (await isActive(state.head))) await follow();
      for (let text = await takeText("idle"); text !== undefined; text = await takeText("idle")) {
        try {
          if (text === "") continue;
          if (commands.isCommand(text)) await commands.run(text);
          else {
            await send(text);
            await follow();
          }
        } catch (error) {
          printRefusal(error);
        }
      }
      return code;
    } finally {
      if (queue.length > 0)
        print([
          `Not sent: ${plural(queue.length, "message")}. ↑ finds ${queue.length === 1 ? "it" : "them"} again.`,
        ]);
    }
  }

  const isActive = async (id: string): Promise<boolean> =>
    (await client.withClient((api) => api.get("/api/runs/{id}", { id }))).endedAt === undefined;

  return Promise.race([talk(), listening.then(() => new Promise<never>(() => {}))]);
}

const isPaused = ({ waitingOn }: RunSummary): boolean => waitingOn?.kind === "paused";

/** The lines after a run's end. For a completed run, they leave out everything that was shown already. */
function endLines(
  run: RunDetail,
  { said, isDrawn }: { said: string; isDrawn: boolean },
  { screen, commandLine }: Invocation,
): string[] {
  const { treeUsage: usage, status, id } = run;
  const spending = [describeTokens(usage), describeCost(usage), duration(usage.activeMs)];
  const facts = [...(isDrawn ? [] : spending), `run ${id}`];
  const spent = screen.paint("dim", facts.join(" · "));
  const summary = summaryLines(run, screen, { said });
  if (status === "completed") return [...summary.slice(2, -summaryTail(run)), spent];
  return [
    ...summary,
    ...(status === "failed" ? [`Why it failed: ${commandLine(`why ${plainLine(id)}`)}`] : []),
  ];
}

/** Number of lines at the end of the summary that are only about spending. */
const summaryTail = ({ children }: RunDetail): number => (children.length === 0 ? 1 : 2);
