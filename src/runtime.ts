// Puts the parts together. This file alone knows every concrete one; everything else sees contracts.

import { readFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Agent, ModelNames } from "./agents/agent.ts";
import { type AgentFolders, type AgentSet, agentsStamp, findAgent, loadAgents } from "./agents/load.ts";
import { composePrompt } from "./agents/prompt.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type Config, type ConfigFlags, loadConfig } from "./config.ts";
import { startDueScan } from "./engines/due-scan.ts";
import type { Engine } from "./engines/engine.ts";
import { startHeartbeat } from "./engines/heartbeat.ts";
import { createLocalEngine } from "./engines/local.ts";
import { CadreError } from "./errors.ts";
import { type Ids, type RunId, systemIds } from "./ids.ts";
import type { Definition } from "./journal/definition.ts";
import type { Delta } from "./journal/deltas.ts";
import { type AdmitParts, admit, type RunRequest } from "./loop/admit.ts";
import { drive } from "./loop/drive.ts";
import { createGate } from "./loop/gate.ts";
import type { LoopParts } from "./loop/parts.ts";
import type { PeopleParts } from "./loop/people.ts";
import { retry } from "./loop/retry.ts";
import { createEstimateCall } from "./models/estimate.ts";
import { createLimiter } from "./models/limiter.ts";
import { createPrices } from "./models/prices.ts";
import { createModels, type ModelRegistry } from "./models/registry.ts";
import { classifyFailure, cutStreamError, silenceError } from "./models/retry.ts";
import { parseScript, type Script } from "./models/script.ts";
import { grantFor } from "./permissions/grant.ts";
import { judge } from "./permissions/judge.ts";
import { configRuleProblems } from "./permissions/rule-problems.ts";
import { rulesFor } from "./permissions/rules.ts";
import { judgeShell } from "./permissions/shell.ts";
import { digest } from "./stores/sqlite/reader.ts";
import { openSqliteStore } from "./stores/sqlite/store.ts";
import type { Store } from "./stores/store.ts";
import { canonicalRule } from "./tools/aliases.ts";
import { builtinTools } from "./tools/index.ts";
import { inputSchemaOf } from "./tools/json-schema.ts";
import type { AnyTool } from "./tools/tool.ts";

export interface RuntimeOptions {
  /** The project: where agents and cadre.yaml are, and where runs work. */
  folder: string;
  env?: Readonly<Record<string, string | undefined>>;
  flags?: ConfigFlags;
  home?: string;
  clock?: Clock;
  ids?: Ids;
  /** Scripts for `scripted/<name>`, beside the project's own `<name>.script.yaml`. */
  scripts?: Readonly<Record<string, Script>>;
  /** Tools beside the built-in ones. */
  tools?: readonly AnyTool[];
  /** A store that is open already; it is not closed at `stop`. */
  store?: Store;
  /** Runs that are driven at the same time. */
  concurrency?: number;
  onProblem?(problem: { runId?: string; message: string; error: unknown }): void;
}

export interface Runtime {
  readonly config: Config;
  readonly store: Store;
  readonly parts: LoopParts;
  readonly people: PeopleParts;
  /** Without a provider's key the scripted model rehearses, and every interface says so. */
  readonly defaultModel: string;
  /** Read from disk each time: a new file is a new agent. */
  agents(): Promise<AgentSet>;
  admit(request: RunRequest, idempotencyKey?: string): ReturnType<typeof admit>;
  /** A new run that goes on where an ended one stopped. */
  retry(runId: RunId): Promise<{ runId: RunId }>;
  /** Begins to drive what is due. Without it a runtime reads and appends, and says who will go on. */
  start(): Promise<void>;
  onDelta(listener: (delta: Delta) => void): () => void;
  /** Drains: what is under way gets a while to finish; nothing is lost. */
  stop(): Promise<void>;
}

const CONCURRENCY = 32;
const DRAIN_MS = 5_000;

export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { folder, env = process.env, clock = systemClock, ids = systemIds } = options;
  const config = loadConfig({ folder, env, ...(options.flags ? { flags: options.flags } : {}) });
  const tools = [...builtinTools, ...(options.tools ?? [])];
  const models = modelsOf(config, env, options.scripts ?? {});
  const store = options.store ?? openStore(config, clock);
  const defaultModel = config.model ?? modelByKey(env);
  const listeners = new Set<(delta: Delta) => void>();
  const report = options.onProblem ?? (() => {});
  const worker = `${hostname()}-${process.pid}-${ids.nonce().slice(0, 6)}`;
  const engine = createLocalEngine({
    concurrency: options.concurrency ?? CONCURRENCY,
    onError: (error, runId) => report({ runId, message: "A drive failed.", error }),
  });

  const toolNames = [...toolsByName(tools).keys()];
  config.problems.push(...configRuleProblems(config, toolNames));
  const agents = readAgents(agentFolders(folder, options.home), modelNames(models, defaultModel), toolNames);
  const parts = loopParts({ config, clock, ids, store, models, tools, worker, report, listeners });
  const people: PeopleParts = { ...parts, grantFor, wake: (runId) => engine.wake(runId) };
  const admitParts: AdmitParts = {
    store,
    clock,
    ids,
    findAgent: async (name) => usable(pinned(findAgent(await agents(), name).definition, tools), models),
    limits: config.limits,
    approvals: config.approvals,
    workspace: config.folder,
    wake: (runId) => engine.wake(runId),
  };

  let stopWork: (() => Promise<void>) | undefined;
  return {
    config,
    store,
    parts,
    people,
    defaultModel,
    agents,
    admit: (request, key) => admit(request, admitParts, key),
    retry: (runId) => retry(runId, admitParts),
    async start() {
      stopWork = await startWork(engine, parts, report);
    },
    onDelta(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stop() {
      await stopWork?.();
      if (!options.store) await store.close();
    },
  };
}

type Report = NonNullable<RuntimeOptions["onProblem"]>;

/** The engine, and what makes losing a wake-up harmless: the due-scan, the heartbeat, and news of cancels. */
async function startWork(engine: Engine, parts: LoopParts, report: Report): Promise<() => Promise<void>> {
  const { store, clock, worker, drives } = parts;
  const interrupt = (runIds: readonly string[], reason: "cancel" | "lost"): void => {
    for (const runId of runIds) drives.get(runId)?.interrupt(reason);
  };
  const heartbeat = startHeartbeat({
    store,
    worker,
    clock,
    held: () => [...drives].map(([runId, { epoch }]) => ({ runId, epoch })),
    onCancelled: (runIds) => interrupt(runIds, "cancel"),
    onLost: (runIds) => interrupt(runIds, "lost"),
    onError: (error) => report({ message: "The heartbeat failed; it is tried again.", error }),
  });
  await heartbeat.beat();
  parts.mayBegin = () => clock.elapsed() < heartbeat.deadline();
  const unsubscribe = store.onCommit((events) => {
    for (const event of events) if (event.type === "CANCEL_REQUESTED") interrupt([event.runId], "cancel");
  });
  await engine.start((runId, signal) => drive(runId, parts, signal));
  const scan = startDueScan({
    store,
    wake: (runId) => engine.wake(runId),
    clock,
    onError: (error) => report({ message: "The due-scan failed; it is tried again.", error }),
  });
  // Its timers let a process end; a runtime that is at work does not.
  const alive = setInterval(() => {}, 60_000);
  return async () => {
    clearInterval(alive);
    await scan.stop();
    await engine.stop();
    unsubscribe();
    await heartbeat.stop();
  };
}

interface LoopWiring {
  config: Config;
  clock: Clock;
  ids: Ids;
  store: Store;
  models: ModelRegistry;
  tools: readonly AnyTool[];
  worker: string;
  report: Report;
  listeners: ReadonlySet<(delta: Delta) => void>;
}

function loopParts(wiring: LoopWiring): LoopParts {
  const { config, clock, ids, store, models, tools, worker, report, listeners } = wiring;
  const priceOf = createPrices(config.prices);
  const project = { source: "project", rules: canonicalRules(config.permissions, tools) };
  const authority = [project];
  return {
    store,
    clock,
    ids,
    digest,
    worker,
    host: hostname(),
    pid: process.pid,
    models,
    priceOf,
    estimateCall: createEstimateCall(priceOf),
    classifyFailure,
    silenceError,
    cutStreamError,
    limiter: createLimiter(clock),
    tools: toolsByName(tools),
    inputSchema: inputSchemaOf,
    judge,
    judgeShell,
    offers,
    authority: () => authority,
    standingGrants: () => store.grants(),
    systemPrompt: systemPrompt(tools),
    gate: createGate(),
    drives: new Map(),
    mayBegin: () => true,
    onDelta(delta) {
      for (const listener of listeners) listener(delta);
    },
    onProblem: (problem) => report(problem),
    drainMs: DRAIN_MS,
  };
}

function openStore(config: Config, clock: Clock): Store {
  if (!config.store.startsWith("sqlite:")) {
    throw new CadreError(
      "CONFIG_INVALID",
      `The store ${config.store} is not known to this version: use sqlite:<file>.`,
    );
  }
  return openSqliteStore({ path: config.store.slice("sqlite:".length), clock });
}

function modelsOf(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  scripts: Readonly<Record<string, Script>>,
): ModelRegistry {
  return createModels({
    providers: config.providers as NonNullable<Parameters<typeof createModels>[0]["providers"]>,
    aliases: config.aliases,
    env,
    scripts: (name) =>
      scripts[name] ?? (name === "rehearsal" ? rehearsal : projectScript(config.folder, name)),
  });
}

function projectScript(folder: string, name: string): Script {
  const file = join(folder, `${name}.script.yaml`);
  try {
    return parseScript(readFileSync(file, "utf8"), `${name}.script.yaml`);
  } catch (error) {
    if (error instanceof CadreError) throw error;
    throw new CadreError(
      "MODEL_UNKNOWN",
      `scripted/${name} needs the script ${name}.script.yaml in the project's folder, which cannot be read.`,
    );
  }
}

/** What stands in for a model where there is no key. It says what it is. */
const rehearsal: Script = ({ task }) => ({
  text: `This is a rehearsal by the scripted model: no provider's key was found, so nothing was thought about and nothing was done. The task was: ${task}\n\nSet ANTHROPIC_API_KEY (or OPENAI_API_KEY, or \`model:\` in cadre.yaml) for real work.`,
});

/** The model for agents that name none: the first provider whose key is there. */
function modelByKey(env: Readonly<Record<string, string | undefined>>): string {
  if (env["ANTHROPIC_API_KEY"]) return "anthropic/claude-sonnet-4-5";
  if (env["OPENAI_API_KEY"]) return "openai/gpt-5";
  if (env["GOOGLE_GENERATIVE_AI_API_KEY"] || env["GEMINI_API_KEY"]) return "google/gemini-2.5-pro";
  return "scripted/rehearsal";
}

function modelNames(models: ModelRegistry, fallback: string) {
  return {
    default: models.fullName(fallback),
    resolve: (name: string) => {
      const full = models.fullName(name);
      return full.includes("/") ? full : undefined;
    },
  };
}

/** What is on disk now. Looked at once for all who ask in the same moment, and read again only if a file has changed. */
function readAgents(
  folders: AgentFolders,
  names: ModelNames,
  toolNames: readonly string[],
): () => Promise<AgentSet> {
  let known: { stamp: string; set: Promise<AgentSet> } | undefined;
  let looked = false;
  return () => {
    if (known && looked) return known.set;
    looked = true;
    setImmediate(() => {
      looked = false;
    });
    const stamp = agentsStamp(folders);
    if (known?.stamp !== stamp) known = { stamp, set: loadAgents(folders, names, toolNames) };
    return known.set;
  };
}

function agentFolders(folder: string, home = homedir()): AgentFolders {
  return { project: folder, user: home, builtin: fileURLToPath(new URL("../agents", import.meta.url)) };
}

/** A model that cannot be had at all is said before a run begins, not by one that fails. */
function usable(definition: Definition, models: ModelRegistry): Definition {
  const problems = definition.models.map((name) => {
    try {
      models.resolve(name);
      return undefined;
    } catch (error) {
      return error;
    }
  });
  if (problems.every((problem) => problem !== undefined)) throw problems[0];
  return definition;
}

/** Rules are judged by a tool's own name: an alias that stayed would forbid nothing. */
function pinned(definition: NonNullable<Agent["definition"]>, tools: readonly AnyTool[]): Definition {
  const canonical = (rules: readonly string[]) => rules.map((rule) => canonicalRule(rule, tools));
  const { allow, ask, deny } = definition.tools;
  return {
    ...definition,
    tools: { ...(allow ? { allow: canonical(allow) } : {}), ask: canonical(ask), deny: canonical(deny) },
    permissions: { ask: canonical(definition.permissions.ask), deny: canonical(definition.permissions.deny) },
  };
}

function canonicalRules(rules: Config["permissions"], tools: readonly AnyTool[]) {
  const canonical = (list: readonly string[]) => list.map((rule) => canonicalRule(rule, tools));
  return { allow: canonical(rules.allow), ask: canonical(rules.ask), deny: canonical(rules.deny) };
}

function toolsByName(tools: readonly AnyTool[]): Map<string, AnyTool> {
  const names = tools.flatMap((tool) =>
    [tool.name, ...(tool.aliases ?? [])].map((name) => [name, tool] as const),
  );
  return new Map(names);
}

function offers({ tools: { allow, deny } }: Definition, tool: AnyTool): boolean {
  if (rulesFor(deny, "wide", tool.name).some((rule) => rule.bare)) return false;
  return allow === undefined || rulesFor(allow, "strict", tool.name).length > 0;
}

function systemPrompt(tools: readonly AnyTool[]): LoopParts["systemPrompt"] {
  const composed = new WeakMap<object, string>();
  return (definition, start, startedAt) => {
    const known = composed.get(start);
    if (known !== undefined) return known;
    const prompt = composePrompt(definition, {
      task: start.task,
      depth: start.depth,
      maxDepth: start.limits.maxDepth,
      maxTurns: start.limits.maxTurns,
      maxDuration: start.limits.maxDuration,
      delegates: [],
      now: startedAt,
      workspace: start.workspace,
      tools: tools.filter((tool) => offers(definition, tool)).map((tool) => tool.name),
    });
    composed.set(start, prompt);
    return prompt;
  };
}

export { type OwnerInfo, type Ownership, socketPath, takeOwnership } from "./stores/sqlite/owner.ts";
