// Admission: a task becomes a durable run before any driver works on it. Admission does not depend on how runs are executed.

import type { ExpandedText } from "../../agents/skills/expand-slash-command.ts";
import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import {
  type AgentLimits,
  DEFAULT_LIMITS,
  type Definition,
  Limits,
  poolIn,
  type RunRules,
  untrustedFiles,
} from "../../journal/definition.ts";
import type { ApprovalPolicy, Environment, Payload } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { hostsField, hostsIn } from "../../projections/folds/taint.ts";
import { type SentFile, storeSentFiles } from "../attachments/store-files.ts";
import { inputProblem, schemaProblem } from "../builtin-tools/declared/closing-tools.ts";
import type { LoopParts } from "../parts.ts";
import { type PlaceParts, placeRun } from "./own-worktree.ts";

export interface RunRequest {
  agent: string;
  task: string;
  input?: unknown;
  mode?: "auto" | "chat";
  /** Whether a person is available to answer questions. */
  attended?: boolean;
  sessionId?: string;
  userId?: string;
  limits?: AgentLimits;
  permissions?: RunRules;
  /** A model that replaces the agent's own model. */
  model?: string;
  /** Name of an eval's folder that replaces the project's folder. `AdmitParts` has the path of the eval's folder. */
  workspace?: string;
  /** Files of the workspace that the task is about. The model receives their names and reads them with its tools. */
  contextFiles?: readonly string[];
  /** Images and PDFs that belong to the task. */
  attachments?: readonly SentFile[];
  /** What started the run, if it was not a person. */
  origin?: RunOrigin;
}

export interface RunOrigin {
  trigger: "schedule" | "hook";
  /** Which schedule or hook it was, in words for people. */
  reason: string;
  /** The source of the words in the task, if strangers wrote them. They taint the run (TR8). */
  untrusted?: string;
}

export interface AdmitParts
  extends Pick<LoopParts, "store" | "clock" | "ids" | "mask" | "chooseModel" | "checkPrices">,
    PlaceParts {
  /** Throws AGENT_NOT_FOUND or AGENT_INVALID. `change` is applied before the agent's models are checked. */
  findAgent(name: string, change?: (definition: Definition) => Definition): Promise<Definition>;
  limits: AgentLimits;
  approvals: ApprovalPolicy & { timeout?: number | undefined };
  workspace: string;
  /** Describes the environment of a run that starts now. */
  environment(workspace: string): Promise<Environment>;
  /** Replaces `/name arguments` with the text of the command or skill. Returns other texts unchanged. */
  expandCommand(text: string): Promise<ExpandedText>;
  wake(runId: RunId): Promise<void>;
}

export async function admit(
  asked: RunRequest,
  parts: AdmitParts,
  idempotencyKey?: string,
): Promise<{ runId: RunId; existed: boolean }> {
  const { text, ...origin } = await expandTask(asked.task, asked.origin, parts);
  const request = { ...asked, task: text };
  if (request.task.trim() === "")
    throw new CadreError("BAD_REQUEST", "A run needs a task. Nothing was started.");
  const definition = withModel(requireStartable(await parts.findAgent(request.agent)), request.model, parts);
  const misfit = inputProblem(request.input, definition);
  if (misfit !== undefined) {
    throw new CadreError(
      "UNPROCESSABLE",
      `The input does not fit what ${definition.name} asks for: ${misfit}. Nothing was started.`,
    );
  }
  const files = await storeSentFiles(request.attachments, parts);
  const hash = await parts.store.blobs.put(JSON.stringify(definition));
  const runId = parts.ids.runId(parts.clock.now());
  const environment = await parts.environment(parts.workspace);
  const payload = runStartPayload(request, { definition, hash, runId, environment, origin }, parts);
  const placed = await placeRun({ ...payload, ...files }, definition, runId, parts);
  const start = await requirePrices(placed, definition, parts);
  const idempotency = idempotencyOf(idempotencyKey, { ...asked, ...files });
  const admitted = await parts.store.runs.start(runId, start, idempotency);
  await parts.wake(admitted.runId);
  return admitted;
}

/** TR8: text of strangers names no command. */
export const expandTask = async (
  text: string,
  origin: RunOrigin | undefined,
  { expandCommand }: Pick<AdmitParts, "expandCommand">,
): Promise<ExpandedText> => (origin?.untrusted === undefined ? expandCommand(text) : { text });

/** Identifies a repeated request by its idempotency key and its body. Undefined if the request has no key. */
export const idempotencyOf = (key: string | undefined, request: object) =>
  key === undefined ? undefined : { key, body: JSON.stringify(request) };

/** Uses exactly the requested model, without substitutes. */
function withModel(
  definition: Definition,
  model: string | undefined,
  { chooseModel }: Pick<AdmitParts, "chooseModel">,
): Definition {
  if (model === undefined) return definition;
  const chosen = chooseModel(model, definition.dialect === undefined ? definition.reasoning : undefined);
  if ("model" in chosen) return { ...definition, models: [chosen.model] };
  throw new CadreError("MODEL_UNKNOWN", `${chosen.problem} Nothing was started.`);
}

/** Checks that a person is allowed to start this agent, before anything is written. */
export function requireStartable(definition: Definition): Definition {
  if (definition.kind === "subagent") {
    throw new CadreError(
      "BAD_REQUEST",
      `${definition.name} is a subagent: it runs only as the child of another agent. Nothing was started.`,
    );
  }
  const problem = schemaProblem(definition);
  if (problem !== undefined) {
    throw new CadreError(
      "AGENT_INVALID",
      `A schema of ${definition.name} cannot be used: ${problem}. Nothing was started.`,
    );
  }
  return definition;
}

/** B5: refuses a run whose cost limits could not be enforced. Otherwise returns its start event, which lists the models without a known price. */
export async function requirePrices(
  start: Payload<"RUN_STARTED">,
  definition: Definition,
  { checkPrices }: Pick<LoopParts, "checkPrices">,
): Promise<Payload<"RUN_STARTED">> {
  const { unpriced: _, ...rest } = start;
  const { problem, unpriced } = await checkPrices(definition, start.limits);
  if (problem !== undefined) throw new CadreError("UNPROCESSABLE", `${problem} Nothing was started.`);
  return unpriced ? { ...rest, unpriced } : rest;
}

interface StartedRun {
  definition: Definition;
  /** Hash of the definition. */
  hash: string;
  runId: RunId;
  environment: Environment;
  /** The origin of the task's text. */
  origin: Omit<ExpandedText, "text">;
}

export function runStartPayload(
  request: RunRequest,
  { definition, hash, runId, environment, origin }: StartedRun,
  parts: AdmitParts,
): Payload<"RUN_STARTED"> {
  const { task, input, sessionId, userId, permissions, model, contextFiles = [] } = request;
  const { timeout, onTimeout, unattended, onLoop } = parts.approvals;
  return {
    agent: definition.name,
    definition: hash,
    kind: definition.kind,
    depth: 0,
    trigger: request.origin?.trigger ?? "user",
    ...omitUndefined({ reason: request.origin?.reason }),
    task,
    ...(contextFiles.length === 0 ? {} : { contextFiles: [...contextFiles] }),
    // The input is converted to JSON now, because a Date would be read as a string after a restart, and would be a different input.
    ...(input === undefined ? {} : { input: JSON.parse(JSON.stringify(input)) as unknown }),
    mode: request.mode ?? "auto",
    attended: request.attended ?? request.mode === "chat",
    rootRunId: runId,
    ...omitUndefined({ sessionId, userId, model }),
    workspace: parts.workspace,
    environment,
    ...poolIn(definition),
    limits: resolveLimits(
      { approvalTimeout: timeout, ...omitUndefined(parts.limits) },
      definition.limits,
      request.limits ?? {},
    ),
    approvals: { onTimeout, unattended, ...omitUndefined({ onLoop }) },
    ...omitUndefined({ permissions }),
    ...taintOfStart(definition, origin, request),
  };
}

/** P14: instructions and commands from an untrusted folder taint the run. The hosts in the words that the person typed stay known. */
function taintOfStart(
  definition: Definition,
  { typed, untrusted: files = [] }: StartedRun["origin"],
  { task, input, origin }: Pick<RunRequest, "task" | "input" | "origin">,
): Pick<Payload<"RUN_STARTED">, "untrusted" | "hosts" | "typed"> {
  const sender = origin?.untrusted === undefined ? [] : [origin.untrusted];
  const untrusted = [...new Set([...sender, ...files, ...untrustedFiles(definition)])];
  if (untrusted.length === 0) return omitUndefined({ typed });
  // No person wrote the task, so no person named the hosts in it.
  if (sender.length > 0) return { untrusted };
  const hosts = hostsIn(`${typed ?? task} ${JSON.stringify(input) ?? ""}`);
  return { untrusted, ...hostsField(hosts), ...omitUndefined({ typed }) };
}

/** The limits of a run that another run starts. They come from the new run's agent file and from the project. */
export const limitsOf = (
  { limits }: Definition,
  { limits: project, approvalTimeout }: Pick<LoopParts, "limits" | "approvalTimeout">,
): Limits => resolveLimits({ approvalTimeout, ...project }, limits, {});

/**
 * Limits in the request override the agent's, and those override the project's.
 * An agent's file can only lower the project's limits on the tree and on its depth.
 */
export function resolveLimits(project: AgentLimits, agent: AgentLimits, request: AgentLimits): Limits {
  const tree = { ...project.tree, ...narrower(project.tree, agent.tree), ...request.tree };
  const own = { ...agent, maxDepth: lower(agent.maxDepth, project.maxDepth) };
  const layers = [DEFAULT_LIMITS, project, own, request].map((layer) => omitUndefined(layer));
  const merged = Object.assign({}, ...layers, { tree: undefined });
  return Limits.parse(Object.keys(tree).length > 0 ? { ...merged, tree } : merged);
}

const lower = (own: number | undefined, given: number | undefined): number | undefined =>
  own === undefined || given === undefined ? own : Math.min(own, given);

type Tree = NonNullable<AgentLimits["tree"]>;

function narrower(given: Tree = {}, own: Tree = {}): Tree {
  const limits = Object.entries(omitUndefined(own)) as [keyof Tree, number][];
  return Object.fromEntries(limits.map(([key, value]) => [key, Math.min(value, given[key] ?? value)]));
}
