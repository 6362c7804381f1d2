// Runs a shell command in the workspace, with a time limit and bounded output.
// The command gets no terminal and no secrets, and leaves no process behind.

import { z } from "zod";
import { messageOf } from "../errors.ts";
import { revealHidden } from "../journal/visible.ts";
import { BASH, commandEnd } from "../projections/folds/tool-call.ts";
import { boundOutput, refusal } from "./answers.ts";
import { type BashSetup, probeBackground, startInBackground } from "./background/start-command.ts";
import { watchSeenFiles } from "./files/own-changes.ts";
import { readOnlyGitEnvironment } from "./git/repository-programs.ts";
import { type Confined, confine } from "./sandbox/confine.ts";
import { cleanEnvironment } from "./shell/clean-environment.ts";
import { collectOutput } from "./shell/collect-output.ts";
import { probeCommand } from "./shell/probe-command.ts";
import {
  type CommandEnd,
  killedNote,
  type SupervisedProcess,
  supervise,
  supervisorArgv,
} from "./shell/supervise.ts";
import { defineTool, type ToolAnswer, type ToolContext } from "./tool.ts";

const MINUTE = 60_000;
const DEFAULT_TIME = 5 * MINUTE;
const MAX_TIME = 6 * 60 * MINUTE;
/** Time limit of a background command: one day. Without a limit, a command would run forever if its run is never continued. */
const BACKGROUND_TIME = 24 * 60 * MINUTE;
const MAX_OUTPUT = 10 * 1024 * 1024;

export const bashTool = (setup: BashSetup) =>
  defineTool({
    name: BASH,
    description:
      "Runs a command with bash in the workspace and answers its output and exit code. Each call is a new shell: cd, variables and files in /tmp do not last. No terminal and no input; processes that it leaves running are ended with it. For a server, a watcher or a long build set background: the call answers within seconds, BashOutput shows more, and it ends with your run.",
    input: z.strictObject({
      command: z.string().min(1).max(100_000).describe("The command"),
      timeout: z
        .int()
        .min(1)
        .max(BACKGROUND_TIME, { error: "86400000 (24 hours) at most" })
        .optional()
        .describe("Milliseconds: 300000 unless set, at most 6 hours, in the background 24"),
      background: z.boolean().optional().describe("Do not wait for its end"),
      keep: z.boolean().optional().describe("With background: let it go on after your run has ended"),
      description: z.string().max(500).optional().describe("What it is for, in a few words"),
    }),
    effect: "unsafe",
    notes: true,
    reaches: ["commands", "files", "network"],
    target: { kind: "command", field: "command" },
    // The tool's time limit is longer than the command's, so that the tool itself can report the timeout.
    timeout: MAX_TIME + 10_000,
    aliases: [
      "shell_command_execute",
      "shell",
      "run_command",
      "execute_command",
      "run_terminal_command",
      "terminal",
    ],

    async execute({ command, timeout, background, keep }, context): Promise<ToolAnswer> {
      if (context.signal.aborted) return refusal("cancelled before it began; nothing was run");
      if (command.includes("\0")) return refusal("a command cannot hold a NUL character; nothing was run");
      if (keep && !background) return refusal("keep is only for background commands; nothing was run");
      if (!background && timeout !== undefined && timeout > MAX_TIME)
        return refusal(
          "a timeout of more than 6 hours is only for background commands: set background; nothing was run",
        );
      let env: NodeJS.ProcessEnv;
      try {
        env = await environmentOf(command, context);
      } catch (error) {
        return refusal(`${messageOf(error)}; nothing was run`);
      }
      if (background) {
        const options = { command, env, timeout: timeout ?? BACKGROUND_TIME, keep: keep === true };
        return startInBackground(options, context, setup);
      }
      const callId = `${context.runId}:${context.callId}:${context.attempt}`;
      try {
        const confined = await confine(supervisorArgv(command, callId), { command, env, context, setup });
        if ("problem" in confined) return refusal(confined.problem);
        return await runConfined(confined, timeout ?? DEFAULT_TIME, context);
      } catch (error) {
        return refusal(`bash could not be started (${messageOf(error)}); nothing was run`);
      }
    },

    async preview({ command, background, keep }) {
      const text = revealHidden(command);
      if (!background) return { text };
      const end = keep ? "even after the end of the run" : "until the end of the run";
      return { text: `${text}\n(in the background, ${end})` };
    },

    probe: ({ command, background }, context) =>
      background ? probeBackground(context, setup) : probeCommand(command, context),
  });

async function environmentOf(command: string, context: ToolContext): Promise<NodeJS.ProcessEnv> {
  const env = cleanEnvironment(context.workspace, context.runId);
  const readsByGit = context.effect === "read" && command.includes("git");
  return readsByGit ? { ...env, ...(await readOnlyGitEnvironment(context.workspace)) } : env;
}

async function runConfined(confined: Confined, timeout: number, context: ToolContext): Promise<ToolAnswer> {
  const started = performance.now();
  const { argv, env, sandbox } = confined;
  let hasBegun = false;
  try {
    const findOwnChanges = context.effect === "read" ? undefined : await watchSeenFiles(context);
    await context.notes?.begin();
    const run = supervise({ argv, env, cwd: context.workspace });
    hasBegun = true;
    const { ended, stopped, ...output } = await watch(run, timeout, context);
    const end = commandEnd(stopped ?? `exit ${ended.code}`, (performance.now() - started) / 1000);
    const failed = ended.code !== 0 || stopped !== undefined;
    context.notes?.end({ ...answerWith(output, end, failed), sandbox });
    const notes = [
      ...(stopped ? [] : killedNote(ended)),
      ...(ended.left ? [`Mind: ${ended.left}.`] : []),
      ...(await confined.checkAfterwards(failed ? output.text : "").catch(uncheckedNote)),
    ];
    const ownChanges = await findOwnChanges?.().catch(() => undefined);
    return {
      ...answerWith(output, [end, ...notes].join("\n"), failed),
      sandbox,
      ...(ownChanges && ownChanges.length > 0 ? { ownChanges } : {}),
    };
  } catch (error) {
    if (!hasBegun || hasNotStarted(error)) throw error;
    return refusal(
      `the command has run, but its answer was lost (${messageOf(error)}); look at what it did before you repeat it`,
    );
  } finally {
    releaseQuietly(confined);
  }
}

/** A failed clean-up must not replace the answer. Otherwise the model would think that the command had not run. */
function releaseQuietly(confined: Confined): void {
  try {
    confined.release();
  } catch {
    // The clean-up of the next command removes the files that this command left behind.
  }
}

/** True for the error with which Node reports that a program could not be started. */
const hasNotStarted = (error: unknown): boolean =>
  String((error as NodeJS.ErrnoException).syscall ?? "").startsWith("spawn");

/** The command has already run, so this failure must not be reported as "not run". */
const uncheckedNote = (error: unknown): string[] => [
  `Mind: what it has left could not be looked at (${messageOf(error)}).`,
];

interface Output {
  text: string;
  size: number;
  /** Number of bytes that were cut out of the middle of the text. */
  lost: number;
}

interface Outcome extends Output {
  ended: CommandEnd;
  /** Why the command was stopped early. */
  stopped: string | undefined;
}

async function watch(
  run: SupervisedProcess,
  timeout: number,
  { signal, progress }: ToolContext,
): Promise<Outcome> {
  const collected = collectOutput();
  const decoder = new TextDecoder();
  let stopped: string | undefined;
  run.output.on("data", (chunk: Buffer) => {
    if (collected.size > MAX_OUTPUT) return;
    collected.add(chunk);
    progress?.(decoder.decode(chunk, { stream: true }));
    if (collected.size <= MAX_OUTPUT) return;
    stopped ??= `killed: more than ${MAX_OUTPUT / 1024 / 1024} MB of output; send it to a file, and look at parts of that`;
    run.kill();
  });
  const closed = new Promise<void>((done) => run.output.once("close", done));
  const stop = (why: string) => {
    stopped ??= why;
    run.stop();
  };
  const timer = setTimeout(
    () => stop(`killed: still running after ${timeout / 1000} s; set a longer timeout, or background`),
    timeout,
  );
  const onAbort = () => stop("killed: cancelled");
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const ended = await run.ended;
    await waitAtMost(closed, 1_000);
    return { text: collected.text(), size: collected.size, lost: collected.lost, ended, stopped };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    run.output.destroy();
  }
}

/** Waits at most `ms` milliseconds, because a process that escaped might keep the pipe open forever. */
async function waitAtMost(done: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([done, new Promise<void>((late) => (timer = setTimeout(late, ms)))]);
  clearTimeout(timer);
}

function answerWith({ text, size, lost }: Output, end: string, isError: boolean): ToolAnswer {
  const body = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  const bounded = boundOutput(body);
  const output = `${bounded.text}${bounded.cut ? "\n" : ""}${end}`;
  return { output, isError, ...(bounded.cut ? { full: `${body}${end}`, size, lost } : {}) };
}
