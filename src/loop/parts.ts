// Everything that the loop needs from outside. The loop knows only the contracts; `runtime/` passes in the implementations.

import type { BlastRadiusParts } from "../agents/explain/blast-radius.ts";
import type { LoadedSteps } from "../agents/loaded-steps.ts";
import type { Clock } from "../clock.ts";
import type { Digest, Ids, RunId } from "../ids.ts";
import type { BlastRadius } from "../journal/blast-radius.ts";
import type { AgentLimits, Definition, InstructionFile } from "../journal/definition.ts";
import type { Delta } from "../journal/deltas.ts";
import type { HookEvent, Payload, Worktree } from "../journal/events.ts";
import type { Mask } from "../journal/masking/mask.ts";
import type { Reasoning } from "../journal/reasoning.ts";
import type { DeclaredFacts } from "../journal/tool-facts.ts";
import type { ClassifyFailure, EstimateCall, Models, PriceOf, RefusalError } from "../models/model.ts";
import type { Judge, ShellJudge, SourcedRules } from "../permissions/permission.ts";
import type { Store } from "../stores/store.ts";
import type { AnyTool, BackgroundCommands, ToolAnswer, WorkspaceFiles } from "../tools/tool.ts";
import type { Runners } from "./programs/runner.ts";

export interface LoopParts {
  store: Store;
  /** Returns the user that a run works for, with the user's current rights. Needed by agents that look after other runs. */
  actingFor(userId: string | undefined): Promise<ActingUser>;
  clock: Clock;
  ids: Ids;
  digest: Digest;
  /** Name of this worker process. */
  worker: string;
  host: string;
  pid: number;

  /** Masks secrets in everything that is written, shown or sent to a model. */
  mask: Mask;

  models: Models;
  priceOf: PriceOf;
  estimateCall: EstimateCall;
  checkPrices: CheckPrices;
  classifyFailure: ClassifyFailure;
  silenceError(ms: number): Error;
  cutStreamError(detail?: string): Error;
  refusalError: RefusalError;
  /** Milliseconds that a run waits for a provider that cannot be reached, and milliseconds of silence after which a call is aborted. */
  patience: { outage: number; silence: number };
  /** Knows when each provider can be called again. All runs that use a provider share this knowledge. */
  limiter: {
    notBefore(model: string, runId: string): number | undefined;
    failed(model: string, retryAt: number): void;
    succeeded(model: string): void;
  };

  /** The commands that the project runs at the moments of a run. */
  hooks: Hooks;
  /** Every tool, under each name that a model can use for it. */
  tools: ReadonlyMap<string, AnyTool>;
  inputSchema(tool: AnyTool): unknown;
  /** Whether the words of other agents are marked as untrusted. `taint: off` switches the marks off. */
  marksAnswers: boolean;
  /** The project's folder, if it is a stranger's. Its files and the output of its programs taint a run that reads them (A75). */
  strangersFolder?: string | undefined;
  judge: Judge;
  judgeShell: ShellJudge;
  /** Whether the agent's file allows this tool. */
  offers(definition: Definition, tool: DeclaredFacts & Pick<AnyTool, "name" | "effect" | "idle">): boolean;
  /** The current definition of an agent, without instructions. Throws AGENT_NOT_FOUND or AGENT_INVALID. */
  findAgent(name: string): Promise<Definition>;
  /** Adds the project's and the user's current instructions. A definition that already has instructions keeps them. */
  pinInstructions(definition: Definition): Promise<Definition>;
  /** Loads the current version of the module that controls an agent. */
  loadSteps(steps: NonNullable<Definition["steps"]>): Promise<LoadedSteps>;
  /** The programs that do the work of agents with a `runner`. */
  runners: Runners;
  /** Returns the full name of a model that can be used here, or a sentence that says why it cannot be used. */
  chooseModel(name: string, reasoning?: Reasoning): { model: string } | { problem: string };
  /** The project's limits for every run. */
  limits: AgentLimits;
  approvalTimeout: number | undefined;
  worktrees: Worktrees;
  /** Records which files a call changes, and puts them back. */
  files: WorkspaceFiles;
  commands: BackgroundCommands;
  /** Whether the folder exists on this machine. */
  hasFolder(path: string): Promise<boolean>;
  /** How many agents can work in one workspace at the same time. */
  maxConcurrent: number;
  authority(): readonly SourcedRules[];
  blastRadius: FindBlastRadius;
  /** The instructions in the folders between the workspace and a file. Those of the file's own folder are last. */
  nestedInstructions(path: string, workspace: string): Promise<InstructionFile[]>;
  systemPrompt(definition: Definition, start: Payload<"RUN_STARTED">, runStartedAt: number): string;

  /** Makes a run take its steps alone if it might have crashed the process. */
  gate: StepGate;
  /** The drives in this process, so that a cancel or a lost lease can interrupt them. */
  drives: Map<RunId, ActiveDrive>;
  /** Runs that this process leaves to other processes: it cannot read their journals, or does not have their folders. */
  skippedRuns: Map<RunId, SkipReason>;
  /** E2: false once this worker's own deadline has passed. From then on no effect is allowed to begin. */
  mayBegin(): boolean;
  onDelta(delta: Delta): void;
  /** The notes about commands. Absent if this machine can keep none. */
  callRecords?: CallRecords | undefined;
  /** Reports a problem to the operator of the process, if no journal can record it. */
  onProblem(problem: { runId: RunId; message: string; error: unknown }): void;
  /** Milliseconds that running effects have to finish at shutdown. */
  drainMs: number;
  /** E5: milliseconds for which the process drives nothing before it quarantines a run that seems to crash it. */
  trialMs: number;
}

export interface Hook {
  command: string;
}

export interface Hooks {
  /** True if no hooks are configured, so that nothing has to be looked up. */
  isEmpty: boolean;
  /** The hooks of an event, in the order of the configuration. A matcher is compared with `names`. */
  find(event: HookEvent, names?: readonly string[]): Hook[];
  /** Runs one hook. Never rejects: a hook that fails is a result too. */
  run(hook: Hook, input: object, at: { cwd: string; runId: RunId; signal: AbortSignal }): Promise<HookRun>;
}

export interface HookRun {
  /** The exit code. Absent if the command was not started, or was stopped. */
  code?: number;
  stdout: string;
  stderr: string;
  /** Why the command has no exit code, or no usable output. */
  problem?: string;
  ms: number;
}

/** This machine's notes about commands whose result is not in the journal. */
export interface CallRecords {
  /** Identifies the folder of the notes. It is recorded when a call starts. Undefined if the folder cannot be used. */
  readonly id: string | undefined;
  begin(key: string): Promise<void>;
  end(key: string, answer: ToolAnswer): void;
  /** The answer in the notes. Undefined if the call may have begun. "not begun" also guarantees that no other process can begin the call afterwards. */
  find(key: string): Promise<ToolAnswer | "not begun" | undefined>;
  forget(key: string): Promise<void>;
}

export interface StepGate {
  /** Resolves when the step is allowed to begin. Call the returned function when the step is over. */
  enter(how: "shared" | "alone", left: AbortSignal): Promise<() => void>;
}

export type SkipReason = "newer version" | "other machine";

export interface ActingUser {
  /** The store as this user sees it, without the runs of other users (A23). */
  store: Store;
  /** Says why the user is not allowed to change anything. Absent if the user is allowed to make changes. */
  refusal?: string;
}

/** Returns everything that an agent could do if it were started with its current file. Throws the same errors as `findAgent`. */
export type FindBlastRadius = (
  agent: string,
  where: Pick<BlastRadiusParts, "from" | "atWork"> & {
    deny: readonly string[];
    /** The limits of the tree in which the agent would be started. */
    tree: AgentLimits["tree"];
  },
) => Promise<BlastRadius>;

/**
 * Finds the models without a known price that an agent, or an agent that it can start, would use under a limit on cost (B5).
 * `problem` says why the run is not allowed to start. If such models are allowed, `unpriced` lists them.
 */
export type CheckPrices = (
  definition: Definition,
  limits: Pick<AgentLimits, "maxCost" | "tree">,
) => Promise<{ problem?: string; unpriced?: string[] }>;

export type MergeOutcome =
  | { status: "unchanged" }
  | { status: "merged"; commit: string; files: string[]; squashed?: true }
  /** The child's work was not merged, because it conflicts or is kept on purpose. It is on the branch, and the parent's files are unchanged. */
  | { status: "conflict" | "kept"; branch: string; files: string[]; detail: string };

export interface WorktreeWork {
  /** The message of the commit. */
  message: string;
  /** The files that the run changed with judged tools. */
  files: readonly string[];
}

export interface WorktreeClose {
  /** True if the run did not succeed. Its work stays on its branch. */
  keep: boolean;
  /** True if the folder around it is the worktree of another run. Its work is merged there in any case, as a merge commit. */
  isInner: boolean;
  /** The commit that a person approved. */
  approved?: string | undefined;
  /** Who rejected the merge, and why. */
  rejected?: string | undefined;
  /** True if the folder and its branch stay until the run has ended. */
  stays?: boolean;
}

/** Everything that a merge would change in the folder of the project. */
export interface MergeReview {
  /** The latest commit of the run's branch. */
  commit: string;
  files: string[];
  diff: string;
}

/** Git worktrees of runs. Every operation can be repeated after a crash. */
export interface Worktrees {
  /** The worktree and the working folder of a run that is about to start, or the reason why the run cannot have a worktree. */
  plan(
    workspace: string,
    runId: RunId,
  ): Promise<{ worktree: Worktree; workspace: string } | { problem: string }>;
  open(worktree: Worktree): Promise<void>;
  /**
   * Commits the work to its branch, and returns what a person decides about before it reaches the folder of the project.
   * Undefined if no person is asked: the project merges without asking, or there is nothing that can be merged.
   */
  review(worktree: Worktree, work: WorktreeWork): Promise<MergeReview | undefined>;
  /** Merges the run's work into the folder around it, or keeps the work on its branch. Then removes the worktree. */
  close(worktree: Worktree, work: WorktreeWork & WorktreeClose): Promise<MergeOutcome>;
  /** Closes the worktrees of runs that have ended. */
  sweep(isOver: (runId: RunId) => Promise<boolean>): Promise<void>;
}

export interface ActiveDrive {
  epoch: number;
  /** Time of the last sign of life that is not in the journal. */
  lastActivityAt(): number;
  /** Stops the running effect. The driver itself also stops, unless the reason is a cancel. */
  interrupt(reason: "cancel" | "lost" | "stuck" | "shutdown"): void;
}
