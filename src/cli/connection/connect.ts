// A command's way to the store (E1): as its owner while the command runs, or as the client of the process that is. A store
// on a server has no owner: every process opens it, and leases say who drives. Either way the command sees the same client.

import { setTimeout as pause } from "node:timers/promises";
import { type CadreClient, createClient, isUnreachable } from "../../api/client/client.ts";
import type { Health } from "../../api/client/types.ts";
import type { ApiParts } from "../../api/parts.ts";
import { createApp } from "../../api/server/app.ts";
import type { Served } from "../../api/server/http-server.ts";
import { serveOnSocket, socketFetch } from "../../api/server/socket.ts";
import { type Config, type ConfigFlags, loadConfig, MEMORY_STORE } from "../../config/config.ts";
import { checkStore, hasState, type StoreCheck } from "../../config/known-stores.ts";
import { CadreError, messageOf } from "../../errors.ts";
import { apiParts } from "../../runtime/api-parts.ts";
import {
  assembleRuntime,
  type RuntimeAssembly,
  type RuntimeOptions,
  socketPath,
  takeOwnership,
} from "../../runtime/assembly.ts";
import { version } from "../../runtime/version.ts";
import { plainLine } from "../view/text/plain.ts";
import { type NoticeIo, otherConfigProblems, printIgnoredSettings } from "./ignored-settings.ts";

export interface ConnectOptions {
  folder: string;
  io: NoticeIo;
  /** Drives what is due while it owns the store; otherwise it only reads and appends. */
  drive: boolean;
  flags?: ConfigFlags;
  /** Begins a store where there is none yet, like who drives: whoever only looks makes nothing. */
  createsStore?: boolean;
  /** Runs that are driven at the same time, and whose. */
  concurrency?: number | undefined;
  pool?: string | undefined;
  /** Where a sentence about trouble beside the command goes; otherwise to stderr. */
  say?: (line: string) => void;
  /** The same trouble, for who writes it down in another form. */
  onProblem?: RuntimeOptions["onProblem"] | undefined;
  onRecovered?: RuntimeOptions["onRecovered"];
  /** The command itself shows what of cadre.yaml is left out. */
  showsIgnoredSettings?: boolean;
  /** Another process had the store a moment ago: it, or the next, gets a while to come before this one takes its place. */
  waitsForOwner?: boolean;
  /** Does not settle for a process that only looks or writes something down, and is gone in a moment. */
  needsLastingOwner?: boolean;
  /** Through what the person acts: `mcp`. */
  via?: string;
  /** Where else the API is served while this process has the store. */
  serve?: (parts: ApiParts, config: Config) => Promise<Served>;
}

export interface Connection {
  client: CadreClient;
  isOwner: boolean;
  /** What is wrong with the project's configuration, as far as this process has read it: a line each. */
  problems: string[];
  /** Brings cancelled runs to their ends; absent where another process has the store, or drives. */
  endCancelled?: RuntimeAssembly["endCancelled"];
  close(): Promise<void>;
}

/** Longer than an owner takes to drain. */
const PATIENCE_MS = 15_000;
const PAUSE_MS = 50;
/** A server that was killed is up again by then. */
const RETURN_MS = 10_000;

export async function connect(options: ConnectOptions): Promise<Connection> {
  const { folder, io, flags, onProblem } = options;
  const { env } = io;
  const config = loadConfig({ folder, env, ...(flags ? { flags } : {}) });
  const { dir } = config;
  if (!options.showsIgnoredSettings) printIgnoredSettings(config, io, onProblem && logged(onProblem));
  const store = checkStore(config, env);
  if (options.serve && !options.drive && isFileStore(config)) throw onlyOnServer();
  if (!isFileStore(config)) return own(options, { dir, confirmOpened: () => {} });
  if (!options.drive && !options.createsStore && !hasState(config))
    return own({ ...options, flags: { ...flags, store: MEMORY_STORE } }, { dir, confirmOpened: () => {} });
  const next = options.waitsForOwner ? await nextOwner(dir, options.via) : undefined;
  if (next) return asClient(next);
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const owned = await takeOwnership(dir, { startedAt: Date.now(), version: version() });
    if (!("owner" in owned)) return own(options, { dir, ...store, release: owned.release });
    const client = createClient({ fetch: socketFetch(owned.owner.socket), via: options.via });
    const health = await healthOf(client);
    // A command that only looks or writes something down is gone in a moment: it must not keep a server from starting.
    const stays = options.needsLastingOwner ?? options.serve !== undefined;
    const isPassing = stays && health?.drives === false && performance.now() < until;
    if (health && !isPassing) return asClient(client);
    if (performance.now() > until) {
      throw new CadreError(
        "STORE_OWNED",
        `Process ${owned.owner.pid} has ${dir} but does not answer. Nothing was changed; stop that process, or try again.`,
      );
    }
    await pause(PAUSE_MS);
  }
}

const asClient = (client: CadreClient): Connection => ({
  client,
  isOwner: false,
  problems: [],
  close: async () => {},
});

/** Whoever drives here within a while. Looks without taking the lock, which would keep them out. */
async function nextOwner(dir: string, via: string | undefined): Promise<CadreClient | undefined> {
  const client = createClient({ fetch: socketFetch(socketPath(dir)), via });
  const until = performance.now() + RETURN_MS;
  while (performance.now() < until) {
    if ((await healthOf(client))?.drives) return client;
    await pause(PAUSE_MS);
  }
  return undefined;
}

/** Whether connecting anew and going on from the last position mends it: the owner left, or we read too slowly. */
export const isConnectionLost = (error: unknown): boolean =>
  isUnreachable(error) || (error instanceof CadreError && error.code === "STALE");

/** The client of the owner, or of oneself; asked again where an owner left in the middle of the answer. */
export async function withClient<T>(
  options: Omit<ConnectOptions, "drive">,
  use: (client: CadreClient) => Promise<T>,
): Promise<T> {
  for (let left = 5; ; left--) {
    const connection = await connect({ ...options, drive: false });
    try {
      return await use(connection.client);
    } catch (error) {
      if (!isUnreachable(error) || left === 0) throw error;
    } finally {
      await connection.close();
    }
  }
}

/** A store that one process has at a time. */
export const isFileStore = ({ store }: Pick<Config, "store">): boolean => store.startsWith("sqlite:");

/** Where stderr is a log, a sentence is a line of it. */
const logged =
  (tell: NonNullable<ConnectOptions["onProblem"]>) =>
  (sentence: string): void =>
    tell({ message: "Not all of cadre.yaml counts here.", error: new CadreError("UNTRUSTED", sentence) });

const onlyOnServer = (): CadreError =>
  new CadreError(
    "USAGE",
    "--no-worker leaves the work to workers elsewhere, which needs a store on Postgres; here it is a file, which one process has. Nothing was started.",
  );

interface Opening extends StoreCheck {
  dir: string;
  /** Lets the next owner in; absent where there is none. */
  release?: () => void;
}

async function own(options: ConnectOptions, { dir, release, ...store }: Opening): Promise<Connection> {
  const { folder, io, flags, drive, say, serve } = options;
  const { env } = io;
  try {
    const printer = problemPrinter(say);
    const { onProblem = printer.onProblem, onRecovered = printer.onRecovered, concurrency, pool } = options;
    const more = {
      onProblem,
      onRecovered,
      concurrency,
      pool,
      version: version(),
      ...(flags ? { flags } : {}),
    };
    const runtime = await assembleRuntime({ folder, env, ...more });
    await verifyStoreIdentity(runtime, store);
    const served: Served[] = [];
    const close = async (): Promise<void> => {
      // Clients first: they wait for the lock while what is under way here gets its time to finish.
      await Promise.all(served.map((server) => server.close()));
      await runtime.stop();
      release?.();
    };
    try {
      const parts = apiParts(runtime, drive, env);
      const app = createApp(parts);
      if (release) served.push(await serveOnSocket(app, socketPath(dir)));
      if (serve) served.push(await serve(parts, runtime.config));
      if (drive) await runtime.start();
      return {
        client: createClient({
          fetch: async (url, init) => app.fetch(new Request(url, init)),
          via: options.via,
        }),
        isOwner: true,
        ...(drive ? {} : { endCancelled: runtime.endCancelled }),
        problems: otherConfigProblems(runtime.config),
        close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    release?.();
    throw error;
  }
}

/** Before it answers anybody or drives anything. */
export async function verifyStoreIdentity(runtime: RuntimeAssembly, store: StoreCheck): Promise<void> {
  try {
    store.confirmOpened(runtime.store.id);
  } catch (error) {
    await runtime.stop();
    throw error;
  }
}

/** What goes wrong beside the run that is shown: once each, so that a fault that repeats does not fill the screen. */
function problemPrinter(
  say = (line: string): void => void process.stderr.write(`${line}\n`),
): Required<Pick<RuntimeOptions, "onProblem" | "onRecovered">> {
  const said = new Set<string>();
  return {
    onProblem({ message, error, answered }) {
      // Whoever asked, here or in another process, says it themselves; but for a fault of ours, whose answer tells nothing.
      if (answered && error instanceof CadreError && error.code !== "INTERNAL") return;
      const text = plainLine(`${message} ${messageOf(error)}`);
      if (said.has(text)) return;
      said.add(text);
      say(`cadre: ${text}`);
    },
    onRecovered(sentence) {
      // The next outage is another one.
      said.clear();
      say(`cadre: ${sentence}`);
    },
  };
}

/** A process that was stopped holds its socket open and says nothing. */
const ANSWER_MS = 2_000;

async function healthOf(client: CadreClient): Promise<Health | undefined> {
  try {
    return await Promise.race([client.health(), pause(ANSWER_MS, undefined, { ref: false })]);
  } catch (error) {
    if (isUnreachable(error)) return undefined;
    throw error;
  }
}
