// `cadre up`: serves the API and the web page on a port until it is stopped.
// The server also drives due runs, unless `--no-worker` is given.

import { spawn } from "node:child_process";
import { MIN_TOKEN, readOrCreateToken, renewToken } from "../../api/access/token.ts";
import type { CadreClient } from "../../api/client/client.ts";
import type { StartRun } from "../../api/client/types.ts";
import type { ApiParts } from "../../api/parts.ts";
import type { DemoServer } from "../../api/routes/demo.ts";
import {
  BUILT_PAGE,
  isLoopback,
  type PublicServer,
  startPublicServer,
} from "../../api/server/public-server.ts";
import { type Config, type ConfigFlags, DEFAULT_PORT, isServerStore } from "../../config/config.ts";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { rewriteCommands } from "../command-line.ts";
import { connect } from "../connection/connect.ts";
import { refuseIgnoredSettings } from "../connection/ignored-settings.ts";
import { superviseDemo } from "../demo/supervise.ts";
import { printResumedByServer, unfinishedRuns } from "../follow/unfinished-runs.ts";
import { EXIT, type Invocation, printError, report, usageError } from "../invocation.ts";
import { type ChosenPort, nextFreePort } from "../serve/choose-port.ts";
import { createServerLog, type ServerLog } from "../serve/server-log.ts";
import { watchShutdown } from "../terminal/shutdown.ts";
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
  const { folder, io } = invocation;
  if (!options.worker) refuseIgnoredSettings(invocation, ["store", "engine"], "Nothing was started.");
  const leaving = watchShutdown(io);
  const log = io.stderr.isTTY ? undefined : createServerLog((line) => io.stderr.write(line));
  let server: PublicServer | undefined;
  try {
    const connection = await connect({
      folder,
      io,
      drive: options.worker,
      flags: flagsOf(options),
      onProblem: log?.problem,
      onRecovered: log?.recovered,
      serve: async (parts, config) => {
        log?.attach(parts);
        if (demo) parts.web.plug = await demo.plug(parts);
        // A port that somebody chose is never replaced. On a shared store, commands on other machines rely on the port.
        const isUsual = options.port === undefined && config.server.port === DEFAULT_PORT;
        const { host, port: wanted } = config.server;
        const mayMove = isUsual && !isServerStore(config.store);
        const { port, taken }: ChosenPort = mayMove ? await nextFreePort(host, wanted) : { port: wanted };
        if (taken !== undefined) printError(taken, io, invocation.commandLine);
        server = await serveWeb(parts, config, { set: io.env["CADRE_TOKEN"] || undefined, log, port });
        return server;
      },
    });
    try {
      if (!server) return await refuseSecond(connection.client);
      announceServer(invocation, { server, problems: connection.problems, options, words: demo?.words });
      if (options.worker && !demo) printResumedByServer(await unfinishedRuns(connection.client), invocation);
      await log?.started(connection.client, server.url);
      demo?.onUp(server.url);
      if (demo) await connection.client.post("/api/runs", { body: demo.order, idempotencyKey: "demo" });
      await leaving.waitForRequest();
      log?.log("stopping");
      return EXIT.done;
    } finally {
      await connection.close();
      if (server) log?.log("stopped");
    }
  } finally {
    leaving.dispose();
  }
}

function flagsOf({ host, port, model }: UpOptions): ConfigFlags {
  if (port !== undefined && !/^\d{1,5}$/.test(port))
    throw usageError(`${JSON.stringify(port)} is not a port number.`);
  return omitUndefined({ host, port: port === undefined ? undefined : Number(port), model });
}

interface ServeWith {
  /** The token from the environment variable CADRE_TOKEN. */
  set: string | undefined;
  log: ServerLog | undefined;
  port: number;
}

async function serveWeb(
  parts: ApiParts,
  config: Config,
  { set, log, port }: ServeWith,
): Promise<PublicServer> {
  refuseExposed(config.server.host, set);
  const token = set ?? readOrCreateToken(config.dir);
  // The token might be new, so it is masked from now on like other secrets.
  parts.people.mask.refresh();
  const server = await startPublicServer(parts, {
    ...config.server,
    port,
    token,
    sees: config.users?.see,
    page: BUILT_PAGE,
    ...omitUndefined({ onRefused: log?.refused }),
  });
  parts.web.served = {
    newLink: server.newLink,
    renewToken() {
      if (set !== undefined)
        throw new CadreError("CONFLICT", "The token is set by CADRE_TOKEN: change it there, and restart.");
      server.replaceToken(renewToken(config.dir));
      parts.people.mask.refresh();
    },
  };
  return server;
}

/** A06: refuses to listen for other machines unless the person has set CADRE_TOKEN to a long token. */
function refuseExposed(host: string, set: string | undefined): void {
  if (set !== undefined && set.length < MIN_TOKEN)
    throw usageError(`CADRE_TOKEN must have at least ${MIN_TOKEN} characters. Nothing was started.`);
  if (isLoopback(host) || set !== undefined) return;
  throw usageError(
    `${host} can be reached from other machines: set CADRE_TOKEN to a secret of at least ${MIN_TOKEN} characters, or leave out --host. Nothing was started.`,
  );
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
  server: PublicServer;
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
