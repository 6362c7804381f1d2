// What there is to say about a run: its states, why it waits and why it ended, what it hands on.

import { z } from "zod";
import { RUN_STATUSES, WAITING_KINDS } from "./kinds.ts";
import { Usage } from "./message.ts";

export const RunStatus = z.enum(RUN_STATUSES);
export type RunStatus = z.infer<typeof RunStatus>;

export const Trigger = z.enum([
  "user",
  "delegation",
  "handoff",
  "route",
  "advisor",
  "team",
  "best_of",
  "message",
  "fork",
  "retry",
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
  "invalid_output",
  "history_limit",
  "error",
  "user",
  "parent",
  "orphaned",
  "moved",
]);
export type StopReason = z.infer<typeof StopReason>;

/** Absent: as before, or none. */
export const Budget = z.object({ maxTokens: z.number().optional(), maxCost: z.number().optional() });
export type Budget = z.infer<typeof Budget>;

/** What counts for a run and does not stand in its journal: it goes with a run that is moved (E7). */
export const UnjournaledState = z.object({
  /** D6: files that it is changing. */
  claims: z.array(z.string()).optional(),
  /** Grants for it and what is below it that nobody has taken back. */
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
  /** Of a root: what a person has made of the budget of its tree. */
  budget: Budget.optional(),
});
export type UnjournaledState = z.infer<typeof UnjournaledState>;

export const WaitingOn = z.object({
  kind: z.enum(WAITING_KINDS),
  /** The items (tool calls, `budget/1`, `loop/1`) or child runs that are waited for. */
  items: z.array(z.string()).optional(),
  /** The runs below that need a person, where that is why this one cannot go on. */
  blockers: z.array(z.string()).optional(),
  until: z.number().optional(),
  detail: z.string().optional(),
  /** Of a question: the answers that there are. */
  choices: z.array(z.string()).optional(),
  /** Of a pause: the branches that it is frozen with, each by its topmost run; absent: it is paused alone. */
  frozen: z.array(z.string()).optional(),
  /** Of a frozen run: what held it before, and will again when it is thawed. */
  heldBefore: z
    .object({
      kind: z.enum(["paused", "quarantine", "definition_changed"]),
      detail: z.string().optional(),
    })
    .optional(),
});
export type WaitingOn = z.infer<typeof WaitingOn>;

export const FirstCause = z.object({
  run_id: z.string(),
  agent: z.string(),
  stop_reason: StopReason,
  summary: z.string(),
});
export type FirstCause = z.infer<typeof FirstCause>;

/** What a run that was forked off another one is, beside what it continues. */
export const Fork = z.object({
  /** The event that was chosen; what it continues ends there or before, where no call was open. */
  at: z.int().positive(),
  edited: z.array(z.enum(["message", "model", "agent"])).optional(),
  /** Events of the other run after that point: ends of children that it had started before and not waited for. */
  heard: z.array(z.int().positive()).optional(),
});
export type Fork = z.infer<typeof Fork>;

/** Where a run stands in a team: whose, in which round, and for which member. */
export const TeamSlot = z.object({ runId: z.string(), round: z.int().positive(), member: z.string() });
export type TeamSlot = z.infer<typeof TeamSlot>;

/** What a member of a team has to say after a round. */
export const TeamTurn = z.object({
  broadcasts: z.array(z.string()),
  vote: z.object({ ready: z.boolean(), reason: z.string() }).optional(),
});
export type TeamTurn = z.infer<typeof TeamTurn>;

/** D3: what a run hands to whoever started it. Counts and files come from the journal, never from the model's word. */
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
  /** Of a member of a team. */
  team: TeamTurn.optional(),
  /** Where a failure began, however deep below. */
  first_cause: FirstCause.optional(),
});
export type ResultEnvelope = z.infer<typeof ResultEnvelope>;

export const ApprovalPolicy = z.object({
  onTimeout: z.enum(["reject", "fail", "wait"]),
  unattended: z.enum(["park", "reject", "fail"]),
});
export type ApprovalPolicy = z.infer<typeof ApprovalPolicy>;

export const FileChange = z.object({ path: z.string(), change: z.enum(["created", "modified", "deleted"]) });
export type FileChange = z.infer<typeof FileChange>;

export const Spent = z.object({ usage: Usage, cost: z.number().nullable() });
export type Spent = z.infer<typeof Spent>;

/** A run above this one, and what its agent's permissions say for everything below it. */
export const Ancestor = z.object({
  runId: z.string(),
  agent: z.string(),
  ask: z.array(z.string()),
  deny: z.array(z.string()),
});
export type Ancestor = z.infer<typeof Ancestor>;

/** A git worktree that a child works in, and where its work goes at its end. */
export const Worktree = z.object({
  parent: z.string(),
  path: z.string(),
  branch: z.string(),
  /** The commit that it began at. */
  base: z.string(),
});
export type Worktree = z.infer<typeof Worktree>;

/** What may be spent by a call before it is known what it did (B2). */
export const Estimate = z.object({ tokens: z.number(), cost: z.number().nullable() });
export type Estimate = z.infer<typeof Estimate>;

/** A program does the agent's work: where it runs, and by what it is found again. Written before it is asked anything. */
export const RunnerStarted = z.object({
  /** The first call that it works on. */
  callId: z.string(),
  attempt: z.int().positive().optional(),
  command: z.string(),
  args: z.array(z.string()).optional(),
  /** What it runs in; `none`: it has the rights of Cadre's user. */
  sandbox: z.string(),
  host: z.string(),
  /** Of the shell that watches over it, the leader of its session; and when the system says that it began. */
  pid: z.int(),
  began: z.string().optional(),
  /** The program's own name for the conversation. */
  session: z.string(),
  mode: z.string().optional(),
  /** It can go on with the session after it was ended. */
  loads: z.literal(true).optional(),
  /** The session was there before. */
  loaded: z.literal(true).optional(),
});
export type RunnerStarted = z.infer<typeof RunnerStarted>;

/** What the program said on its way to the answer. */
export const RunnerSaid = z.object({ callId: z.string(), index: z.int().nonnegative(), text: z.string() });

/** What the program says that it has cost since it last said so, before there is an outcome to say it. */
export const RunnerSpent = z.object({
  callId: z.string(),
  attempt: z.int().optional(),
  index: z.int().nonnegative(),
  cost: z.number().nonnegative(),
});
