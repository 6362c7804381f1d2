// Assembles a runtime from a project, a store, an engine and the loop.
// Only this folder and `project/` know concrete implementations. All other code sees interfaces.

import { hostname } from "node:os";
import type { Explanation } from "../agents/explain/explanation-schema.ts";
import type { AgentFile } from "../agents/files/agent-file.ts";
import type { AgentSet } from "../agents/load.ts";
import { expandSlashCommand } from "../agents/skills/expand-slash-command.ts";
import { type Clock, systemClock } from "../clock.ts";
import { type Config, isServerStore } from "../config/config.ts";
import { poolFilter, poolOf } from "../config/pools.ts";
import { findKeyFiles } from "../config/secrets.ts";
import { CadreError } from "../errors.ts";
import type { Ids, RunId } from "../ids.ts";
import type { Definition } from "../journal/definition.ts";
import type { Delta } from "../journal/deltas.ts";
import type { FindFacts } from "../journal/tool-facts.ts";
import { holdsKeys } from "../key-files.ts";
import { declaredTool } from "../loop/builtin-tools/declared/index.ts";
import { type AdmitParts, admit, type RunRequest } from "../loop/commands/admit.ts";
import { type ForkParts, type ForkRequest, forkRun } from "../loop/commands/fork.ts";
import { messageSession, type PersonMessage } from "../loop/commands/messages.ts";
import type { CommandParts } from "../loop/commands/person-commands.ts";
import { retryRun } from "../loop/commands/retry.ts";
import { checkOnRuns } from "../loop/drive/check-on-runs.ts";
import { endCancelledRuns } from "../loop/drive/drive.ts";
import { createStepGate } from "../loop/drive/suspects.ts";
import { type SentRequest, sentRequest } from "../loop/model/sent-request.ts";
import type { LoopParts } from "../loop/parts.ts";
import { type ReplaySummary, replayRuns } from "../loop/replay/replay.ts";
import { type AgentReplay, replayAgent } from "../loop/replay/replay-agent.ts";
import {
  createClassifyFailure,
  cutStreamError,
  refusalError,
  silenceError,
} from "../models/classify-failure.ts";
import { createLimiter } from "../models/limiter.ts";
import { createEstimateCall } from "../models/prices.ts";
import { createGrantFor } from "../permissions/grant.ts";
import { createJudge } from "../permissions/judge.ts";
import { isProtectedPath } from "../permissions/protected-files.ts";
import { createShellJudge } from "../permissions/shell/command-effects.ts";
import { readEnvironment } from "../project/environment.ts";
import { maskProblem } from "../project/mask.ts";
import {
  canonicalRules,
  createBlastRadius,
  createPriceCheck,
  offers,
  openProject,
  type Project,
  type ProjectOptions,
} from "../project/project.ts";
import { createAgentEvents, type OnAgent } from "../projections/formats/agent-events.ts";
import { digest } from "../stores/hashes.ts";
import { maskedStore } from "../stores/masked-store.ts";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import type { PoolFilter, Store } from "../stores/store.ts";
import { systemIds } from "../system-ids.ts";
import { createBackgroundCommands } from "../tools/background/background-commands.ts";
import { createSecretSearch } from "../tools/files/find-secret.ts";
import { inspectPath } from "../tools/files/workspace-path.ts";
import { workspaceTree } from "../tools/files/workspace-tree.ts";
import { gitProgramSetting } from "../tools/git/program-setting.ts";
import { inputSchemaOf } from "../tools/input-schema.ts";
import { createWorkspaceFiles } from "../tools/snapshots/workspace-files.ts";
import { isIntranetAddress, isPublicAddress } from "../tools/web/public-address.ts";
import { createReceiver, type Receiver } from "../triggers/hooks/receive.ts";
import { createProjectSchedules } from "../triggers/project-schedules.ts";
import { createScheduler, type Scheduler } from "../triggers/scheduler.ts";
import { configuredHooks } from "../webhooks/configured-hooks.ts";
import { createNotifier, type Notifier } from "../webhooks/notifier.ts";
import { actingFor } from "./acting-for.ts";
import { openCallRecords } from "./call-records.ts";
import { evalWorkspace } from "./eval-workspace.ts";
import { openEngine } from "./open-engine.ts";
import { createOpenTexts, type OpenTexts } from "./open-texts.ts";
import { createOutages } from "./outages.ts";
import { createProjectRunners } from "./runners.ts";
import { type DrivingParts, startServices } from "./start-services.ts";
import { hasFolder, worktreesOf } from "./worktrees.ts";

export interface AssemblyOptions extends ProjectOptions {
  clock?: Clock;
  ids?: Ids;
  /** A store that is already open. `stop` does not close this store. */
  store?: Store;
  /** Maximum number of runs that this process drives at the same time. */
  concurrency?: number | undefined;
  /** The pool whose runs this process drives. Default: the pool of the folder. */
  pool?: string | undefined;
  /** Version of Cadre, shown in the list of workers. */
  version?: string;
  /** Whether this process starts the runs of schedules while it drives runs. Servers and workers do; a command such as `cadre run` does not. */
  startsSchedules?: boolean | undefined;
  onProblem?:
    | ((problem: { runId?: string; message: string; error: unknown; answered?: true }) => void)
    | undefined;
  /** Called when the store answers again after an outage. */
  onRecovered?: ((sentence: string) => void) | undefined;
}

export interface RuntimeAssembly {
  readonly config: Config;
  /** Selects the runs that this process drives. If undefined, it drives all runs. */
  readonly poolFilter: PoolFilter | undefined;
  readonly store: Store;
  readonly parts: LoopParts;
  readonly people: CommandParts;
  /** The model for agents that choose no model themselves. If there is no API key, this is the scripted rehearsal model. */
  readonly defaultModel: string;
  /** Reads the agents from disk on each call, so that new files are found immediately. */
  agents(name?: string): Promise<AgentSet>;
  /** Describes what an agent can reach and is allowed to do, without running the agent. */
  explain(name: string): Promise<Explanation>;
  /** Reads an agent's file from disk and masks its secrets. */
  agentFile(file: string): Promise<AgentFile | undefined>;
  /** Lists the project's files inside one of its folders. */
  workspaceTree(path: string): ReturnType<typeof workspaceTree>;
  /** Starts a run. Repeating the call with the same idempotency key starts no second run. */
  admit(request: RunRequest, idempotencyKey?: string): ReturnType<typeof admit>;
  /** Sends a message to a main agent in a session. The message joins the session's active run, or starts the next run. */
  say(message: PersonMessage, idempotencyKey?: string): Promise<{ runId: RunId; joined: boolean }>;
  /** Starts a new run that continues where an ended run stopped. */
  retry(runId: RunId, idempotencyKey?: string, by?: string): Promise<{ runId: RunId }>;
  /** Starts a new root run that begins with another run's transcript, up to a chosen event. */
  fork(
    runId: RunId,
    request: ForkRequest,
    idempotencyKey?: string,
    by?: string,
    programs?: "refused",
  ): Promise<{ runId: RunId }>;
  /** Delivers webhooks while this runtime is running. */
  readonly webhooks: Notifier;
  readonly schedules: Scheduler;
  /** Receives messages of other systems. */
  readonly inbound: Receiver;
  /** Replays these runs with the current code and rules, and compares the decisions. Nothing is executed. */
  replay(runIds: readonly RunId[]): Promise<ReplaySummary>;
  /** The exact request of a recorded model call. */
  sentRequest(runId: RunId, seq: number): Promise<SentRequest>;
  /** Replays these runs of an agent with its current file. Throws AGENT_NOT_FOUND or AGENT_INVALID. */
  replayAgent(agent: string, runIds: readonly RunId[]): Promise<AgentReplay[]>;
  /** Starts driving due runs. Before `start`, a runtime can only read the store and append events. */
  start(): Promise<void>;
  /** Ends these cancelled runs. Used in a runtime that was not started. */
  endCancelled(runIds: readonly RunId[], signal: AbortSignal): Promise<void>;
  onDelta(listener: (delta: Delta) => void): () => void;
  /** The texts that the open calls of these runs have streamed so far. */
  openTexts: OpenTexts["of"];
  /** Reports a problem to the operator of the process, with secrets masked. */
  onProblem(problem: { message: string; error: unknown; answered?: true }): void;
  /** Subscribes to the lifecycle of agents. Returns the function that unsubscribes. */
  on: OnAgent;
  /** Stops driving runs and closes everything. Steps in progress get a few seconds to finish; nothing is lost. */
  stop(): Promise<void>;
}

const CONCURRENCY = 32;
const DRAIN_MS = 5_000;

const TRIAL_MS = 5_000;

export async function assembleRuntime(options: AssemblyOptions): Promise<RuntimeAssembly> {
  const { ids = systemIds, env = process.env } = options;
  const project = openProject(options);
  const { config, defaultModel, agents, mask } = project;
  const store = maskedStore(options.store ?? (await openStore(config, options.clock)), mask);
  // The clocks of machines differ, so all processes use the clock of the store (F36).
  const { clock = store.clock } = options;
  const openTexts = createOpenTexts();
  const listeners = new Set<(delta: Delta) => void>([openTexts.add]);
  const { report, recordHeartbeat } = outagesOf(options, mask);
  const worker = `${hostname()}-${process.pid}-${ids.nonce().slice(0, 6)}`;
  const pool = options.pool ?? poolOf(config.pools, config.folder);
  // A SQLite store gets no pool filter: only one process drives it, and a run left to another pool would wait forever.
  const filter = isServerStore(config.store) ? poolFilter(config.pools, pool) : undefined;
  const engine = await openEngine({
    ...{ config, worker, pool, storeId: store.id },
    concurrency: options.concurrency ?? CONCURRENCY,
    onError: (error, runId) => report(engineProblem(error, runId)),
  });
  const parts = loopParts({ project, clock, ids, store, worker, report, listeners, env });
  const wake = (runId: RunId): Promise<void> => engine.wake(runId);
  const { trusted } = config;
  const expandCommand: CommandParts["expandCommand"] = (text) =>
    expandSlashCommand(text, project, { trusted, nonce: ids.nonce });
  const people = peopleParts({ parts, toolFacts: toolFactsOf(project), wake, expandCommand });
  const admitParts: AdmitParts = {
    ...{ store, clock, ids, wake, limits: config.limits, approvals: config.approvals, mask: parts.mask },
    findAgent: findReady(project, report),
    chooseModel: project.chooseModel,
    checkPrices: parts.checkPrices,
    workspace: config.folder,
    worktrees: parts.worktrees,
    environment: (workspace) => readEnvironment(workspace, clock.now(), { trusted }),
    expandCommand,
  };
  const forkParts: ForkParts = {
    ...admitParts,
    editedAgent: project.findEdited,
    prepare: (definition) => prepare(definition, project, report),
  };
  const admitRequest: RuntimeAssembly["admit"] = async ({ permissions, ...request }, key) => {
    // A rule that names a tool by its alias would have no effect, so the alias is replaced with the tool's own name.
    const rules = permissions && { permissions: canonicalRules(permissions, project.tools) };
    const workspace = evalWorkspace(request, config);
    return admit({ ...request, ...rules }, { ...admitParts, workspace }, key);
  };
  // On a shared store, two projects can have schedules of the same name.
  const scope = isServerStore(config.store) ? `@${digest(config.folder).slice(0, 12)}` : "";
  const schedules = createScheduler({
    ...{ store, clock, onProblem: report, admit: admitRequest },
    schedules: createProjectSchedules(config, agents, clock),
    scope,
  });
  const inbound = createReceiver({
    ...{ store, clock, env, onProblem: report, admit: admitRequest, scope, nonce: ids.nonce },
    hooks: config.trusted ? (config.triggers ?? {}) : {},
    say: (message, key) => messageSession(message, admitParts, key),
  });
  const webhooks = createNotifier({
    ...{ store, clock, onProblem: report },
    holder: worker,
    hooks: configuredHooks(config, env, { isPublic: isPublicAddress, isIntranet: isIntranetAddress }),
  });
  let stopServices: (() => Promise<void>) | undefined;
  return {
    config,
    poolFilter: filter,
    store,
    parts,
    people,
    webhooks,
    schedules,
    inbound,
    defaultModel,
    agents,
    explain: project.explain,
    agentFile: async (file) => mask.value(await project.agentFile(file)),
    workspaceTree: (path) => workspaceTree(config.folder, path),
    admit: admitRequest,
    say: (message, key) => messageSession(message, admitParts, key),
    retry: (runId, idempotencyKey, by) => retryRun(runId, admitParts, { idempotencyKey, by }),
    fork: (runId, request, key, by, programs) => forkRun(runId, request, forkParts, key, by, programs),
    replay: (runIds) => replayRuns(runIds, parts),
    sentRequest: (runId, seq) => sentRequest(runId, seq, parts),
    replayAgent: (agent, runIds) => replayAgent(agent, runIds, parts),
    async start() {
      const workerCard = cardOf(parts, pool, options.version);
      const driving = { engine, parts, report, recordHeartbeat, poolFilter: filter, workerCard };
      const { version = "", startsSchedules = false } = options;
      const triggers = startsSchedules ? [schedules, inbound] : [];
      stopServices = await startServices({ driving, webhooks, triggers, mask, env, version });
    },
    async endCancelled(runIds, signal) {
      await endCancelledRuns(runIds, parts, signal);
      await checkOnRuns(parts).catch((error) =>
        report({ message: "Cleaning up after cancelled runs failed.", error }),
      );
    },
    openTexts: openTexts.of,
    onDelta(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onProblem: report,
    on: createAgentEvents(store.journal, report),
    async stop() {
      await stopServices?.();
      await engine.stop();
      await parts.runners.close();
      await project.servers.close();
      if (!options.store) await store.close();
    },
  };
}

/** `tools` must stay a getter in this copy, because tools of MCP servers come and go. */
const peopleParts = ({
  parts,
  ...own
}: { parts: LoopParts } & Pick<CommandParts, "toolFacts" | "wake" | "expandCommand">): CommandParts => ({
  ...parts,
  get tools() {
    return parts.tools;
  },
  grantFor: createGrantFor(own.toolFacts),
  ...own,
});

/** Returns a function that describes this worker for the list of workers. Each call uses current values. */
function cardOf(
  { host, pid, clock, skippedRuns }: LoopParts,
  pool: string,
  version = "",
): DrivingParts["workerCard"] {
  const since = clock.now();
  return () => {
    const tooNew = [...skippedRuns.values()].filter((to) => to === "newer version").length;
    return { host, pid, pool, version, since, ...(tooNew > 0 ? { tooNew } : {}) };
  };
}

type Report = NonNullable<AssemblyOptions["onProblem"]>;

const outagesOf = ({ onProblem, onRecovered }: AssemblyOptions, mask: Project["mask"]) =>
  createOutages<Parameters<Report>[0]>((problem) => onProblem?.(maskProblem(problem, mask)), onRecovered);

const engineProblem = (error: unknown, runId: RunId | undefined) =>
  runId === undefined
    ? { message: "The engine failed and tries again.", error }
    : { runId, message: "A drive failed.", error };

/** Finds an agent and compiles it for a root run, including the instructions for the run. */
function findReady(project: Project, report: Report): Project["find"] {
  return async (name, change) => prepare(await project.find(name, change), project, report);
}

/** Finds an agent and compiles it without instructions, because a child gets the instructions of its parent. */
function findPrepared(project: Project, report: Report): (name: string) => Promise<Definition> {
  return async (name) => {
    const definition = await project.find(name);
    await prepareServers(definition, project, report);
    return definition;
  };
}

async function prepare(definition: Definition, project: Project, report: Report): Promise<Definition> {
  await prepareServers(definition, project, report);
  return project.instructions.pin(definition);
}

/** MCP servers that cannot be used are reported, and the run starts without their tools. */
async function prepareServers(definition: Definition, project: Project, report: Report): Promise<void> {
  for (const why of await project.prepareServers(definition))
    report({ message: "Part of an MCP server is not used.", error: new Error(why) });
}

/** Finds what a tool declares about itself. The tool is built in, or comes from the project or an MCP server. */
const toolFactsOf =
  ({ toolsByName }: Project): FindFacts =>
  (tool) =>
    declaredTool(tool) ?? toolsByName().get(tool);

interface LoopWiring {
  project: Project;
  clock: Clock;
  ids: Ids;
  store: Store;
  worker: string;
  report: Report;
  listeners: ReadonlySet<(delta: Delta) => void>;
  env: NonNullable<AssemblyOptions["env"]>;
}

function loopParts(wiring: LoopWiring): LoopParts {
  const { project, clock, ids, store, worker, report, listeners, env } = wiring;
  const { config, models } = project;
  const judge = createJudge(toolFactsOf(project));
  const { authority, namedFiles } = project;
  const findSecretIn = createSecretSearch(() => project.mask.values());
  return {
    store,
    actingFor: actingFor(store, config.users?.see ?? "own"),
    mask: project.mask,
    clock,
    ids,
    digest,
    worker,
    host: hostname(),
    pid: process.pid,
    models,
    priceOf: project.priceOf,
    estimateCall: createEstimateCall(project.priceOf, models.mustThinkLess),
    checkPrices: createPriceCheck(project),
    classifyFailure: createClassifyFailure(systemClock, models.keyVariableOf),
    silenceError,
    cutStreamError,
    refusalError,
    patience: config.patience,
    limiter: createLimiter(clock),
    hooks: project.hooks,
    get tools() {
      return project.toolsByName();
    },
    inputSchema: inputSchemaOf,
    judge: ({ taint, ...request }) =>
      judge({
        ...{
          ...request,
          inspectPath,
          gitProgramSetting,
          findKeyFiles,
          findSecretIn,
          isNamed: namedFiles.isNamed,
        },
        taint: config.taint ? taint : undefined,
      }),
    marksAnswers: config.taint,
    strangersFolder: config.isStrangers ? config.folder : undefined,
    judgeShell: createShellJudge(config.effects ?? {}),
    offers,
    authority: () => authority,
    blastRadius: createBlastRadius(project),
    findAgent: findPrepared(project, report),
    pinInstructions: project.instructions.pin,
    loadSteps: project.loadSteps,
    runners: createProjectRunners(config, env, namedFiles.list),
    chooseModel: project.chooseModel,
    limits: config.limits,
    approvalTimeout: config.approvals.timeout,
    worktrees: worktreesOf(config.folder, config.worktrees, namedFiles.isNamed),
    files: createWorkspaceFiles({
      ...{ dir: config.dir, mask: project.mask, clock, holdsKeys },
      isProtected: (path, absolute) => isProtectedPath(path) || namedFiles.isNamed(path, absolute),
      putFile: (bytes) => store.blobs.putFile(bytes),
    }),
    commands: createBackgroundCommands(config.dir),
    // A SQLite store has only one driving process, so no other worker could have the folder.
    hasFolder: isServerStore(config.store) ? hasFolder : async () => true,
    maxConcurrent: config.concurrency,
    nestedInstructions: project.instructions.nested,
    systemPrompt: project.systemPrompt,
    gate: createStepGate(),
    drives: new Map(),
    skippedRuns: new Map(),
    mayBegin: () => true,
    onDelta(delta) {
      for (const listener of listeners) listener(delta);
    },
    onProblem: (problem) => report(problem),
    callRecords: openCallRecords(config.dir),
    drainMs: DRAIN_MS,
    trialMs: TRIAL_MS,
  };
}

async function openStore({ store }: Config, clock = systemClock): Promise<Store> {
  if (store.startsWith("sqlite:")) return openSqliteStore({ path: store.slice("sqlite:".length), clock });
  if (/^postgres(ql)?:/.test(store)) {
    // Programs with a SQLite store do not load the code for Postgres.
    const { openPostgresStore } = await import("../stores/postgres/store.ts");
    return openPostgresStore({ url: store });
  }
  throw new CadreError(
    "CONFIG_INVALID",
    "This kind of store is unknown: use sqlite:<file> or postgres://user:password@host/database. Nothing was opened.",
  );
}

export { openProject, type Project } from "../project/project.ts";
export { readServerCapacity, type ServerCapacity } from "../stores/postgres/server-capacity.ts";
export { type OwnerInfo, type Ownership, socketPath, takeOwnership } from "../stores/sqlite/owner.ts";
