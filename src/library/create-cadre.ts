// Cadre as a library: `createCadre` opens a store and drives its runs in this process.
// The process owns a SQLite store, like `cadre up` (E1). Commands in the folder are clients of that process.

import { dirname, resolve } from "node:path";
import { findAgent } from "../agents/load.ts";
import { type ConfigFlags, isServerStore, loadConfig, MEMORY_STORE } from "../config/config.ts";
import { CadreError } from "../errors.ts";
import type { AgentLimits, Rules } from "../journal/definition.ts";
import type { SentFile } from "../loop/attachments/store-files.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { REHEARSAL, wouldRehearse } from "../project/project.ts";
import type { OnAgent } from "../projections/formats/agent-events.ts";
import {
  type AssemblyOptions,
  assembleRuntime,
  type RuntimeAssembly,
  socketPath,
} from "../runtime/assembly.ts";
import { isFileStore, openOwnedRuntime } from "../runtime/owned-runtime.ts";
import type { HandlerOptions } from "../runtime/serve-folder.ts";
import { type ApprovalRequest, openRequests } from "./approvals.ts";
import { collectDefinitions } from "./collect.ts";
import { type Agent, type ModelObject, nameOfModel, partsOf } from "./define-agent.ts";
import type { Tool } from "./define-tool.ts";
import { type ApprovalHandler, watchApprovals } from "./handle-approvals.ts";
import { type McpServerOptions, readServers } from "./mcp-servers.ts";
import { requireTexts } from "./require-texts.ts";
import { type Run, type RunParts, type RunStatus, runHandle, statusOf } from "./run.ts";

export interface CadreOptions {
  /** The folder that runs work in, with the project's agent files and cadre.yaml if it has any. Default: the current folder. */
  folder?: string;
  /** A file, `:memory:`, or `postgres://…`. Default: `.cadre/cadre.db` in the folder, which the commands use too. */
  store?: string;
  /** The agents of the program. Agents that these refer to need not be listed. */
  agents?: readonly Agent[];
  /** Tools for agents in files. The tools of `agents` need not be listed. */
  // biome-ignore lint/suspicious/noExplicitAny: a list of tools holds tools of every input type
  tools?: readonly Tool<any, unknown>[];
  /** MCP servers by name, as in cadre.yaml. Agents name the servers that they use: `mcpServers: ["memory"]`. */
  mcpServers?: Readonly<Record<string, McpServerOptions>>;
  /** The model for agents that name none. */
  model?: string | ModelObject;
  /** Rules for all runs, as in cadre.yaml: `{ allow: ["refund"] }`. */
  permissions?: Partial<Rules>;
  /** False: this process starts and decides runs, but another process drives them. Needs Postgres. Default: true. */
  drive?: boolean;
  /** Most runs that this process drives at the same time. */
  concurrency?: number;
  env?: Readonly<Record<string, string | undefined>>;
  /** Called for problems that no caller can get, such as a listener that threw. Default: they are printed to stderr. */
  onProblem?(problem: CadreProblem): void;
}

export interface CadreProblem {
  message: string;
  runId?: string;
  error: unknown;
}

export interface RunOptions<Input = unknown> {
  /** A second call with the same key returns the same run, also after a restart. */
  key?: string;
  input?: Input;
  /** A conversation: the run continues after the previous run of this session, or the text joins the run that is under way. */
  session?: string;
  /** A user of the program, whose runs can be listed. */
  user?: string;
  model?: string;
  limits?: AgentLimits;
  /** Rules for this run and the runs below it. */
  permissions?: Rules;
  /** Images and PDFs, as base64. */
  attachments?: readonly SentFile[];
}

export interface RunsFilter {
  session?: string;
  user?: string;
  agent?: string;
  status?: readonly RunStatus["status"][];
  /** Default: 50. */
  limit?: number;
}

export interface Cadre extends AsyncDisposable {
  /** Starts a run. The run is recorded before any work begins, and continues after a crash. */
  run<Output, Input>(agent: Agent<Output, Input>, task: string, options?: RunOptions<Input>): Run<Output>;
  run(agent: string, task: string, options?: RunOptions): Run<unknown>;
  /** The handle of any run in the store. With the agent, the answer is typed and checked. */
  get<Output>(runId: string, agent: Agent<Output>): Run<Output>;
  get(runId: string): Run<unknown>;
  /** Lists runs, the latest first. Runs that another run started are not listed. */
  runs(filter?: RunsFilter): Promise<RunStatus[]>;
  /** The open requests of all runs. */
  approvals(): Promise<ApprovalRequest[]>;
  /** Calls the handler once for each request of any run, also for those that are already open. Returns the function that removes the handler. */
  onApproval(handler: ApprovalHandler): () => void;
  /** Subscribes to the lifecycle of all agents. Returns the function that unsubscribes. */
  on: OnAgent;
  /** A web-standard fetch handler with the HTTP API and its live feed, for Hono, Next, Express or Bun. `authorize` decides who may use it. */
  handler(options: HandlerOptions): (request: Request) => Promise<Response>;
  /** The model for agents that name none. */
  readonly model: string;
  /** Stops driving and closes the store. Steps in progress get a few seconds to finish. Nothing is lost. */
  close(): Promise<void>;
}

/** Throws STORE_OWNED if another process drives the runs of this SQLite store. */
export async function createCadre(given: CadreOptions = {}): Promise<Cadre> {
  return openCadre(await openAssembly(given), given);
}

/**
 * Wraps a runtime that was assembled with `assemblyOptions(given)`, and starts driving. `cadre/testing` brings its own store and clock.
 * @internal
 */
export async function openCadre(assembly: RuntimeAssembly, given: CadreOptions): Promise<Cadre> {
  const closing = new AbortController();
  const watch = watchApprovals(assembly, given.onProblem === undefined ? printUnheard : undefined);
  const parts: RunParts = {
    assembly,
    closed: closing.signal,
    handleApprovals: watch.handle,
    noticeLater: watch.noticeLater,
  };
  reportIgnoredSettings(assembly);
  try {
    if (given.drive ?? true) await assembly.start();
  } catch (error) {
    await assembly.stop();
    throw error;
  }
  const listed = new Set(collectDefinitions(given).agents.map(({ name }) => name));
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= (async () => {
      closing.abort();
      watch.stop();
      await assembly.stop();
    })();
    return closed;
  };
  return {
    run(agent: Agent | string, task: string, options: RunOptions = {}) {
      const schema = outputSchema(agent);
      if (typeof agent !== "string") requireListed(agent.name, listed);
      requireRunArguments(task, options);
      return runHandle<never>(start(agent, task, options, assembly), schema, parts);
    },
    get(runId: string, agent?: Agent) {
      requireTexts({ runId: runId ?? null });
      return runHandle<never>(Promise.resolve(runId), agent && outputSchema(agent), parts);
    },
    runs: async (filter = {}) => {
      const { runs } = await assembly.store.runs.list({ limit: 50, ...filter, roots: true });
      return runs.map(statusOf);
    },
    approvals: () => openRequests({}, assembly),
    onApproval(handler) {
      const removed = watch.handle(handler);
      return () => void removed.then((remove) => remove());
    },
    on: assembly.on,
    handler(options) {
      // The API is loaded by the first request, so that programs without a server never load it.
      const loaded = lazily(async () => {
        const { createHandler } = await import("../runtime/serve-folder.ts");
        return createHandler(assembly, given.drive ?? true, given.env ?? process.env, options);
      });
      return async (request) => (await loaded())(request);
    },
    model: assembly.defaultModel,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Calls `load` once, when its value is needed. */
function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

const outputSchema = (agent: Agent | string) =>
  typeof agent === "string" ? undefined : partsOf(agent).output;

/** A run of an unlisted agent would start, but could not continue after a restart: it is driven before the program calls `run` again. */
function requireListed(name: string, listed: ReadonlySet<string>): void {
  if (listed.has(name)) return;
  const reason = `The agent \`${name}\` is not listed. List it when you open Cadre, \`createCadre({ agents: [${name}] })\`, so that its runs also continue after a restart.`;
  throw new CadreError("AGENT_NOT_FOUND", { reason, assurance: "Nothing was started." });
}

const LIBRARY_KEYS = new Set([
  "key",
  "input",
  "session",
  "user",
  "model",
  "limits",
  "permissions",
  "attachments",
]);

/** Refuses wrong arguments of programs that were not type-checked. */
function requireRunArguments(task: unknown, options: object): void {
  requireTexts({ task: task ?? null, ...pick(options, ["key", "session", "user", "model"]) });
  const unknown = Object.keys(options).find((name) => !LIBRARY_KEYS.has(name));
  if (unknown === undefined && (options as RunOptions).key !== "") return;
  const message =
    unknown === undefined ? "`key` must not be empty." : `\`${unknown}\` is no option of a run.`;
  throw new CadreError("BAD_REQUEST", `${message} Nothing was started.`);
}

const pick = (from: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, (from as Record<string, unknown>)[name]]));

const PROGRAM = "program";

async function start(
  agent: Agent | string,
  task: string,
  { key, session, user, ...request }: RunOptions,
  assembly: RuntimeAssembly,
): Promise<string> {
  const name = typeof agent === "string" ? agent : agent.name;
  if (request.model === undefined && assembly.defaultModel === REHEARSAL) {
    const { definition } = findAgent(await assembly.agents(name), name);
    if (wouldRehearse(definition, definition.models)) throw new CadreError("PROVIDER_KEY_MISSING", NO_MODEL);
  }
  const { admit, say } = assembly;
  const userId = omitUndefined({ userId: user });
  if (session === undefined) return (await admit({ agent: name, task, ...request, ...userId }, key)).runId;
  const { attachments, permissions, ...unusable } = request;
  const [lost] = Object.keys(omitUndefined(unusable));
  if (lost !== undefined)
    throw new CadreError(
      "BAD_REQUEST",
      `\`${lost}\` cannot be given together with \`session\`, because the text may join a run that is under way. Nothing was started.`,
    );
  const message = {
    agent: name,
    sessionId: session,
    text: task,
    from: user ?? PROGRAM,
    ...omitUndefined({ attachments, permissions }),
  };
  return (await say({ ...message, ...userId }, key)).runId;
}

const NO_MODEL =
  "No model can be called, because no provider's key was found: set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or give the agent a `model`. Nothing was started.";

/** Opens the store. `start` also lets Cadre's commands in this folder reach the program over a socket; only then is the API loaded. */
async function openAssembly(options: CadreOptions): Promise<RuntimeAssembly> {
  const given = assemblyOptions(options);
  const { folder, env = process.env, flags = {} } = given;
  const config = loadConfig({ folder, env, flags });
  if (options.drive === false && !isServerStore(config.store))
    throw new CadreError("CONFIG_INVALID", NEEDS_DRIVER);
  if (!isFileStore(config) || config.store === MEMORY_STORE) return assembleRuntime(given);
  const assembly = await openOwnedRuntime(given, REFUSAL, options.store !== undefined);
  let served: Promise<{ close(): Promise<void> } | undefined> | undefined;
  return {
    ...assembly,
    async start() {
      await assembly.start();
      served = serveCommands(assembly, env);
    },
    async stop() {
      await (await served)?.close();
      await assembly.stop();
    },
  };
}

const REFUSAL =
  "Nothing was opened. Stop that process first, or use its API or Cadre's commands in this folder.";
const NEEDS_DRIVER =
  'With `drive: false` another process must drive the runs, which needs a store on a server: `store: "postgres://…"`. Nothing was opened.';

async function serveCommands(
  assembly: RuntimeAssembly,
  env: NonNullable<CadreOptions["env"]>,
): Promise<{ close(): Promise<void> } | undefined> {
  try {
    const { serveFolder } = await import("../runtime/serve-folder.ts");
    return await serveFolder(assembly, socketPath(assembly.config.dir), env);
  } catch (error) {
    const message = "Cadre's commands cannot reach this program. Its runs are not affected.";
    assembly.onProblem({ message, error });
    return undefined;
  }
}

/** @internal */
export function assemblyOptions(options: CadreOptions): AssemblyOptions & { folder: string } {
  const {
    folder = process.cwd(),
    store,
    model,
    permissions,
    env,
    concurrency,
    onProblem = printProblem,
  } = options;
  const { agents, tools, models, allow } = collectDefinitions(options);
  if (typeof model === "object") models.set(nameOfModel(model), model);
  const own = { allow: [...allow, ...(permissions?.allow ?? [])] };
  return {
    folder,
    flags: {
      ...storeFlags(store, folder),
      ...omitUndefined({ model: typeof model === "object" ? nameOfModel(model) : model }),
    },
    ...omitUndefined({ env, concurrency }),
    ...{ agents, tools, models, mcpServers: readServers(options.mcpServers) },
    permissions: { ask: [], deny: [], ...permissions, ...own },
    onProblem: (problem) => reportSafely(problem, onProblem),
  };
}

/** A program's own `onProblem` that throws must not end the process. */
function reportSafely(problem: CadreProblem, onProblem: (problem: CadreProblem) => void): void {
  try {
    onProblem(problem);
  } catch (error) {
    printProblem(problem);
    printProblem({ message: "`onProblem` failed.", error });
  }
}

/** If the store is a file, Cadre writes everything else into the file's folder. */
function storeFlags(store: string | undefined, folder: string): ConfigFlags {
  if (store === undefined) return {};
  if (typeof store !== "string" || store === "" || /^(?!sqlite:|postgres(ql)?:)[a-z]+:\/\//.test(store))
    throw new CadreError(
      "CONFIG_INVALID",
      `The store ${JSON.stringify(store)} cannot be used: give a file, \`:memory:\` or \`postgres://…\`. Nothing was opened.`,
    );
  if (store === ":memory:") return { store: MEMORY_STORE };
  if (/^(sqlite|postgres(ql)?):/.test(store)) return { store };
  const file = resolve(folder, store);
  return { store: `sqlite:${file}`, dir: dirname(file) };
}

function reportIgnoredSettings({ config, onProblem }: RuntimeAssembly): void {
  if (config.trusted || config.ignoredSettings.length === 0) return;
  const message = `The folder ${config.folder} is not trusted, so these settings of its files are ignored: ${config.ignoredSettings.map(({ problem }) => problem.message).join("; ")}. \`cadre trust\` trusts the folder.`;
  onProblem({ message, error: new CadreError("UNTRUSTED", message) });
}

function printUnheard({ runId, agent, kind, tool }: ApprovalRequest): void {
  const what = tool === undefined ? kind : `${kind} ${tool}`;
  console.error(
    `cadre: Run ${runId} of ${agent} waits for a person's decision (${what}). Decide with \`run.onApproval(…)\`, or with \`cadre approve\` in this folder. Later requests are not announced.`,
  );
}

function printProblem({ message, error }: CadreProblem): void {
  const reason = error instanceof Error && !message.includes(error.message) ? ` ${error.message}` : "";
  console.error(`cadre: ${message}${reason}`);
}
