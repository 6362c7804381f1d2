// Starts one of the five systems with the command from its README, as a process of its own.
// Tests look at the system only from outside: over HTTP, with the command line, and with SQL.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { vi } from "vitest";
import { programPath } from "../../test/support/programs.ts";
import { scratchFolder } from "../../test/support/scratch.ts";
import { ENVIRONMENT } from "../shared/environment.ts";

// Answers are plain JSON without Cadre's types, as any other program would read them.
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type Json = any;

export interface Seed extends AsyncDisposable {
  url: string;
  /** Signs a browser in, once. */
  link: string;
  /** A copy of the example's folder. The system works in it. */
  folder: string;
  get(path: string): Promise<Json>;
  post(path: string, body: unknown): Promise<Json>;
  /** Sends any request, with the folder's token. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Repeats a GET until its answer meets the condition. */
  until(path: string, fits: (answer: Json) => boolean): Promise<Json>;
  /** Runs `cadre` in the folder while the server is up. */
  cadre(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  /** Runs the first line of the system's README that runs `cadre`, in a shell that has only the reader's own settings. */
  readme(): Promise<{ code: number; stdout: string; stderr: string }>;
  /** Runs a line in the reader's shell. */
  shell(line: string): Promise<{ code: number; stdout: string; stderr: string }>;
  /** Reads the store's file, as another program would. */
  sql(query: string, ...values: (string | number)[]): Record<string, Json>[];
}

/** `name` is a folder in `examples/seeds`. */
export async function startSeed(name: string): Promise<Seed> {
  const root = scratchFolder(`cadre-${name}-`);
  const { NODE_COMPILE_CACHE = "" } = process.env;
  const env = { PATH: process.env["PATH"]!, HOME: root, TMPDIR: root, NODE_COMPILE_CACHE };
  const args = [join(import.meta.dirname, name, "main.ts"), "--port", "0", "--no-open", "--json"];
  const server = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const firstLine = readFirstLine(server);
  const { url, folder } = await started(server).catch((error: unknown) => {
    server.kill("SIGKILL");
    throw error;
  });
  const token = readFileSync(join(folder, ".cadre/token"), "utf8").trim();
  const request: Seed["fetch"] = (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(`${url}${path}`, { ...init, headers });
  };
  const shell: Seed["shell"] = (line) => run("sh", ["-c", line], root, env);
  const get: Seed["get"] = async (path) => (await request(path)).json();
  return {
    ...{ url, link: JSON.parse(await firstLine).link, folder, fetch: request, get },
    async post(path, body) {
      const type = { "content-type": "application/json" };
      return (await request(path, { method: "POST", headers: type, body: JSON.stringify(body) })).json();
    },
    async until(path, fits) {
      let answer: Json;
      const isThere = async (): Promise<boolean> => {
        answer = await get(path);
        return fits(answer);
      };
      await vi.waitUntil(isThere, { timeout: 60_000, interval: 100 });
      return answer;
    },
    cadre: (...words) =>
      run(process.execPath, [programPath("cadre"), ...words], folder, {
        ...env,
        ...ENVIRONMENT,
        XDG_CONFIG_HOME: join(folder, "../config"),
      }),
    shell,
    readme() {
      const text = readFileSync(join(import.meta.dirname, name, "README.md"), "utf8");
      const line = /^<folder>\/\.\.\/cadre .*$/m.exec(text)![0];
      return shell(line.replaceAll("<folder>", folder));
    },
    sql(query, ...values) {
      const database = new DatabaseSync(join(folder, ".cadre/cadre.db"), { readOnly: true });
      try {
        return database.prepare(query).all(...values);
      } finally {
        database.close();
      }
    },
    async [Symbol.asyncDispose]() {
      server.kill("SIGTERM");
      if (server.exitCode === null) await once(server, "close");
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function readFirstLine({ stdout }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stdout! })) {
    stdout!.resume();
    return line;
  }
  return "{}";
}

/** Reads the address from the server's first line, and the folder from its log. */
async function started(server: ChildProcess): Promise<{ url: string; folder: string }> {
  let errors = "";
  for await (const line of createInterface({ input: server.stderr! })) {
    errors += `${line}\n`;
    if (!line.includes('"event":"started"')) continue;
    server.stderr!.resume();
    const { url, folder } = JSON.parse(line);
    return { url, folder };
  }
  throw new Error(`The system did not start:\n${errors}`);
}

function run(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(program, args, { cwd, env, encoding: "utf8" }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}
