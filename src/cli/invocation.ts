// What a command has to do with: the person's terminal, and what they said for every command. Handed in, so that tests
// are a terminal where they want one.

import { type CommandLine, createCommandLine, rewriteCommands } from "./command-line.ts";
import { createScreen, type Output, type Screen } from "./view/screen.ts";
import { fitLines } from "./view/text/fit.ts";

export interface Input extends NodeJS.ReadableStream {
  isTTY?: boolean;
  setRawMode?(on: boolean): unknown;
}

export interface Io {
  stdin: Input;
  stdout: Output & NodeJS.WritableStream;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** What this person types for `cadre`, where it is not that. */
  cadre?: string;
  /** Asks the command to go as SIGTERM does, where it is not the process' only one. */
  leaving?: AbortSignal;
}

/** What a person wants on their screen: values for programs, or lines and nothing that moves. */
export interface OutputFormat {
  json: boolean;
  plain: boolean;
}

export interface Invocation extends OutputFormat {
  io: Io;
  folder: string;
  screen: Screen;
  /** For every command that we print. */
  typed: CommandLine;
}

export const EXIT = { done: 0, failed: 1, usage: 2, waiting: 3, cancelled: 4, interrupted: 130 } as const;

export function createInvocation(io: Io, folder: string, { json, plain }: OutputFormat): Invocation {
  const typed = commandLineFor(io, folder);
  return { io, folder, json, plain, typed, screen: createScreen(io.stdout, io.env, plain) };
}

export const commandLineFor = (
  { cadre = "cadre", cwd }: Pick<Io, "cadre" | "cwd">,
  folder: string,
): CommandLine => createCommandLine(cadre, { cwd, folder });

/** A sentence on stderr: broken between words at a terminal, with its commands as this person types them. */
export function printError(sentence: string, { stderr }: Pick<Io, "stderr">, typed: CommandLine): void {
  const page = { rich: stderr.isTTY === true, columns: stderr.columns || 80 };
  stderr.write(`${fitLines([`cadre: ${rewriteCommands(sentence, typed)}`], page).join("\n")}\n`);
}

/** Somebody is there who sees the questions and can answer them. */
export const isAttended = ({ io, json }: Invocation): boolean =>
  !json && io.stdin.isTTY === true && io.stdout.isTTY === true;
