// `cadre run`: starts a run and follows it until it ends. The command also stops if the run needs a person and no person is at the terminal.
// The owner of the store drives all due runs, so it also continues runs that a killed process left unfinished.
// `cadre retry RUN` continues an ended run as a new run. `cadre fork RUN[#SEQ]` starts a new run from an event of another run.

import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { CadreClient } from "../../api/client/client.ts";
import type { Preset } from "../../journal/definition.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import {
  type Connection,
  type ConnectOptions,
  connect,
  isConnectionLost,
  withClient,
} from "../connection/connect.ts";
import { detach } from "../follow/detach.ts";
import { followRun, type WatchedRun } from "../follow/follow-run.ts";
import type { Answerer } from "../follow/questions.ts";
import { chooseModel, type ModelOptions } from "../follow/rehearsal.ts";
import {
  type AnswerFormat,
  printAnswer,
  printFollowResult,
  withKeptRun,
  worstExitCode,
} from "../follow/report-result.ts";
import {
  parseStartRequest,
  printAgentWarnings,
  refuseModelOfOwner,
  refuseUnknownAgent,
  type StartRequest,
  submitRequest,
} from "../follow/start-request.ts";
import { printRemaining, printResumed, unfinishedRuns } from "../follow/unfinished-runs.ts";
import { EXIT, type Input, type Invocation, isAttended, printError, usageError } from "../invocation.ts";
import { parseRunReference } from "../lookup/runs.ts";
import { joinSlashCommand } from "../lookup/slash-command.ts";
import { readGivenFile, readStdin } from "../option-values.ts";
import { confirm, createKeys } from "../terminal/keys.ts";
import { warnWithoutSandbox } from "../terminal/sandbox-notice.ts";
import { type Shutdown, watchShutdown } from "../terminal/shutdown.ts";
import { askForTrust } from "../terminal/trust-prompt.ts";
import { dropTypedText } from "../terminal/typed-ahead.ts";
import { createView, withLiveScreen } from "../terminal/with-live-screen.ts";
import { createSilentView } from "../view/live/live-view.ts";

interface RunOptions extends ModelOptions {
  yes?: boolean;
  detach?: boolean;
  permissions?: Preset;
  /** The agent's input: JSON, or `@file` for a file that contains JSON. */
  input?: string;
  /** Paths of images and PDFs. */
  attach?: string[];
  continue?: boolean;
  /** The id of the run to continue with a new message. */
  resume?: string;
  /** Prints only the answer. */
  print?: boolean;
  output?: AnswerFormat;
}

export async function run(invocation: Invocation, words: string[], options: RunOptions): Promise<number> {
  const task = await joinSlashCommand(invocation, await readTask(words, options, invocation.io.stdin));
  return startAndFollow(invocation, parseStartRequest(task, options, invocation.io.cwd), options);
}

/** Reads the task from stdin in place of `-`, or if `--print` was given without a task in a pipeline. */
async function readTask(words: readonly string[], { print }: RunOptions, stdin: Input): Promise<string[]> {
  const isPiped = print === true && words.length === 0 && stdin.isTTY !== true;
  const given = isPiped ? ["-"] : words;
  if (given.at(-1) !== "-") return [...given];
  const text = await readStdin(stdin, "Nothing was started.");
  return [...given.slice(0, -1), text.trimEnd()];
}

/** Starts the requested run. Then follows the run, or starts a background process that continues it. */
async function startAndFollow(
  invocation: Invocation,
  request: StartRequest,
  given: RunOptions,
): Promise<number> {
  if (!given.detach) await askForTrust(invocation);
  if (!given.print && given.output === undefined) await warnWithoutSandbox(invocation);
  await refuseUnknownAgent(invocation, request);
  const options =
    request.type === "task"
      ? { ...given, ...omitUndefined({ model: await chooseModel(invocation, request.task.agent, given) }) }
      : given;
  if (options.detach) return detach(invocation, request, options);
  const leaving = watchShutdown(invocation.io);
  const format = options.output ?? (options.print ? "text" : undefined);
  try {
    if (format !== undefined) {
      const answerer: Answerer = { type: options.yes ? "yes" : "nobody" };
      return await followAll({ invocation, request, options, answerer, leaving, format });
    }
    return await withLiveScreen(invocation, (live) => {
      const answerer = answererOf(live, options, leaving);
      return followAll({ invocation: live, request, options, answerer, leaving });
    });
  } finally {
    leaving.dispose();
    await dropTypedText(invocation);
  }
}

interface FollowContext {
  invocation: Invocation;
  request: StartRequest;
  options: RunOptions;
  answerer: Answerer;
  leaving: Shutdown;
  /** If set, the command prints only the result. */
  format?: AnswerFormat;
}

/** Follows the requested run, or all unfinished runs. Reconnects when the owner of the store exits (E1). */
async function followAll(context: FollowContext): Promise<number> {
  const { invocation, leaving, format } = context;
  const key = randomUUID();
  const codes: number[] = [];
  let watching: WatchedRun[] | undefined;
  for (;;) {
    const connection = await connect(connectOptions(context));
    try {
      watching ??= await begin(context, connection, key);
      for (let next = watching[0]; next; next = watching[0]) {
        const rest = await followRun(connection.client, next, context.answerer, leaving.signal);
        codes.push(
          await (format === undefined
            ? printFollowResult(rest, next, connection, invocation)
            : printAnswer(rest, next, connection, { invocation, format })),
        );
        watching.shift();
        if (rest.type === "left") return leaving.exitCode();
      }
      if (format === undefined) await printRemaining(connection, invocation);
      return worstExitCode(codes);
    } catch (error) {
      if (!isConnectionLost(error))
        throw watching?.[0] ? withKeptRun(error, watching[0].runId, invocation) : error;
      if (leaving.signal.aborted) return leaving.exitCode();
    } finally {
      await connection.close();
    }
  }
}

function connectOptions({ invocation, options }: FollowContext): ConnectOptions {
  const { folder, io } = invocation;
  const say = (line: string): void => void io.stderr.write(`${line}\n`);
  return { folder, io, drive: true, say, flags: omitUndefined({ model: options.model }) };
}

async function begin(context: FollowContext, connection: Connection, key: string): Promise<WatchedRun[]> {
  const { invocation, request, options, answerer, format } = context;
  const { client, isOwner } = connection;
  const watchedRun = (runId: string): WatchedRun => ({
    runId,
    view: format === undefined ? createView(invocation, "tree") : createSilentView(),
    position: undefined,
  });
  for (const problem of connection.problems) printError(problem, invocation.io, invocation.commandLine);
  const left = await unfinishedRuns(client);
  if (isOwner && format === undefined) printResumed(left, invocation);
  if (request.type === "unfinished") {
    if (left.length > 0) return left.reverse().map(({ id }) => watchedRun(id));
    throw usageError('There are no unfinished runs here. Give a task: `cadre run "what to do"`.');
  }
  if (options.model !== undefined) await refuseModelOfOwner(client, options.model);
  const runId = await submitRequest(client, request, answerer.type !== "nobody", key);
  await printAgentWarnings(client, runId, request, invocation);
  return [watchedRun(runId)];
}

function answererOf(invocation: Invocation, { yes }: RunOptions, leaving: Shutdown): Answerer {
  if (yes) return { type: "yes" };
  if (!isAttended(invocation)) return { type: "nobody" };
  const { io, screen } = invocation;
  const { stdin, stdout } = io;
  const keys = createKeys({ stdin, stdout, suspend: screen.suspend, onInterrupt: leaving.interrupt });
  return { type: "person", context: { screen, keys, env: io.env } };
}

export async function retry(invocation: Invocation, runId: string, options: RunOptions): Promise<number> {
  const isPaid = await mayPay(invocation, options, async (client) => {
    const { status } = await client.get("/api/runs/{id}", { id: runId });
    return status === "completed" ? `Run ${runId} has completed. Continue it with a new run?` : undefined;
  });
  return isPaid ? startAndFollow(invocation, { type: "retry", runId }, options) : EXIT.cancelled;
}

/** Asks the person at a terminal before it starts a run that they might not want. `doubt` returns the question, if there is one. */
async function mayPay(
  invocation: Invocation,
  { yes }: RunOptions,
  doubt: (client: CadreClient) => Promise<string | undefined>,
): Promise<boolean> {
  if (yes || !isAttended(invocation)) return true;
  const question = await withClient(invocation, doubt);
  if (question === undefined || (await confirm(invocation, `${question} [y/N] `))) return true;
  invocation.screen.line("Nothing was started.");
  return false;
}

interface ForkOptions extends Omit<RunOptions, "model"> {
  message?: string;
  model?: string;
  agent?: string;
  allowEffects?: boolean;
}

export async function fork(invocation: Invocation, where: string, options: ForkOptions): Promise<number> {
  const { message, model, agent: file, allowEffects, ...own } = options;
  const { runId, seq } = parseRunReference(where);
  const agent =
    file === undefined ? undefined : readGivenFile(resolve(file), "Nothing was started.", { shown: file });
  const edit = omitUndefined({ message, model, agent });
  const hasEdit = Object.keys(edit).length > 0;
  const body = omitUndefined({ seq, edit: hasEdit ? edit : undefined, allowEffects });
  const question = `Nothing is changed in the fork of ${where}. Run it all the same?`;
  if (!(await mayPay(invocation, own, async () => (hasEdit ? undefined : question)))) return EXIT.cancelled;
  return startAndFollow(invocation, { type: "fork", runId, body }, own);
}
