// Everything that can ever happen to a run, in one file: schema and type together.
// Payloads leave out what has its default, so that a step costs few bytes.

import { z } from "zod";
import { BlastRadius } from "./blast-radius.ts";
import { ContextMode, Effect, Limits, Rules } from "./definition.ts";
import { OUTCOME_TYPES } from "./kinds.ts";
import { ThoughtPart, Usage } from "./message.ts";
import {
  Ancestor,
  ApprovalPolicy,
  Budget,
  Estimate,
  FileChange,
  Fork,
  ResultEnvelope,
  RunnerSaid,
  RunnerSpent,
  RunnerStarted,
  Spent,
  StopReason,
  TeamSlot,
  Trigger,
  UnjournaledState,
  WaitingOn,
  Worktree,
} from "./run.ts";

export { isTurn, OUTCOME_TYPES, RUN_STATUSES, TERMINAL_TYPES, WAITING_KINDS } from "./kinds.ts";
export {
  Ancestor,
  ApprovalPolicy,
  Budget,
  Estimate,
  FileChange,
  FirstCause,
  Fork,
  ResultEnvelope,
  RunnerStarted,
  RunStatus,
  Spent,
  StopReason,
  TeamSlot,
  TeamTurn,
  Trigger,
  UnjournaledState,
  WaitingOn,
  Worktree,
} from "./run.ts";

/** D5: how many agents a message has come through; absent: it is a person's, or nobody's. */
const Hops = z.int().positive().optional();
const Attempt = z.int().positive().optional();
const Note = z.string().optional();
/** Whose words it may repeat that nobody here wrote; absent: nobody's. */
const Untrusted = z.array(z.string()).optional();
/** Of an approved call: the sha256 of its name and input, as it was approved, and as it began. */
const Receipt = z.string().optional();
/** `summary` makes room in the run's own prompt; `brief` tells a child what it needs of it. */
const Purpose = z.enum(["turn", "final", "summary", "brief", "judge", "repair"]);
export type Purpose = z.infer<typeof Purpose>;

const Ended = z.object({
  stopReason: StopReason,
  summary: z.string(),
  output: z.unknown().optional(),
  result: ResultEnvelope,
  /** What the run and everything below it has used; absent: it had no children. */
  tree: Spent.optional(),
  /** Context that came too late to be seen (J11). */
  unseen: z.array(z.string()).optional(),
  untrusted: Untrusted,
});

export const payloads = {
  RUN_STARTED: z.object({
    agent: z.string(),
    /** Hash of the pinned definition's blob. */
    definition: z.string(),
    kind: z.enum(["main", "subagent"]),
    depth: z.int().nonnegative(),
    trigger: Trigger,
    task: z.string(),
    input: z.unknown().optional(),
    /** What the person gave, where `input` is what the stage before brought; null: nothing. */
    requestInput: z.unknown().optional(),
    mode: z.enum(["auto", "chat"]),
    attended: z.boolean(),
    rootRunId: z.string(),
    parentRunId: z.string().optional(),
    parentKey: z.string().optional(),
    /** Why a pattern started it: what a router said, `handoff from drafter`. */
    reason: z.string().optional(),
    /** The round of a team that it takes part in, itself or for the member that handed over to it. */
    team: TeamSlot.optional(),
    /** From the root down to the parent. */
    ancestors: z.array(Ancestor).optional(),
    /** How the parent recognises success, and the files that it named. */
    criteria: z.string().optional(),
    contextFiles: z.array(z.string()).optional(),
    budgetRunId: z.string().optional(),
    hops: Hops,
    sessionId: z.string().optional(),
    userId: z.string().optional(),
    /** Who started it, where that is not whose run it is. */
    by: z.string().optional(),
    /** Asked for in the place of the agent's own. */
    model: z.string().optional(),
    workspace: z.string(),
    worktree: Worktree.optional(),
    pool: z.string().optional(),
    /** Nearest first: the workspaces that this one is a copy of. What is forbidden there is forbidden here (P12). */
    mergesInto: z.array(z.string()).optional(),
    limits: Limits,
    approvals: ApprovalPolicy,
    /** The run's own rules: given when it was started. */
    permissions: Rules.optional(),
    continues: z.object({ runId: z.string(), seq: z.int(), hash: z.string() }).optional(),
    fork: Fork.optional(),
    /** In a fork and all below it: what cannot be taken back asks a person, whatever a rule or an older grant says. */
    effects: z.literal("ask").optional(),
    untrusted: Untrusted,
    /** Hosts that whoever started it knew by itself. */
    hosts: z.array(z.string()).optional(),
  }),
  CONTEXT_ADDED: z.object({
    id: z.string(),
    source: z.enum(["person", "parent", "agent", "advice", "team", "steps", "system"]),
    from: z.string().optional(),
    text: z.string(),
    /** The task, with what was gathered for it: the model reads it in the task's place. */
    opening: z.literal(true).optional(),
    hops: Hops,
    untrusted: Untrusted,
  }),
  MODEL_CALL_STARTED: z.object({
    callId: z.string(),
    model: z.string(),
    attempt: Attempt,
    purpose: Purpose.optional(),
    /** Absent: the model sees everything before this event (J11). */
    sawSeq: z.int().optional(),
    estimate: Estimate.optional(),
  }),
  AGENT_THOUGHT: z.object({
    callId: z.string(),
    attempt: Attempt,
    content: z.array(ThoughtPart),
    usage: Usage,
    /** Null: no price is known for this model. */
    cost: z.number().nullable(),
    finish: z.string(),
    ms: z.number(),
  }),
  MODEL_CALL_FAILED: z.object({
    callId: z.string(),
    attempt: Attempt,
    cause: z.enum([
      "interrupted",
      "rate_limit",
      "overloaded",
      "network",
      "timeout",
      "truncated",
      "output_cap",
      "rejected",
      "auth",
      "model",
    ]),
    message: z.string(),
    retryAt: z.number().optional(),
    /** What was or may have been spent. */
    usage: Usage.optional(),
    cost: z.number().nullable().optional(),
    ms: z.number().optional(),
  }),
  TOOL_PROPOSED: z.object({
    toolCallId: z.string(),
    name: z.string(),
    effect: Effect,
    verdict: z.enum(["allow", "ask", "deny"]),
    /** The rule that decided, with where it stands: `project deny Bash(rm *)`. */
    rule: z.string(),
    /** From 2 on: the call was put to a person again because what it rests on had changed. */
    round: z.int().positive().optional(),
    /** Of a delegation: what the child will see of this run's conversation. */
    context: ContextMode.optional(),
    /** Of a call that the agent's steps make: what is given to it, and whether the model is not to see it. */
    input: z.unknown().optional(),
    hidden: z.literal(true).optional(),
    /** Of call, definition, permissions and fingerprint: what an approval is bound to. */
    hash: z.string().optional(),
    /** The state of the files concerned when the preview was made. */
    fingerprint: z.string().optional(),
    preview: z.string().optional(),
    expiresAt: z.number().optional(),
    /** Of a call that a person is asked about. */
    untrusted: Untrusted,
    /** Of work for another agent that a person is asked about. */
    blastRadius: BlastRadius.optional(),
  }),
  APPROVAL_DECIDED: z.object({
    itemId: z.string(),
    decision: z.enum(["approve", "edit", "reject", "answer", "expire"]),
    by: z.string(),
    note: Note,
    answer: z.string().optional(),
    input: z.unknown().optional(),
    /** A budget that is raised: the run's own, or with the scope `tree` that of all runs of its tree. */
    limits: Budget.optional(),
    scope: z.enum(["once", "run", "tree", "always"]).optional(),
    /** The rule that a wider scope grants, the folder in which it counts (absent: any), and until when. */
    grant: z.string().optional(),
    folder: z.string().optional(),
    until: z.number().optional(),
    hash: z.string().optional(),
    receipt: Receipt,
  }),
  /** An item is for this person now; it stays open, and whoever may decide still may (U21). */
  PERSON_ASKED: z.object({ itemId: z.string(), person: z.string(), by: z.string(), note: Note }),
  /** What the run, or with `tree` all runs that its root pays for, may spend from now on: a person gave or took. */
  BUDGET_SET: z.object({ limits: Budget, scope: z.literal("tree").optional(), by: z.string() }),
  TOOL_STARTED: z.object({
    toolCallId: z.string(),
    attempt: Attempt,
    /** Where an effect that is not `read` happens, for whoever must find out what became of it. */
    host: z.string().optional(),
    pid: z.int().optional(),
    /** Of the file that the first attempt found and means to leave: later attempts know their own work by them. */
    fingerprints: z.object({ path: z.string(), before: z.string(), after: z.string() }).optional(),
    receipt: Receipt,
  }),
  TOOL_RESULT: z.object({
    toolCallId: z.string(),
    attempt: Attempt,
    output: z.unknown(),
    isError: z.literal(true).optional(),
    outcome: z.enum(["ok", "error", "denied", "deferred", "stale", "unknown", "not_started"]).optional(),
    /** The whole output as a blob, where `output` holds only its head and tail. */
    ref: z.string().optional(),
    size: z.int().optional(),
    files: z.array(FileChange).optional(),
    /** The file that the model now knows, as it is. */
    seen: z.object({ path: z.string(), fingerprint: z.string() }).optional(),
    /** Where words in it come from that nobody here wrote. */
    untrusted: z.string().optional(),
    /** The sandbox that a command ran in; `none`: it ran with the rights of Cadre's user. */
    sandbox: z.string().optional(),
    /** Nothing ran: this result of another run stands in for it. */
    recorded: z.object({ runId: z.string(), seq: z.int() }).optional(),
    ms: z.number().optional(),
  }),
  OUTCOME_DECIDED: z.object({
    toolCallId: z.string(),
    attempt: Attempt,
    verdict: z.enum(["happened", "run_again", "fail"]),
    by: z.string(),
    output: z.string().optional(),
    note: Note,
  }),
  /** PB1: what a look found of a call whose outcome nobody knows. It proposes; a person decides. */
  OUTCOME_PROBED: z.object({
    toolCallId: z.string(),
    attempt: Attempt,
    found: z.enum(["done", "not_done", "cannot_tell"]),
    /** Sentences that say what was seen, and why that is no more. */
    evidence: z.array(z.string()),
    by: z.string(),
  }),
  RUN_SUSPENDED: z.object({
    waitingOn: WaitingOn,
    blockers: z.array(z.string()).optional(),
    blocked_by_child_run_id: z.string().optional(),
  }),
  RUN_RESUMED: z.object({
    by: z.string(),
    note: Note,
    /** A person does not wait for the time that the provider named (U45). */
    atOnce: z.literal(true).optional(),
  }),
  CHILD_RUN_STARTED: z.object({
    child_run_id: z.string(),
    agent_type: z.string(),
    task: z.string(),
    trigger: Trigger,
    key: z.string(),
    attempt: Attempt,
    /** False: the call has its result already; the child's end arrives as a message. */
    awaited: z.literal(false).optional(),
    /** Attempts that are left if this one fails. */
    retries: z.int().positive().optional(),
    worktree: Worktree.optional(),
    /** Marks the child's words in the prompt as somebody else's: it cannot know this, so it cannot end the mark. */
    nonce: z.string().optional(),
    receipt: Receipt,
  }),
  CHILD_RUN_COMPLETED: z.object({
    child_run_id: z.string(),
    success: z.boolean(),
    summary: z.string(),
    key: z.string(),
    result: ResultEnvelope,
    usage: Usage.optional(),
    cost: z.number().nullable().optional(),
    untrusted: Untrusted,
  }),
  TEAM_ROUND_STARTED: z.object({ round: z.int().positive(), members: z.array(z.string()) }),
  TEAM_MESSAGE: z.object({
    round: z.int().positive(),
    index: z.int(),
    from: z.string(),
    text: z.string(),
    /** Said by the team itself: this member takes no further part. */
    dropped: z.string().optional(),
  }),
  TEAM_VOTE: z.object({
    round: z.int().positive(),
    from: z.string(),
    ready: z.boolean(),
    reason: z.string(),
  }),
  RUNNER_STARTED: RunnerStarted,
  RUNNER_SAID: RunnerSaid,
  RUNNER_SPENT: RunnerSpent,
  STEP_YIELDED: z.object({
    index: z.int().nonnegative(),
    kind: z.string(),
    arguments: z.unknown(),
    answer: z.unknown(),
  }),
  CONTEXT_COMPACTED: z.object({
    callId: z.string(),
    upTo: z.object({ runId: z.string(), seq: z.int() }),
    summary: z.string(),
  }),
  LIMIT_REACHED: z.object({
    limit: z.string(),
    value: z.number(),
    hard: z.boolean(),
    /** The item under which a person may raise it (`limits.onBudget: suspend`). */
    itemId: z.string().optional(),
  }),
  TIMER_SET: z.object({ id: z.string(), at: z.number(), purpose: z.string() }),
  TIMER_FIRED: z.object({ id: z.string() }),
  CANCEL_REQUESTED: z.object({
    by: z.string(),
    reason: z.string().optional(),
    /** The run above whose cancel or end this comes from. */
    via: z.string().optional(),
  }),
  RUN_CANCELLED: Ended,
  /** E7: it goes on in another store. With what stood beside its journal, which goes along. */
  RUN_MOVED: z.object({ transferId: z.string(), standing: UnjournaledState.optional() }),
  SYSTEM_ERROR: z.object({ id: z.string(), code: z.string(), message: z.string(), fatal: z.boolean() }),
  RUN_COMPLETED: Ended,
  RUN_FAILED: Ended,
} as const;

export type EventType = keyof typeof payloads;
export type Payload<T extends EventType> = z.infer<(typeof payloads)[T]>;

/** An event before it has its place in a journal. */
export type EventBody = { [T in EventType]: { type: T; payload: Payload<T>; key?: string } }[EventType];

/** An event in its place. */
export type JournalEvent = {
  [T in EventType]: {
    runId: string;
    seq: number;
    position: number;
    ts: number;
    type: T;
    key: string;
    payload: Payload<T>;
  };
}[EventType];

export type EventOf<T extends EventType> = Extract<JournalEvent, { type: T }>;

/** E5: brings a run further. What recovery writes about a lost call does not, or a run that kills its process would never be set aside. */
export const isProgress = (event: EventBody | JournalEvent): boolean =>
  OUTCOME_TYPES.has(event.type) &&
  !(event.type === "MODEL_CALL_FAILED" && event.payload.cause === "interrupted");
