// The context of a command: its input and output streams, and the global options.
// Every command receives this context as a parameter, so that tests can simulate a terminal.

import type { Env } from "../config/trust.ts";
import { CadreError } from "../errors.ts";
import { type CommandLine, createCommandLine, rewriteCommands } from "./command-line.ts";
import { createScreen, type Output, type Screen } from "./view/screen.ts";
import { fitLines } from "./view/text/fit.ts";
import { jsonLine } from "./view/text/plain.ts";

export interface Input extends NodeJS.ReadableStream {
  isTTY?: boolean;
  setRawMode?(on: boolean): unknown;
}

export interface Io {
  stdin: Input;
  stdout: Output & NodeJS.WritableStream;
  stderr: Output;
  env: Env;
  cwd: string;
  /** The command with which this person starts Cadre, for example `npx cadre`. Default: `cadre`. */
  launcher?: string;
  /** Aborting this signal shuts the command down, as SIGTERM would. Used when several commands share one process. */
  shutdown?: AbortSignal;
}

/** The global output options: `json` for programs, `plain` for lines that are never redrawn. */
export interface OutputFormat {
  json: boolean;
  plain: boolean;
}

export interface Invocation extends OutputFormat {
  io: Io;
  folder: string;
  screen: Screen;
  /** Formats a command the way this person types it, for printing. */
  commandLine: CommandLine;
}

export const EXIT = { done: 0, failed: 1, usage: 2, waiting: 3, cancelled: 4, interrupted: 130 } as const;

export function createInvocation(io: Io, folder: string, { json, plain }: OutputFormat): Invocation {
  const screen = createScreen(io.stdout, io.env, plain);
  return { io, folder, json, plain, screen, commandLine: commandLineFor(io, folder) };
}

/** Prints `value` as JSON if a program reads the output; otherwise prints `lines`. Returns the exit code for success. */
export function report({ json, screen }: Invocation, value: unknown, lines: readonly string[]): number {
  for (const line of json ? [jsonLine(value)] : lines) screen.line(line);
  return EXIT.done;
}

/** The width of the terminal, for tables. If there is no terminal, it is undefined and nothing is truncated. */
export const tableWidth = ({ io, screen }: Invocation): number | undefined =>
  io.stdout.isTTY ? screen.columns : undefined;

export const usageError = (message: string): CadreError => new CadreError("USAGE", message);

export const commandLineFor = (
  { launcher = "cadre", cwd }: Pick<Io, "launcher" | "cwd">,
  folder: string,
): CommandLine => createCommandLine(launcher, { cwd, folder });

/** Prints a sentence to stderr. Wraps it at a terminal, and formats commands the way this person types them. */
export function printError(sentence: string, { stderr }: Pick<Io, "stderr">, commandLine: CommandLine): void {
  const page = { rich: stderr.isTTY === true, columns: stderr.columns || 80 };
  stderr.write(`${fitLines([`cadre: ${rewriteCommands(sentence, commandLine)}`], page).join("\n")}\n`);
}

/** Whether a person is at the terminal to see and answer questions. */
export const isAttended = ({ io, json }: Invocation): boolean =>
  !json && io.stdin.isTTY === true && io.stdout.isTTY === true;
