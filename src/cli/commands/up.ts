// `cadre up`: serves the API and the web page on a port until it is stopped.
// The server also drives due runs, unless `--no-worker` is given.

import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import type { CadreClient } from "../../api/client/client.ts";
import type { StartRun } from "../../api/client/types.ts";
import type { ApiParts } from "../../api/parts.ts";
import type { DemoServer } from "../../api/routes/demo.ts";
import type { PublicServer } from "../../api/server/public-server.ts";
import {
  type Config,
  type ConfigFlags,
  DEFAULT_PORT,
  isServerStore,
  loadConfig,
} from "../../config/config.ts";
import type { Env } from "../../config/trust.ts";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { SERVE_PATH } from "../../runtime/connection.ts";
import { folderServing } from "../../runtime/other-projects.ts";
import { rewriteCommands } from "../command-line.ts";
import { type Connection, connect } from "../connection/connect.ts";
import { refuseIgnoredSettings } from "../connection/ignored-settings.ts";
import { superviseDemo } from "../demo/supervise.ts";
import { printResumedByServer, unfinishedRuns } from "../follow/unfinished-runs.ts";
import { EXIT, type Invocation, printError, report, usageError } from "../invocation.ts";
import { type ChosenPort, nextFreePort } from "../serve/choose-port.ts";
import { serveWeb } from "../serve/serve-web.ts";
import { createServerLog } from "../serve/server-log.ts";
import { type Shutdown, watchShutdown } from "../terminal/shutdown.ts";
import { fitLines } from "../view/text/fit.ts";

export interface UpOptions {
  host?: string;
  port?: string;
  model?: string;
  open: boolean;
  /** Whether the server also drives runs. */
  worker: boolean;
  demo?: boolean;
}

export async function up(invocation: Invocation, options: UpOptions): Promise<number> {
  if (!options.demo) return stayUp(invocation, options);
  return superviseDemo(options, invocation);
}

/** The parts that the demo adds to the server. */
export interface DemoParts {
  /** The request that starts the demo's run. A restarted server does not start a second run. */
  order: StartRun;
  plug(parts: ApiParts): Promise<DemoServer>;
  onUp(url: string): void;
  /** Returns the text to print when the server is up. */
  words(link: string): string[];
}

export async function stayUp(invocation: Invocation, options: UpOptions, demo?: DemoParts): Promise<number> {
  if (!options.worker) refuseIgnoredSettings(invocation, ["store", "engine"], "Nothing was started.");
  const leaving = watchShutdown(invocation.io);
  try {
    for (let port = options.port; ; ) {
      const own = { ...options, open: options.open && port === options.port, ...omitUndefined({ port }) };
      const next = await serveOrShare(invocation, own, leaving, demo);
      if ("code" in next) return next.code;
      port = next.port;
    }
  } finally {
    leaving.dispose();
  }
}

/** Serves until a shutdown. If a command owns the store, that command serves first, and this process takes over when it has ended. */
async function serveOrShare(
  invocation: Invocation,
  options: UpOptions,
  leaving: Shutdown,
  demo: DemoParts | undefined,
): Promise<{ code: number } | { port: string }> {
  const { folder, io } = invocation;
  const log = io.stderr.isTTY ? undefined : createServerLog((line) => io.stderr.write(line));
  let server: PublicServer | undefined;
  const connection = await connect({
    folder,
    io,
    drive: options.worker,
    startsSchedules: options.worker && !demo,
    flags: flagsOf(options),
    onProblem: log?.problem,
    onRecovered: log?.recovered,
    serve: async (parts, config) => {
      log?.attach(parts);
      if (demo) parts.web.plug = await demo.plug(parts);
      const { port, taken } = await choosePort(options, config, io.env);
      if (taken !== undefined) printError(taken, io, invocation.commandLine);
      server = await serveWeb(parts, config, {
        set: io.env["CADRE_TOKEN"] || undefined,
        onRefused: log?.refused,
        port,
      });
      return server;
    },
  });
  try {
    if (!server) return await shareOwner(connection, { invocation, options, leaving });
    announceServer(invocation, { server, problems: connection.problems, options, words: demo?.words });
    if (options.worker && !demo) printResumedByServer(await unfinishedRuns(connection.client), invocation);
    await log?.started(connection.client, server.url);
    demo?.onUp(server.url);
    if (demo) await connection.client.post("/api/runs", { body: demo.order, idempotencyKey: "demo" });
    await leaving.waitForRequest();
    log?.log("stopping");
    return { code: EXIT.done };
  } finally {
    await connection.close();
    if (server) log?.log("stopped");
  }
}

interface Sharing {
  invocation: Invocation;
  options: UpOptions;
  leaving: Shutdown;
}

const LOOK_MS = 500;

/** Asks the command that owns the store to serve the page, and waits until it has ended. Then returns the port to take over. */
async function shareOwner(
  { client, owner }: Connection,
  { invocation, options, leaving }: Sharing,
): Promise<{ code: number } | { port: string }> {
  const { pid, isServer } = await client.get("/api/health");
  const { folder, io, commandLine } = invocation;
  const config = loadConfig({ folder, env: io.env, flags: flagsOf(options) });
  const { port, taken } = await choosePort(options, config, io.env);
  const answer = isServer || !owner ? undefined : await askOwner(owner, "POST", { port });
  if (answer?.status === 409)
    throw new CadreError("USAGE", ((await answer.json()) as { problem: string }).problem);
  if (!answer?.ok) return refuseSecond(client);
  const { url, link } = (await answer.json()) as { url: string; link: string };
  if (taken !== undefined) printError(taken, io, commandLine);
  announceServer(invocation, {
    server: { url, newLink: () => ({ url: link }) },
    problems: [],
    options,
    words: (own) => [
      ...upWords(own, true),
      `Process ${pid} works in this folder and serves the page. When it has ended, this process continues.`,
    ],
  });
  while (!leaving.signal.aborted) {
    const health = await client.get("/api/health").catch(() => undefined);
    if (health?.pid !== pid) return { port: new URL(url).port };
    await pause(LOOK_MS, undefined, { signal: leaving.signal }).catch(() => {});
  }
  if (owner) await askOwner(owner, "DELETE").catch(() => {});
  return { code: EXIT.done };
}

const askOwner = (
  owner: NonNullable<Connection["owner"]>,
  method: string,
  body?: object,
): Promise<Response> =>
  owner.fetch(`http://cadre${SERVE_PATH}`, {
    method,
    headers: { "Content-Type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

/** Replaces only the default port, and not on a shared store: commands on other machines rely on its port. */
async function choosePort(
  options: UpOptions,
  { server, store, folder }: Config,
  env: Env,
): Promise<ChosenPort> {
  const { host, port } = server;
  const isUsual = options.port === undefined && port === DEFAULT_PORT && !isServerStore(store);
  const folderOf = (taken: number) => folderServing(taken, folder, env);
  return isUsual ? nextFreePort(host, port, folderOf) : { port };
}

function flagsOf({ host, port, model }: UpOptions): ConfigFlags {
  if (port !== undefined && !/^\d{1,5}$/.test(port))
    throw usageError(`${JSON.stringify(port)} is not a port number.`);
  return omitUndefined({ host, port: port === undefined ? undefined : Number(port), model });
}

/** Throws an error that names the running process. If that process is a server, the error contains a sign-in link. */
async function refuseSecond(client: CadreClient): Promise<never> {
  const { pid } = await client.get("/api/health");
  const link = await client.post("/api/link").catch(() => undefined);
  throw new CadreError(
    "STORE_OWNED",
    link
      ? `Cadre is already up, as process ${pid}. Link for a browser: ${link.url}`
      : `Process ${pid} owns this folder's store: stop it first, or wait until it has ended. Nothing was started.`,
  );
}

interface ServerAnnouncement {
  server: { url: string; newLink(): { url: string } };
  problems: string[];
  options: UpOptions;
  words: ((link: string) => string[]) | undefined;
}

/** Prints the link that signs a browser in. `words` is the text of the demo, which replaces the usual text. */
function announceServer(
  invocation: Invocation,
  { server, problems, options: { open, worker }, words }: ServerAnnouncement,
): void {
  const { io, screen, commandLine } = invocation;
  const { url: link } = server.newLink();
  const lines = [
    ...problems.map((problem) => rewriteCommands(problem, commandLine)),
    ...(words?.(link) ?? upWords(link, worker)),
  ];
  report(invocation, { url: server.url, link }, fitLines(lines, screen));
  if (open && !invocation.json && io.stdout.isTTY === true) openBrowser(link);
}

const upWords = (link: string, drives: boolean): string[] => [
  `Cadre is up at ${link}`,
  "The link signs one browser in, once.",
  `Programs use the token in .cadre/token. Ctrl-C stops the server; ${drives ? "unfinished runs continue at the next start" : "workers continue unfinished runs"}.`,
];

/** Passes the link as an argument, never through a shell (A51). If no browser opens, the person can still copy the link. */
function openBrowser(url: string): void {
  const program = { darwin: "open", win32: "explorer" }[process.platform as string] ?? "xdg-open";
  const child = spawn(program, [url], { stdio: "ignore", detached: true });
  child.once("error", () => {});
  child.unref();
}
