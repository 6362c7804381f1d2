// What a command has to do with: the person's terminal, and what they said for every command. Handed in, so that tests
// are a terminal where they want one.

import { createScreen, type Output, type Screen } from "./view/screen.ts";

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
}

/** What a person wants on their screen: values for programs, or lines and nothing that moves. */
export interface Form {
  json: boolean;
  plain: boolean;
}

export interface Invocation extends Form {
  io: Io;
  folder: string;
  screen: Screen;
  /** What commands that we print need to reach the same project: ` -C folder`, or nothing. */
  at: string;
}

export const EXIT = { done: 0, failed: 1, usage: 2, waiting: 3, cancelled: 4, interrupted: 130 } as const;

export function createInvocation(io: Io, folder: string, { json, plain }: Form): Invocation {
  const at =
    folder === io.cwd
      ? ""
      : ` -C ${/[^\w@%+=:,./-]/.test(folder) ? `'${folder.replaceAll("'", "'\\''")}'` : folder}`;
  return { io, folder, json, plain, at, screen: createScreen(io.stdout, io.env, plain) };
}

/** Somebody is there who sees the questions and can answer them. */
export const isAttended = ({ io, json }: Invocation): boolean =>
  !json && io.stdin.isTTY === true && io.stdout.isTTY === true;
