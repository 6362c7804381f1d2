// The loop's parts in a simulated process. They are real, except the parts that touch the outside world.

import { shapesOnly } from "../../src/journal/masking/mask.fixture.ts";
import { declaredTool } from "../../src/loop/builtin-tools/declared/index.ts";
import { createStepGate } from "../../src/loop/drive/suspects.ts";
import type { LoopParts } from "../../src/loop/parts.ts";
import {
  createClassifyFailure,
  cutStreamError,
  refusalError,
  silenceError,
} from "../../src/models/classify-failure.ts";
import { createLimiter } from "../../src/models/limiter.ts";
import type { Model } from "../../src/models/model.ts";
import { createEstimateCall } from "../../src/models/prices.ts";
import { createJudge } from "../../src/permissions/judge.ts";
import { createRunners, type RunnersParts } from "../../src/runners/runners.ts";
import { digest } from "../../src/stores/hashes.ts";
import { keepsNotes, simulatedNotes } from "./notes.ts";
import { simulatedModel, simulatedTools } from "./outside.ts";
import { workerStore } from "./stores.ts";
import type { SimProcess, Surroundings } from "./surroundings.ts";

const NO_RADIUS = {
  ...{ agents: [], levels: 0, powers: [], tools: [], hosts: [], never: [] },
  ...{ runs: 1, turns: 1 },
};

const NO_PROGRAMS: RunnersParts = {
  ...{ trusted: false, env: {}, variables: [], version: "", diff: () => undefined },
  confine: async () => ({ problem: "no agent of the simulation has a program" }),
};

export function loopParts(worker: SimProcess, world: Surroundings): LoopParts {
  const { options, clock, ids, watch, mutant } = world;
  const store = workerStore(worker, world);
  const priceOf: LoopParts["priceOf"] = (model, { input, output }) =>
    model === "sim/a" ? (input + output) / 1_000_000 : null;
  const tools = simulatedTools(worker, world);
  const models = new Map<string, Model>();
  const sources = [{ source: "project", rules: options.authority }];
  const parts: LoopParts = {
    store,
    mask: shapesOnly(),
    // The simulation has no files.
    files: {
      watch: async () => async () => undefined,
      isProtected: () => false,
      versions: async () => undefined,
      restore: async () => ({ results: [], aside: "" }),
    },
    clock,
    ids,
    digest,
    actingFor: async () => ({ store }),
    worker: worker.name,
    host: "host",
    pid: worker.pid,
    models: {
      resolve(name) {
        const model = models.get(name) ?? simulatedModel(worker, world, name);
        models.set(name, model);
        return model;
      },
      contextWindow: () => options.contextWindow,
      acceptedFiles: () => new Set(),
    },
    priceOf,
    estimateCall: createEstimateCall(priceOf),
    checkPrices: async () => ({}),
    classifyFailure: createClassifyFailure(clock),
    silenceError,
    cutStreamError,
    refusalError,
    patience: { outage: 0, silence: 120_000 },
    limiter: createLimiter(clock),
    hooks: {
      isEmpty: true,
      find: () => [],
      run: () => Promise.reject(new Error("The simulation has no hooks.")),
    },
    tools: new Map((mutant.tools?.(tools) ?? tools).map((tool) => [tool.name, tool])),
    inputSchema: () => ({ type: "object" }),
    judge: createJudge((name) => declaredTool(name) ?? parts.tools.get(name)),
    marksAnswers: true,
    judgeShell: () => ({ readOnly: false, why: "simulated" }),
    offers: ({ tools: { allow }, router, readOnly }, tool) =>
      !router && !(readOnly && tool.effect !== "read") && (allow === undefined || allow.includes(tool.name)),
    authority: () => sources,
    blastRadius: async (agent) => ({ ...NO_RADIUS, agent }),
    findAgent: world.findAgent,
    pinInstructions: async (definition) => definition,
    loadSteps: async () => ({ problem: "No agent of the simulation has steps." }),
    runners: createRunners(NO_PROGRAMS),
    chooseModel: (model) => ({ model }),
    limits: {},
    approvalTimeout: undefined,
    worktrees: noWorktrees,
    commands: noCommands,
    callRecords: keepsNotes(options) ? simulatedNotes(worker, world) : undefined,
    hasFolder: async () => true,
    maxConcurrent: options.concurrent,
    nestedInstructions: async () => [],
    systemPrompt: ({ prompt }) => prompt,
    gate: createStepGate(),
    drives: new Map(),
    skippedRuns: new Map(),
    mayBegin: () => worker.mayBegin(),
    onDelta() {},
    onProblem: ({ runId, message, error }) => {
      world.trace(`    problem in ${worker.name}, ${runId}: ${message}`);
      if (!isForeseen(error)) watch.problem(`P9 a drive of ${runId} broke: ${(error as Error).stack}`);
    },
    drainMs: 5_000,
    trialMs: 0,
  };
  return mutant.parts?.(parts) ?? parts;
}

const noCommands: LoopParts["commands"] = {
  look: async () => ({ isOver: true, text: "was never started" }),
  output: async () => undefined,
  stopRun: async () => {},
  sweep: async () => {},
};

const noWorktrees: LoopParts["worktrees"] = {
  plan: async () => ({ problem: "There is no repository here." }),
  open: async () => {},
  review: async () => undefined,
  close: async () => ({ status: "unchanged" }),
  sweep: async () => {},
};

/**
 * Errors that the simulation itself causes: the disk is full, or a slow worker has already written the outcome.
 * The loop releases a run after such an error and drives the run again.
 */
function isForeseen(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string };
  return code === "STORAGE_FULL" || message.startsWith("The journal has another event under");
}
