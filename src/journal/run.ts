// The building blocks of events: a run's status, why it waits, why it ended, and the result for its parent.

import { z } from "zod";
import { PATTERN_TRIGGERS } from "../patterns/declarations/facts.ts";
import { Usage } from "./message.ts";

export const RUN_STATUSES = [
  "pending",
  "running",
  "waiting",
  "suspended",
  "completed",
  "failed",
  "cancelled",
] as const;

export const RunStatus = z.enum(RUN_STATUSES);
export type RunStatus = z.infer<typeof RunStatus>;

export const Trigger = z.enum([
  "user",
  "delegation",
  ...PATTERN_TRIGGERS,
  "message",
  "fork",
  "retry",
  "schedule",
  "hook",
]);
export type Trigger = z.infer<typeof Trigger>;

export const StopReason = z.enum([
  "final_answer",
  "handed_off",
  "routed",
  "max_turns",
  "max_duration",
  "budget",
  "loop",
  "approval_expired",
  "provider",
  "refused",
  "invalid_output",
  "output_limit",
  "history_limit",
  "error",
  "user",
  "parent",
  "orphaned",
  "moved",
]);
export type StopReason = z.infer<typeof StopReason>;

/** A background command. Its id comes from the call that started it. If an event lacks a field, the field keeps its earlier value. */
export const BackgroundFacts = z.object({
  id: z.string(),
  /** The run that started the command. If absent, the run of this event started it. */
  runId: z.string().optional(),
  command: z.string().optional(),
  /** The process that watches the command, with its start time: a pid alone may belong to another program later. */
  pid: z.int().optional(),
  start: z.string().optional(),
  /** Position in the output, in bytes, up to which the agent has seen it. */
  upTo: z.int().optional(),
  /** The worker and machine that started the command, or that last reported it to the agent. */
  worker: z.string().optional(),
  host: z.string().optional(),
  /** The agent knows that the command has ended. */
  ended: z.literal(true).optional(),
  /** The command keeps running after the run has ended. */
  keep: z.literal(true).optional(),
});
export type BackgroundFacts = z.infer<typeof BackgroundFacts>;

/** Limits in tokens and dollars. An absent limit does not apply. If a change lacks a limit, that limit stays the same. */
export const Budget = z.object({ maxTokens: z.number().optional(), maxCost: z.number().optional() });
export type Budget = z.infer<typeof Budget>;

/** The state of a run that the store keeps outside its journal. It is moved together with the run (E7). */
export const UnjournaledState = z.object({
  /** D6: the files that the run is changing. */
  claims: z.array(z.string()).optional(),
  /** Grants for the run and its subtree that have not been revoked. */
  grants: z
    .array(
      z.object({
        rule: z.string(),
        by: z.string(),
        at: z.number(),
        until: z.number().optional(),
        folder: z.string().optional(),
      }),
    )
    .optional(),
  /** The latest budget that a person has set for the tree. Only a root has it. */
  budget: Budget.optional(),
});
export type UnjournaledState = z.infer<typeof UnjournaledState>;

/** The reasons for which a run can wait. */
export const WAITING_KINDS = [
  "child",
  "handoff",
  "timer",
  "provider",
  "slot",
  "approval",
  "child_hitl",
  "question",
  "outcome_unknown",
  "budget",
  "loop",
  "storage",
  "definition_changed",
  "quarantine",
  "paused",
] as const;

/** The reason why a suspended run waits, with details. */
export const WaitingOn = z.object({
  kind: z.enum(WAITING_KINDS),
  /** Ids of the items (tool calls, `budget/1`, `loop/1`) or child runs for which the run waits. */
  items: z.array(z.string()).optional(),
  /** Runs below this run that need a person, and for which this run waits. */
  blockers: z.array(z.string()).optional(),
  until: z.number().optional(),
  /** The run has its answer and only waits for its children to end. */
  closing: z.literal(true).optional(),
  /** A sentence for people. */
  detail: z.string().optional(),
  /** The answers that a person can choose from, if the run waits for an answer. */
  choices: z.array(z.string()).optional(),
  /** The frozen branches to which a paused run belongs, each named by its top run. Absent if only this run is paused. */
  frozen: z.array(z.string()).optional(),
  /** The pause or quarantine that the run was in before it was frozen. The run returns to this state when it is thawed. */
  heldBefore: z
    .object({
      kind: z.enum(["paused", "quarantine", "definition_changed"]),
      detail: z.string().optional(),
    })
    .optional(),
});
export type WaitingOn = z.infer<typeof WaitingOn>;

/** The run in which a failure began. It can be any number of levels below this run. */
export const FirstCause = z.object({
  run_id: z.string(),
  agent: z.string(),
  stop_reason: StopReason,
  summary: z.string(),
});
export type FirstCause = z.infer<typeof FirstCause>;

/** How a fork differs from the run that it continues. */
export const Fork = z.object({
  /** The event that the person chose. The fork begins at this event, or earlier, if a call was still open. */
  at: z.int().positive(),
  edited: z.array(z.enum(["message", "model", "agent"])).optional(),
  /** Seqs of later events of the original run that the fork takes over. They are the ends of children for which the run did not wait. */
  heard: z.array(z.int().positive()).optional(),
});
export type Fork = z.infer<typeof Fork>;

/** A run's slot in a team: the coordinator's run, the round and the member. */
export const TeamSlot = z.object({ runId: z.string(), round: z.int().positive(), member: z.string() });
export type TeamSlot = z.infer<typeof TeamSlot>;

/** A team member's contribution to a round. */
export const TeamTurn = z.object({
  broadcasts: z.array(z.string()),
  vote: z.object({ ready: z.boolean(), reason: z.string() }).optional(),
});
export type TeamTurn = z.infer<typeof TeamTurn>;

/** Work of a run in a worktree that was not merged. All of it is on the branch. */
export const Unmerged = z.object({
  run_id: z.string(),
  agent: z.string(),
  branch: z.string(),
  files: z.array(z.string()),
  /** Why it was not merged, and how to merge it, in words for people and models. */
  detail: z.string(),
});
export type Unmerged = z.infer<typeof Unmerged>;

/** D3: the result that a run hands to its parent. Counts and files are taken from the journal, not from the model's text. */
export const ResultEnvelope = z.object({
  status: z.enum(["completed", "failed", "cancelled"]),
  summary: z.string(),
  details: z.string().optional(),
  files_modified: z.array(z.string()),
  files_created: z.array(z.string()),
  tests_run: z.number().nullable(),
  tests_passed: z.number().nullable(),
  warnings: z.array(z.string()),
  suggestions: z.array(z.string()),
  iteration_count: z.number(),
  duration_ms: z.number(),
  output: z.unknown().optional(),
  /** The limit that cut the run off. Absent if no limit did. */
  stop_reason: StopReason.optional(),
  /** The contribution of the run to its team's round, if it is a member. */
  team: TeamTurn.optional(),
  first_cause: FirstCause.optional(),
  /** The agent that failed after it took over the work. `summary` already names this agent. */
  failed_stage: z.string().optional(),
  /** Work of runs below that is not in the workspace, because its merge failed or was not wanted. */
  unmerged: z.array(Unmerged).optional(),
});
export type ResultEnvelope = z.infer<typeof ResultEnvelope>;

export const ApprovalPolicy = z.object({
  onTimeout: z.enum(["reject", "fail", "wait"]),
  unattended: z.enum(["park", "reject", "fail"]),
  /** Absent: `ask`. */
  onLoop: z.enum(["ask", "continue"]).optional(),
});
export type ApprovalPolicy = z.infer<typeof ApprovalPolicy>;

export const FileChange = z.object({ path: z.string(), change: z.enum(["created", "modified", "deleted"]) });
export type FileChange = z.infer<typeof FileChange>;

/**
 * What was at a path at one moment, for `cadre undo`. The name of a file's blob is the hash of its bytes.
 * `unkept`: the content is not stored, and `mark` only shows whether the file has changed.
 */
export const FileVersion = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("file"), blob: z.string(), mode: z.int() }),
  z.object({ kind: z.literal("link"), to: z.string() }),
  z.object({ kind: z.literal("folder") }),
  z.object({
    kind: z.literal("unkept"),
    why: z.enum(["secret", "large", "too_much", "unreadable"]),
    mark: z.string(),
  }),
]);
export type FileVersion = z.infer<typeof FileVersion>;

/** A path that a call changed. Null: nothing was there. The store has the blob of `before`, but not of `after`. */
export const ChangedPath = z.object({
  path: z.string(),
  before: FileVersion.nullable(),
  after: FileVersion.nullable(),
});
export type ChangedPath = z.infer<typeof ChangedPath>;

/** The paths of the workspace that a call changed, so that a person can take the changes back. */
export const FileChanges = z.object({
  /** When the changes were found, in milliseconds. Unique in one process, because it puts the changes of parallel calls in order. */
  at: z.number(),
  paths: z.array(ChangedPath),
  /** Set if some changes are unknown: the folder has too many files, or could not be listed. */
  incomplete: z.enum(["too_many_files", "unreadable"]).optional(),
});
export type FileChanges = z.infer<typeof FileChanges>;

export const Spent = z.object({ usage: Usage, cost: z.number().nullable() });
export type Spent = z.infer<typeof Spent>;

/** A run above this run, with the rules that its agent imposes on all runs below. */
export const Ancestor = z.object({
  runId: z.string(),
  agent: z.string(),
  ask: z.array(z.string()),
  deny: z.array(z.string()),
});
export type Ancestor = z.infer<typeof Ancestor>;

/** The environment in which a run started. It is recorded once, because a prompt that changes cannot be cached. */
export const Environment = z.object({
  /** The local date: `2026-03-31`. The time of day would make every prompt different. */
  day: z.string(),
  os: z.string(),
  /** Present if the folder is in a git repository. `changed` lists the first changed files, and `more` counts the others. */
  git: z
    .object({
      branch: z.string().optional(),
      changed: z.array(z.string()).optional(),
      more: z.int().positive().optional(),
      /** True if the names are left out, because the folder is not trusted. */
      unnamed: z.literal(true).optional(),
    })
    .optional(),
});
export type Environment = z.infer<typeof Environment>;

/** The git worktree that a child works in. When the child ends, its work is merged into the parent's workspace. */
export const Worktree = z.object({
  /** Absolute path of the parent's workspace. */
  parent: z.string(),
  /** Absolute path of the worktree. */
  path: z.string(),
  branch: z.string(),
  /** The commit at which the branch began. */
  base: z.string(),
});
export type Worktree = z.infer<typeof Worktree>;

/** The budget that is reserved for a model call until its real usage is known (B2). The cost is null if the price is unknown. */
export const Estimate = z.object({ tokens: z.number(), cost: z.number().nullable() });
export type Estimate = z.infer<typeof Estimate>;

/** Intent: an external program does the agent's work. This event precedes the first prompt, so that a later process can find the program. */
export const RunnerStarted = z.object({
  /** The first model call that the program answers. */
  callId: z.string(),
  attempt: z.int().positive().optional(),
  command: z.string(),
  args: z.array(z.string()).optional(),
  /** The program's sandbox. `none`: the program runs with the rights of Cadre's user. */
  sandbox: z.string(),
  host: z.string(),
  /** Process id and start time of the shell that supervises the program. The shell leads the program's process session. */
  pid: z.int(),
  began: z.string().optional(),
  /** The program's own id for the conversation. */
  session: z.string(),
  mode: z.string().optional(),
  /** Whether the program can load the session again after a restart. */
  loads: z.literal(true).optional(),
  /** True if the session already existed and was loaded again. */
  loaded: z.literal(true).optional(),
});
export type RunnerStarted = z.infer<typeof RunnerStarted>;

/** Text that the program wrote before its answer. */
export const RunnerSaid = z.object({ callId: z.string(), index: z.int().nonnegative(), text: z.string() });

/** Cost that the program has added since its previous report. It is recorded here, because there is no outcome event yet. */
export const RunnerSpent = z.object({
  callId: z.string(),
  attempt: z.int().optional(),
  index: z.int().nonnegative(),
  cost: z.number().nonnegative(),
});
