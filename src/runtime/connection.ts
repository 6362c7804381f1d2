// Connects a process to the store of its project (E1): as the owner of the store, or as a client of the owner.
// A store on a server has no owner. Every process opens it, and leases decide which process drives a run.
// The caller always gets the same kind of client.

import { setTimeout as pause } from "node:timers/promises";
import { Hono } from "hono";
import { z } from "zod";
import { type CadreClient, type ClientOptions, createClient, isUnreachable } from "../api/client/client.ts";
import type { Health } from "../api/client/types.ts";
import type { ApiParts } from "../api/parts.ts";
import { createApp } from "../api/server/app.ts";
import type { Served } from "../api/server/http-server.ts";
import { serveOnSocket, socketFetch } from "../api/server/socket.ts";
import { type Config, loadConfig, MEMORY_STORE } from "../config/config.ts";
import { checkStore, hasState, type StoreCheck } from "../config/known-stores.ts";
import { rememberProject } from "../config/project-list.ts";
import { createSocketKey, readSocketKey } from "../config/socket-key.ts";
import { CadreError, messageOf } from "../errors.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { apiParts } from "./api-parts.ts";
import {
  type AssemblyOptions,
  assembleRuntime,
  type RuntimeAssembly,
  socketPath,
  takeOwnership,
} from "./assembly.ts";
import { isFileStore, verifyStoreIdentity } from "./owned-runtime.ts";
import { version } from "./version.ts";

export interface ConnectionOptions
  extends Pick<
    AssemblyOptions,
    "folder" | "flags" | "concurrency" | "pool" | "startsSchedules" | "onProblem" | "onRecovered"
  > {
  env: NonNullable<AssemblyOptions["env"]>;
  /** Whether this process drives due runs while it owns the store. If false, it only reads the store and appends events. */
  drive: boolean;
  /** Whether to create a missing store. A process that drives runs always creates it; a process that only reads must not. */
  createsStore?: boolean | undefined;
  /** True if another process owned the store a moment ago. Then `connectToStore` waits a while, until that process or its successor answers. */
  waitsForOwner?: boolean | undefined;
  /** Waits for the exit of an owner that drives no runs. Such an owner is a short command and would soon disconnect its clients. */
  needsLastingOwner?: boolean | undefined;
  /** The protocol that the person uses, for example `mcp`. */
  via?: string | undefined;
  /** Serves the API in an additional way, for example on a port, while this process owns the store. */
  serve?: ((parts: ApiParts, config: Config) => Promise<Served>) | undefined;
  /**
   * Like `serve`, but only after another process of the same user has asked for it over the socket.
   * So `cadre up` can start while a command owns the folder's store.
   */
  serveOnRequest?: ((parts: ApiParts, config: Config, port: number) => Promise<ServedPage>) | undefined;
  /** Called with the configuration, before the store is opened. */
  onConfig?(config: Config): void;
}

export interface ServedPage extends Served {
  url: string;
  newLink(): { url: string };
}

export interface StoreConnection {
  client: CadreClient;
  isOwner: boolean;
  /** Configuration of the project. Undefined if another process owns the store. */
  config?: Config;
  /** Asks the process that owns the store to serve its page. Undefined if this process owns the store. */
  owner?: { fetch: NonNullable<ClientOptions["fetch"]> };
  /** Ends cancelled runs. Undefined if another process owns the store, or if this process drives runs. */
  endCancelled?: RuntimeAssembly["endCancelled"];
  close(): Promise<void>;
}

/** Time to wait for an owner to exit. It is longer than the owner needs to finish its steps in progress. */
const PATIENCE_MS = 15_000;
const PAUSE_MS = 50;
/** Time to wait for a killed server to be restarted. */
const RETURN_MS = 10_000;

export async function connectToStore(options: ConnectionOptions): Promise<StoreConnection> {
  const { folder, env, flags, via } = options;
  const config = loadConfig({ folder, env, ...omitUndefined({ flags }) });
  const { dir } = config;
  options.onConfig?.(config);
  const store = checkStore(config, env);
  if (options.serve && !options.drive && isFileStore(config)) throw onlyOnServer();
  const unchecked = { dir, storeId: undefined, confirmOpened: () => {} };
  if (!isFileStore(config)) return openStore(options, unchecked);
  if (!options.drive && !options.createsStore && !hasState(config))
    return openStore({ ...options, flags: { ...flags, store: MEMORY_STORE } }, unchecked);
  const next = options.waitsForOwner ? await nextOwner(fetchOver(socketPath(dir), env), via) : undefined;
  if (next) return next;
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const owned = await takeOwnership(dir, { startedAt: Date.now(), version: version() });
    if (!("owner" in owned)) return openStore(options, { dir, ...store, release: owned.release });
    const fetch = fetchOver(owned.owner.socket, env);
    const client = createClient({ fetch, via });
    const health = await healthOf(client);
    const waitsForExit = options.needsLastingOwner ?? options.serve !== undefined;
    const isPassing = waitsForExit && health?.drives === false && performance.now() < until;
    if (health && !isPassing) return asClient(client, fetch);
    if (performance.now() > until) {
      throw new CadreError(
        "STORE_OWNED",
        `Process ${owned.owner.pid} owns ${dir} but does not answer. Nothing was changed; stop that process, or try again later.`,
      );
    }
    await pause(PAUSE_MS);
  }
}

const onlyOnServer = (): CadreError =>
  new CadreError(
    "USAGE",
    "--no-worker leaves the work to workers elsewhere, which needs a store on Postgres. The store of this folder is a file, which only one process can own. Nothing was started.",
  );

type Fetch = NonNullable<ClientOptions["fetch"]>;

const fetchOver = (socket: string, env: ConnectionOptions["env"]): Fetch =>
  socketFetch(socket, () => readSocketKey(socket, env));

const asClient = (client: CadreClient, fetch: Fetch): StoreConnection => ({
  client,
  owner: { fetch },
  isOwner: false,
  close: async () => {},
});

/** Waits for a process that drives runs. Does not take the lock, because then that process could not open the store. */
async function nextOwner(fetch: Fetch, via: string | undefined): Promise<StoreConnection | undefined> {
  const client = createClient({ fetch, via });
  const until = performance.now() + RETURN_MS;
  while (performance.now() < until) {
    if ((await healthOf(client))?.drives) return asClient(client, fetch);
    await pause(PAUSE_MS);
  }
  return undefined;
}

/** Time to wait for an answer. A suspended process keeps its socket open but does not answer. */
const ANSWER_MS = 2_000;

async function healthOf(client: CadreClient): Promise<Health | undefined> {
  try {
    return await Promise.race([client.get("/api/health"), pause(ANSWER_MS, undefined, { ref: false })]);
  } catch (error) {
    if (isUnreachable(error)) return undefined;
    throw error;
  }
}

interface Opening extends StoreCheck {
  dir: string;
  /** Gives up the ownership of the store. Undefined if the store has no owner. */
  release?: () => void;
}

async function openStore(options: ConnectionOptions, opening: Opening): Promise<StoreConnection> {
  const { drive, serve, env, via } = options;
  const { dir, release, ...store } = opening;
  try {
    const runtime = await assembleRuntime({ ...options, version: version() });
    await verifyStoreIdentity(runtime, store);
    if (release && drive) rememberProject({ folder: runtime.config.folder, dir }, env);
    const served: Served[] = [];
    const close = async (): Promise<void> => {
      // Disconnects clients first, so that they wait for the lock while this process finishes its steps in progress.
      await Promise.all(served.map((server) => server.close()));
      await runtime.stop();
      release?.();
    };
    try {
      const parts = apiParts(runtime, drive, env);
      const app = createApp(parts);
      const control = controlApp(app, async (port) => {
        const page = await options.serveOnRequest?.(parts, runtime.config, port);
        if (page) served.push(page);
        return page;
      });
      const key = release && socketKeyOf(dir, runtime, env);
      if (key !== undefined) served.push(await serveOnSocket(control, socketPath(dir), key));
      if (serve) served.push(await serve(parts, runtime.config));
      if (drive) await runtime.start();
      return {
        client: createClient({ fetch: async (url, init) => app.fetch(new Request(url, init)), via }),
        isOwner: true,
        config: runtime.config,
        ...(drive ? {} : { endCancelled: runtime.endCancelled }),
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

/** Without a key the socket is not served: the work goes on, but other commands cannot reach this process. */
function socketKeyOf(
  dir: string,
  { onProblem }: RuntimeAssembly,
  env: ConnectionOptions["env"],
): string | undefined {
  try {
    return createSocketKey(socketPath(dir), env);
  } catch (error) {
    onProblem({
      message: "Other commands of Cadre cannot reach this process. Its runs are not affected.",
      error,
    });
    return undefined;
  }
}

/** Path of the request for the page. It exists only on the socket, which only the user who owns the process can open. */
export const SERVE_PATH = "/control/serve";

/** The API, with a POST that makes this process serve its page, and a DELETE that stops it. */
function controlApp(app: Hono, serve: (port: number) => Promise<ServedPage | undefined>): Hono {
  const control = new Hono();
  let page: ServedPage | undefined;
  control.post(SERVE_PATH, async (c) => {
    const { port } = ServeBody.parse(await c.req.json());
    try {
      page ??= await serve(port);
    } catch (error) {
      return c.json({ problem: messageOf(error) }, 409);
    }
    return page ? c.json({ url: page.url, link: page.newLink().url }) : c.json({}, 404);
  });
  control.delete(SERVE_PATH, async (c) => {
    await page?.close();
    page = undefined;
    return c.json({});
  });
  control.route("/", app);
  return control;
}

const ServeBody = z.strictObject({ port: z.int().min(0).max(65_535) });
