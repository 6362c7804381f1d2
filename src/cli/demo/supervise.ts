// Supervises the server of `cadre up --demo`. The person can kill that server from its web page.
// After SIGKILL the supervisor restarts the server on the same port. Any other exit ends the demo.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../../config/config.ts";
import { launcherName } from "../command-line.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { canListen } from "../serve/can-listen.ts";
import { copyDemo, findInterruptedDemo } from "./project-copy.ts";

interface Options {
  port?: string;
  open: boolean;
}

/** The message that starts the server process. */
export interface DemoServerOptions<O extends Options = Options> {
  folder: string;
  task: string;
  json: boolean;
  options: O;
  /** The command that starts Cadre from any folder, for example `npx cadre`. */
  cadre: string;
  /** Time when the supervisor noticed that the previous server had exited. */
  goneAt?: number;
}

/** The message that the server process sends once it listens. */
export interface DemoReady {
  port: number;
}

const SERVER = fileURLToPath(new URL(`./server${extname(import.meta.url)}`, import.meta.url));

const CONTINUING = "Continuing a demo that was killed before its end …";

export async function superviseDemo(options: Options, { json, screen }: Invocation): Promise<number> {
  const left = await findInterruptedDemo();
  if (!json) screen.line(left ? CONTINUING : "Starting the demo: an incident, in a copy of an example …");
  const { remove, ...stage } = left ?? (await copyDemo());
  const port = options.port ?? (await freePort(stage.folder));
  const cadre = launcherName(process.argv[1]!, stage.folder);
  const order: DemoServerOptions = { ...stage, json, cadre, options: { ...options, port } };
  for (let next = order; ; ) {
    const { code, signal, port } = await runServer(next);
    // A server that exited before it listened would fail again after a restart.
    if (signal !== "SIGKILL" || port === undefined) {
      await remove();
      if (!json) screen.line("The demo has ended. Its copy was removed.");
      return code ?? EXIT.failed;
    }
    next = { ...order, options: { ...options, port: String(port), open: false }, goneAt: Date.now() };
  }
}

/** Returns another port if the default port is taken, so that the demo needs no setup. */
async function freePort(folder: string): Promise<string> {
  const { host, port } = loadConfig({ folder, env: process.env }).server;
  return String((await canListen(host, port)) ? port : 0);
}

interface ServerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  port: number | undefined;
}

async function runServer(order: DemoServerOptions): Promise<ServerExit> {
  const server = fork(SERVER, { cwd: order.folder, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  let port: number | undefined;
  server.on("message", (up: DemoReady) => {
    port = up.port;
  });
  const release = forwardSignals(server);
  try {
    const exited = once(server, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
    server.send(order);
    const [code, signal] = await exited;
    return { code, signal, port };
  } finally {
    release();
  }
}

/** Forwards signals to the server. At a terminal, Ctrl-C is not forwarded: the terminal sends it to the server too, and a second one would stop the server immediately. */
function forwardSignals(server: ChildProcess): () => void {
  const interrupt = (): void => void (process.stdin.isTTY || server.kill("SIGINT"));
  const terminate = (): void => void server.kill("SIGTERM");
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", terminate);
  process.on("SIGHUP", terminate);
  return () => {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", terminate);
    process.off("SIGHUP", terminate);
  };
}
