// Everything that the loop is given. It knows contracts only; `runtime.ts` puts the concrete parts in.

import type { BlastRadiusParts } from "../agents/explain/blast-radius.ts";
import type { LoadedSteps } from "../agents/loaded-steps.ts";
import type { Clock } from "../clock.ts";
import type { Digest, Ids, RunId } from "../ids.ts";
import type { BlastRadius } from "../journal/blast-radius.ts";
import type { AgentLimits, Definition } from "../journal/definition.ts";
import type { Delta } from "../journal/deltas.ts";
import type { Payload, Worktree } from "../journal/events.ts";
import type { Mask } from "../journal/masking/mask.ts";
import type { DeclaredFacts } from "../journal/tool-facts.ts";
import type { ClassifyFailure, EstimateCall, Models, PriceOf } from "../models/model.ts";
import type { Judge, ShellJudge, SourcedRules } from "../permissions/permission.ts";
import type { Store } from "../stores/store.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { StepGate } from "./drive/step-gate.ts";
import type { Runners } from "./programs/runner.ts";

export interface LoopParts {
  store: Store;
  /** Whoever a run works for, as they stand now: for an agent that looks after other runs. */
  actingFor(userId: string | undefined): Promise<ActingUser>;
  clock: Clock;
  ids: Ids;
  digest: Digest;
  /** This process among all that drive. */
  worker: string;
  host: string;
  pid: number;

  /** Whatever is written, shown or sent to a model has been through it. */
  mask: Mask;

  models: Models;
  priceOf: PriceOf;
  estimateCall: EstimateCall;
  classifyFailure: ClassifyFailure;
  silenceError(ms: number): Error;
  cutStreamError(): Error;
  /** What a provider's word about waiting means for every run that uses it. */
  limiter: {
    notBefore(model: string): number | undefined;
    failed(model: string, retryAt: number): void;
    succeeded(model: string): void;
  };

  /** By every name under which a model may call it. */
  tools: ReadonlyMap<string, AnyTool>;
  inputSchema(tool: AnyTool): unknown;
  judge: Judge;
  judgeShell: ShellJudge;
  /** True where the agent's own gate lets this tool through at all. */
  offers(definition: Definition, tool: DeclaredFacts & Pick<AnyTool, "name" | "effect" | "idle">): boolean;
  /** The rules in force now: the project's, the person's. */
  /** An agent as its file is now, ready to be pinned. Throws AGENT_NOT_FOUND or AGENT_INVALID. */
  findAgent(name: string): Promise<Definition>;
  /** The module that controls an agent, as its file is now. */
  loadSteps(steps: NonNullable<Definition["steps"]>): Promise<LoadedSteps>;
  /** The programs that do the work of agents whose file says so. */
  runners: Runners;
  /** A model's full name, if it can be used here; a sentence if not. */
  chooseModel(name: string): { model: string } | { problem: string };
  /** What the project says for every run. */
  limits: AgentLimits;
  approvalTimeout: number | undefined;
  worktrees: Worktrees;
  /** Whether a run could work there, on this machine. */
  hasFolder(path: string): Promise<boolean>;
  /** Agents at work in one workspace at the same time. */
  maxConcurrent: number;
  authority(): readonly SourcedRules[];
  blastRadius: FindBlastRadius;
  systemPrompt(definition: Definition, start: Payload<"RUN_STARTED">, runStartedAt: number): string;

  /** Lets a run that may have taken the process down step alone. */
  gate: StepGate;
  /** The drives under way here, so that a cancel or a lost lease reaches what they are doing. */
  drives: Map<RunId, ActiveDrive>;
  /** Runs that this process leaves to others: it does not understand their journals, or has not their folders. */
  skippedRuns: Map<RunId, SkipReason>;
  /** E2: false once this worker's own deadline has passed; no effect may begin then. */
  mayBegin(): boolean;
  onDelta(delta: Delta): void;
  /** What no journal can hold: told to whoever runs the process. */
  onProblem(problem: { runId: RunId; message: string; error: unknown }): void;
  /** Milliseconds that effects get to finish at shutdown. */
  drainMs: number;
}

export type SkipReason = "newer version" | "other machine";

export interface ActingUser {
  /** What is another's is not there (A23). */
  store: Store;
  /** Why they may change nothing. */
  refusal?: string;
}

/** What could come of it if an agent were started, by its file as it is now. Throws as `findAgent` does. */
export type FindBlastRadius = (
  agent: string,
  where: Pick<BlastRadiusParts, "from" | "atWork"> & {
    deny: readonly string[];
    /** The limits of the tree that it would be started in. */
    tree: AgentLimits["tree"];
  },
) => Promise<BlastRadius>;

export type MergeOutcome =
  | { status: "unchanged" }
  | { status: "merged"; commit: string; files: string[] }
  /** Nothing has changed in the parent; all work is on the branch. */
  | { status: "conflict" | "kept"; branch: string; files: string[]; detail: string };

/** Folders of their own for children that work apart. All of it may be asked for again after a crash. */
export interface Worktrees {
  /** The worktree that a run would have, and the folder in it to work in; or why it cannot have one. */
  plan(
    workspace: string,
    runId: RunId,
  ): Promise<{ worktree: Worktree; workspace: string } | { problem: string }>;
  open(worktree: Worktree): Promise<void>;
  /** Keeps or brings in what was done there, and removes the folder. */
  close(
    worktree: Worktree,
    /** `files`: what the child has changed by tools that were judged. */
    options: { message: string; keep: boolean; files: readonly string[] },
  ): Promise<MergeOutcome>;
  /** Closes what runs have left behind that are over. */
  sweep(isOver: (runId: RunId) => Promise<boolean>): Promise<void>;
}

export interface ActiveDrive {
  epoch: number;
  /** When what is under way last gave a sign of life that is not written. */
  lastActivityAt(): number;
  /** Stops what is under way. Only after a cancel is there more to do for this driver. */
  interrupt(reason: "cancel" | "lost" | "stuck" | "shutdown"): void;
}
