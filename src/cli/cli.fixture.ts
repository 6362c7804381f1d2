// Creates a project in a temporary folder and runs the real command line in it.
// A command runs as a separate process or inside the test's process. A test can simulate a terminal and type into it.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { programPath } from "../../test/support/programs.ts";
import { scratchFolder } from "../../test/support/scratch.ts";
import type { Input, Io } from "./invocation.ts";
import { main } from "./main.ts";
import { visible } from "./view/visible.fixture.ts";

export interface Project extends AsyncDisposable {
  folder: string;
  env: Record<string, string>;
  /** A symlink to the program, like the one that npm creates. Printed commands begin with the symlink's name. */
  launcher: string;
  write(path: string, text: string): Promise<void>;
  /**
   * Runs a command to its end in this process, without a terminal.
   * A decision starts no background process, so that the test decides when the run continues.
   */
  cadre(...args: string[]): Promise<Finished>;
  /** Runs a command to its end in this process, with this text on stdin. */
  piped(stdin: string, ...args: string[]): Promise<Finished>;
  /** Runs a command to its end in its own process, exactly as given. */
  spawn(...args: string[]): Promise<Finished>;
  /** Starts a command as a separate process. Removing the project kills the process. */
  start(...args: string[]): Started;
  /** Starts a command in this process. Calling `leave` or removing the project shuts the command down. */
  startHere(...args: string[]): StartedHere;
  /** Runs a command in this process at a terminal, with 100 columns unless COLUMNS is set. */
  terminal(...args: string[]): Terminal;
}

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Parses the output of `--json`. If a line contains a JSON array, each member of the array is one entry. */
  lines(): Record<string, unknown>[];
}

export interface Started {
  process: ChildProcess;
  /** Everything the command has written so far to stdout and stderr. */
  output(): string;
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  end(): Promise<Finished>;
}

export interface StartedHere extends Omit<Started, "process"> {
  /** Shuts the command down gracefully, as SIGTERM does. */
  leave(): Promise<Finished>;
}

export interface Terminal {
  code: Promise<number>;
  /** Everything the terminal has received so far, without colours. */
  text(): string;
  raw(): string;
  /** The lines that a person sees now. */
  screen(): string;
  /** Waits until the visible screen matches the pattern. */
  sees(pattern: RegExp): Promise<RegExpExecArray>;
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  /** Types the key repeatedly until the output matches. A key that is typed before a question is shown has no effect. */
  press(key: string, until: RegExp): Promise<void>;
  type(text: string): void;
}

export async function project(files: Record<string, string>): Promise<Project> {
  const root = await realpath(scratchFolder("cadre-cli-"));
  const folder = join(root, "p");
  const home = join(root, "home");
  const env = {
    HOME: home,
    PATH: process.env["PATH"]!,
    NO_COLOR: "1",
    XDG_CONFIG_HOME: join(home, ".config"),
    TMPDIR: home,
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"]!,
  };
  const started: ChildProcess[] = [];
  const here: StartedHere[] = [];
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await Promise.all([mkdir(home, { recursive: true }), mkdir(folder, { recursive: true })]);
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const launcher = join(root, "cadre");
  await symlink(programPath("cadre"), launcher);
  const launch = (args: string[]): Started => {
    const child = spawn(process.execPath, [launcher, ...args], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    started.push(child);
    return watchProcess(child);
  };
  return {
    folder,
    env,
    launcher,
    write,
    cadre: (...args) => startHere(withoutBackground(args), folder, env).end(),
    piped: (stdin, ...args) => startHere(args, folder, env, stdin).end(),
    spawn: (...args) => launch(args).end(),
    start: (...args) => launch(args),
    startHere(...args) {
      const command = startHere(args, folder, env);
      here.push(command);
      return command;
    },
    terminal: (...args) => openTerminal(args, folder, env),
    async [Symbol.asyncDispose]() {
      for (const child of started) child.kill("SIGKILL");
      await Promise.all(here.map((command) => command.leave()));
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const DECISIONS = new Set(["approve", "reject", "outcome", "resume", "thaw"]);

const withoutBackground = (args: string[]): string[] =>
  DECISIONS.has(args[0] ?? "") ? [...args, "--no-continue"] : args;

function watchProcess(child: ChildProcess): Started {
  let stdout = "";
  let stderr = "";
  const news = waiters(() => stdout + stderr);
  child.stdout!.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    news.tell();
  });
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    news.tell();
  });
  const closed = once(child, "close");
  return {
    process: child,
    output: () => stdout + stderr,
    shows: news.shows,
    async end() {
      const [code] = (await closed) as [number | null];
      return commandResult(code, stdout, stderr);
    },
  };
}

function startHere(args: string[], folder: string, env: Record<string, string>, input?: string): StartedHere {
  let [out, err] = ["", ""];
  const news = waiters(() => out + err);
  const stdout = new PassThrough().setEncoding("utf8").on("data", (text: string) => {
    out += text;
    news.tell();
  });
  const stderr = new PassThrough().setEncoding("utf8").on("data", (text: string) => {
    err += text;
    news.tell();
  });
  const leaving = new AbortController();
  // A running command must not see variables that the test sets later, so it gets a copy of the environment.
  const stdin = new PassThrough();
  if (input !== undefined) stdin.end(input);
  const io = { stdin, stdout, stderr, env: { ...env }, cwd: folder };
  const ended = main(args, { ...io, shutdown: leaving.signal }).then(async (code) => {
    await Promise.all([stdout, stderr].map((stream) => once(stream.end(), "end")));
    return commandResult(code, out, err);
  });
  return {
    output: () => out + err,
    shows: news.shows,
    end: () => ended,
    leave() {
      leaving.abort();
      return ended;
    },
  };
}

function commandResult(code: number | null, stdout: string, stderr: string): Finished {
  const lines = () =>
    stdout
      .split("\n")
      .filter(Boolean)
      .flatMap((line): Record<string, unknown>[] => [JSON.parse(line)].flat());
  return { code, stdout, stderr, lines };
}

function openTerminal(args: string[], folder: string, env: Record<string, string>): Terminal {
  const columns = Number(env["COLUMNS"] ?? 100);
  let raw = "";
  const text = () => stripVTControlCharacters(raw);
  const screen = () => visible(raw, columns).join("\n");
  const news = waiters(text);
  const sights = waiters(screen);
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => undefined,
  }) satisfies Input;
  const stdout = Object.assign(new PassThrough().setEncoding("utf8"), {
    isTTY: true,
    columns,
    rows: 30,
  });
  stdout.on("data", (piece: string) => {
    raw += piece;
    news.tell();
    sights.tell();
  });
  const { NO_COLOR: _, ...colourful } = env;
  const io: Io = { stdin, stdout, stderr: stdout, env: { ...colourful, TERM: "xterm" }, cwd: folder };
  return {
    code: main(args, io),
    text,
    raw: () => raw,
    screen,
    shows: news.shows,
    sees: sights.shows,
    async press(key, until) {
      const retry = setInterval(() => stdin.write(key), 200);
      try {
        await news.shows(until);
      } finally {
        clearInterval(retry);
      }
    },
    type: (line) => void stdin.write(line),
  };
}

function waiters(text: () => string) {
  const waiting = new Set<() => void>();
  return {
    tell(): void {
      for (const check of waiting) check();
    },
    shows: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`${pattern} was not shown in time:\n${text()}`));
        }, 60_000);
        const check = (): void => {
          const found = pattern.exec(text());
          if (!found) return;
          clearTimeout(late);
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
  };
}

/** An agent file for a scripted model. */
export function agent(name: string, extra = ""): string {
  return `---\nname: ${name}\ndescription: Does what its script says.\nmodel: scripted/${name}\n${extra}---\nDo it.\n`;
}
