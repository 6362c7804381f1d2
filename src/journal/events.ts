// The vocabulary of Cadre: every event that a run's journal can hold, with its schema and its type.
//  - A payload leaves out fields that have their default value, so that a step costs few bytes.
//  - Code branches on types, enums and tags, never on the wording of a text field. A text field is for people and models.
//  - An intent (`MODEL_CALL_STARTED`, `TOOL_STARTED`, `CHILD_RUN_STARTED`) is written before an effect, an outcome after it.

import { z } from "zod";
import { assertNever } from "../errors.ts";
import { Attachment } from "./attachment.ts";
import { BlastRadius } from "./blast-radius.ts";
import { ContextMode, Effect, Limits, RunRules } from "./definition.ts";
import { ThoughtPart, Usage } from "./message.ts";
import {
  Ancestor,
  ApprovalPolicy,
  BackgroundFacts,
  Budget,
  Environment,
  Estimate,
  FileChange,
  FileChanges,
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

export {
  Ancestor,
  ApprovalPolicy,
  BackgroundFacts,
  Budget,
  ChangedPath,
  Environment,
  Estimate,
  FileChange,
  FileChanges,
  FileVersion,
  FirstCause,
  Fork,
  ResultEnvelope,
  RUN_STATUSES,
  RunnerStarted,
  RunStatus,
  Spent,
  StopReason,
  TeamSlot,
  TeamTurn,
  Trigger,
  UnjournaledState,
  Unmerged,
  WAITING_KINDS,
  WaitingOn,
  Worktree,
} from "./run.ts";

/** D5: the number of agents that a message has passed through. Absent for a message from a person or from Cadre. */
const Hops = z.int().positive().optional();
const Attempt = z.int().positive().optional();
const Note = z.string().optional();
/** Images and PDFs that belong to a message or a result. */
const Attachments = z.array(Attachment).optional();
/** The untrusted sources (web pages, MCP servers, senders) whose text this value might repeat. Absent if there are none. */
const Untrusted = z.array(z.string()).optional();
/** SHA-256 of an approved call's name and input. It is recorded at the approval and again at the start of the call, for comparison. */
const Receipt = z.string().optional();
/**
 * Purpose of a model call. `turn` and `final` are turns of the agent.
 * The other purposes serve the runtime. `summary` compacts the run's own prompt. `brief` summarizes the conversation for a child.
 * A call for `judge` picks one of several drafts. A call for `repair` fixes an answer that does not match its schema.
 */
const Purpose = z.enum(["turn", "final", "summary", "brief", "judge", "repair"]);
export type Purpose = z.infer<typeof Purpose>;

/**
 * The basis of a verdict. Absent if a permission rule decided, or the default `allow`.
 * `grant`: a person's grant decided. `default`: the default is to ask. `taint`: the run has read untrusted text.
 * `hook`: a hook of the project decided. `recorded`: the call gets a recorded result of another run.
 * `impossible`: the call cannot be made. `unasked`: an external program made the call without asking.
 */
export const RuleBasis = z.enum(["grant", "default", "taint", "hook", "recorded", "impossible", "unasked"]);
export type RuleBasis = z.infer<typeof RuleBasis>;

/** The moments of a run at which a project's hooks run. The names are Claude Code's. */
export const HookEvent = z.enum([
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "SubagentStart",
  "Stop",
  "SubagentStop",
]);
export type HookEvent = z.infer<typeof HookEvent>;

/**
 * Fingerprint of a prompt. Providers cache a prompt from its beginning: tools, system prompt, messages.
 * `broke` is the first part that differs from the run's previous prompt. From that part on, the cache was not used.
 */
const PromptPrefix = z.object({
  tools: z.string(),
  system: z.string(),
  messages: z.object({ count: z.int(), digest: z.string() }),
  /** The older files that were left out, because later files need the space. Absent if there are none. */
  files: z.string().optional(),
  broke: z.enum(["tools", "system", "messages", "files"]).optional(),
});
export type PromptPrefix = z.infer<typeof PromptPrefix>;

const Ended = z.object({
  stopReason: StopReason,
  summary: z.string(),
  output: z.unknown().optional(),
  result: ResultEnvelope,
  /** Usage of the run and of all runs below it. Absent if the run has no children. */
  tree: Spent.optional(),
  /** Ids of messages that arrived too late to be shown to the model (J11). */
  unseen: z.array(z.string()).optional(),
  untrusted: Untrusted,
});

/** A file that the model has seen, with the fingerprint of that content. */
const SeenFile = z.object({ path: z.string(), fingerprint: z.string() });

export const payloads = {
  /** The first event of every journal. */
  RUN_STARTED: z.object({
    agent: z.string(),
    /** Hash of the blob that holds the pinned definition. */
    definition: z.string(),
    kind: z.enum(["main", "subagent"]),
    depth: z.int().nonnegative(),
    trigger: Trigger,
    task: z.string(),
    input: z.unknown().optional(),
    /** The person's original input, if `input` is the output of an earlier stage. Null if the person gave no input. */
    requestInput: z.unknown().optional(),
    mode: z.enum(["auto", "chat"]),
    attended: z.boolean(),
    rootRunId: z.string(),
    parentRunId: z.string().optional(),
    parentKey: z.string().optional(),
    /** Why a pattern started the run, in words for people: the router's reason, or `handoff from drafter`. */
    reason: z.string().optional(),
    /** The team's round in which this run takes part, as a member or as a later stage of a member's handoff. */
    team: TeamSlot.optional(),
    /** The runs above this one, from the root down to the parent. */
    ancestors: z.array(Ancestor).optional(),
    /** Success criteria and files that the parent added to the task. */
    criteria: z.string().optional(),
    contextFiles: z.array(z.string()).optional(),
    attachments: Attachments,
    /** The root run whose budget pays for this run. Present only if it is not the root of this run's own tree. */
    budgetRunId: z.string().optional(),
    hops: Hops,
    sessionId: z.string().optional(),
    userId: z.string().optional(),
    /** The agent whose message started the run. */
    from: z.string().optional(),
    /** The user who started the run, if that is not its owner (`userId`). */
    by: z.string().optional(),
    /** Model that the caller asked for instead of the agent's own. */
    model: z.string().optional(),
    workspace: z.string(),
    /** The environment in which the tree's first run started. All prompts of the tree describe this environment, so that they begin with the same text. */
    environment: Environment.optional(),
    worktree: Worktree.optional(),
    pool: z.string().optional(),
    /** Workspaces from which this workspace was copied, nearest first. Their deny rules apply here too (P12). */
    mergesInto: z.array(z.string()).optional(),
    limits: Limits,
    /** The turn limit in the agent's file, if the parent's call lowered the limit. The system prompt names this value, so that siblings share a cached prompt. */
    ownMaxTurns: z.int().positive().optional(),
    approvals: ApprovalPolicy,
    /** Permission rules that the caller added when starting the run. */
    permissions: RunRules.optional(),
    /** Models without a known price, which `maxCost` does not limit (`onUnknownPrice: allow`). */
    unpriced: z.array(z.string()).optional(),
    /** Id of the message that became the task, if its sender chose an idempotency key. */
    messageId: z.string().optional(),
    /** The run that this run continues. The earlier run's journal applies up to and including the event `seq`. */
    continues: z.object({ runId: z.string(), seq: z.int(), hash: z.string() }).optional(),
    fork: Fork.optional(),
    /** Set in a fork and in all runs below it: every unsafe call needs a person's approval, even if a rule or an older grant allows the call. */
    effects: z.literal("ask").optional(),
    untrusted: Untrusted,
    /** The words that the person typed, if `task` is the text of a command that these words name. */
    typed: z.string().optional(),
    /** Hosts that the parent run knew before any untrusted text reached it. */
    hosts: z.array(z.string()).optional(),
    /** Tools whose calls need a person's approval here, because the tainted run that chose this agent does not have them (P14). */
    asks: z.array(z.string()).optional(),
  }),
  /** A message to the agent. The model sees it with its next turn. */
  CONTEXT_ADDED: z.object({
    id: z.string(),
    source: z.enum(["person", "parent", "agent", "advice", "team", "steps", "system"]),
    from: z.string().optional(),
    text: z.string(),
    /** The words that the person typed, if `text` is the text of a command that these words name. */
    typed: z.string().optional(),
    /** True if this text contains the task and the advice on it. The model reads this text instead of the task. */
    opening: z.literal(true).optional(),
    attachments: Attachments,
    hops: Hops,
    untrusted: Untrusted,
    /** The background command that a message from Cadre is about. */
    background: BackgroundFacts.optional(),
  }),
  /** Intent: Cadre is about to call a model. */
  MODEL_CALL_STARTED: z.object({
    callId: z.string(),
    model: z.string(),
    attempt: Attempt,
    purpose: Purpose.optional(),
    /** The last event that the model sees. If absent, the model sees everything before MODEL_CALL_STARTED (J11). */
    sawSeq: z.int().optional(),
    /** The tokens and the cost that this call reserves. If there is no budget, they are estimates. A call that is lost in a crash is charged this amount. */
    estimate: Estimate.optional(),
    /** The tokens and the cost that are also reserved for the run's last turn (B3). They assume the longest possible answer to this call. */
    lastTurn: Estimate.optional(),
    /** The output limit that the call is sent with, so that it cannot exceed its reservation. */
    maxOutputTokens: z.int().optional(),
    /** Estimated tokens that were left out of the newest tool results, so that the prompt fits the budget. */
    shortenedBy: z.int().optional(),
  }),
  /** Outcome: the model answered, with text, reasoning and tool calls. */
  AGENT_THOUGHT: z.object({
    callId: z.string(),
    attempt: Attempt,
    content: z.array(ThoughtPart),
    usage: Usage,
    /** Cost in US dollars. Null if this model has no known price. */
    cost: z.number().nullable(),
    finish: z.string(),
    /** True if the provider paused a long answer. The next call continues the answer. */
    paused: z.literal(true).optional(),
    /** True if the output limit cut an answer that is only text. The next call continues the answer. */
    cut: z.literal(true).optional(),
    ms: z.number(),
    /** Fingerprint of the prompt. Absent for scripted models and external programs, which cache nothing. */
    prefix: PromptPrefix.optional(),
    /** The tokens and the cost that are now reserved for the run's last turn, if the run or its tree has a budget (B3). */
    lastTurn: Estimate.optional(),
  }),
  /** Outcome: the attempt ended without an answer. */
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
      "empty",
      "output_cap",
      "unreadable",
      "too_long",
      "rejected",
      "refused",
      "auth",
      "model",
    ]),
    message: z.string(),
    /** Why the provider rejected the request, if known: the account has no credit left, or something in the request is invalid. Older versions also wrote `too_long`, which is now a cause. */
    rejection: z.enum(["quota", "invalid", "too_long"]).optional(),
    /** For `too_long`: the maximum number of tokens of a prompt, and the number of tokens of this prompt, if the provider named them. */
    window: z.int().positive().optional(),
    promptTokens: z.int().positive().optional(),
    /** When the next attempt is due. Absent if it is due immediately, or if there is no further attempt. */
    retryAt: z.number().optional(),
    /** When this model may be tried again after an outage. In the meantime, the other models of the chain are tried. */
    backAt: z.number().optional(),
    /** The model of the next attempt, if all models failed and another one may be back first. */
    retryWith: z.string().optional(),
    /** Tokens that were spent, or might have been spent. */
    usage: Usage.optional(),
    cost: z.number().nullable().optional(),
    ms: z.number().optional(),
  }),
  /** Cadre judged a tool call: it is allowed, denied, or needs a person's approval. */
  TOOL_PROPOSED: z.object({
    toolCallId: z.string(),
    name: z.string(),
    effect: Effect,
    /** P4: the effect class after a crash of a shell command that can be repeated, such as a test. If absent, `effect` applies. */
    afterCrash: Effect.exclude(["unsafe"]).optional(),
    verdict: z.enum(["allow", "ask", "deny"]),
    /** The rule that decided the verdict, with its origin: `project deny Bash(rm *)`. This text is for people; code reads `basis`. */
    rule: z.string(),
    basis: RuleBasis.optional(),
    /** Set if the call was denied because no person could be asked. With `fail`, the run fails too. */
    unattended: z.enum(["reject", "fail"]).optional(),
    /** Why Cadre could not judge a shell command, in words for people. */
    unjudged: z.string().optional(),
    /** The host and port that the call would contact, if its input names one. */
    host: z.string().optional(),
    /** A protected file that the call concerns. On a server with users, only an admin approves such a call. */
    protected: z.string().optional(),
    /** How often a person was asked about this call. A person is asked again if the files or rules have changed. */
    round: z.int().positive().optional(),
    /** How much of the parent's conversation the child will see, if the call is a delegation. */
    context: ContextMode.optional(),
    /** Only for a call by the agent's module: its input, and whether the call is hidden from the model. */
    input: z.unknown().optional(),
    hidden: z.literal(true).optional(),
    /** Hash of the call, the definition, the permissions and the fingerprint. An approval is valid only for this hash. */
    hash: z.string().optional(),
    /** Fingerprint of the affected files when the preview was made. */
    fingerprint: z.string().optional(),
    preview: z.string().optional(),
    expiresAt: z.number().optional(),
    /** The untrusted sources that the run has read. Present only if a person is asked about the call. */
    untrusted: Untrusted,
    /** The possible actions of the started agents. Present if a delegation or route needs approval. */
    blastRadius: BlastRadius.optional(),
  }),
  /** A person answered an open item, or its time ran out. */
  APPROVAL_DECIDED: z.object({
    itemId: z.string(),
    decision: z.enum(["approve", "edit", "reject", "answer", "expire"]),
    by: z.string(),
    /** The flag `--yes` approved the item, so no person was asked. */
    automatic: z.literal(true).optional(),
    note: Note,
    answer: z.string().optional(),
    /** True if the person picked one of the answers that the model offered. The hosts in it are the model's words. */
    picked: z.literal(true).optional(),
    /** Id of the person's message in the session, if the person answered with a message. */
    messageId: z.string().optional(),
    input: z.unknown().optional(),
    /** The raised budget. With scope `tree` it applies to all runs of the tree, otherwise to this run. */
    limits: Budget.optional(),
    scope: z.enum(["once", "run", "tree", "always"]).optional(),
    /** A protected file that the approved call concerns. On a server with users, only an admin approves such a call. */
    protected: z.string().optional(),
    /** The granted rule, the folder in which it applies (absent: any folder), and its expiry. Present if the scope is wider than `once`. */
    grant: z.string().optional(),
    folder: z.string().optional(),
    until: z.number().optional(),
    hash: z.string().optional(),
    receipt: Receipt,
  }),
  /** A named person was asked to decide an item. The item stays open, and everyone with permission can decide it (U21). */
  PERSON_ASKED: z.object({ itemId: z.string(), person: z.string(), by: z.string(), note: Note }),
  /** A person changed the budget of this run. With scope `tree`, the change applies to all runs that share the root's budget. */
  BUDGET_SET: z.object({ limits: Budget, scope: z.literal("tree").optional(), by: z.string() }),
  /** Intent: Cadre is about to run a tool. */
  TOOL_STARTED: z.object({
    toolCallId: z.string(),
    attempt: Attempt,
    /** The machine and process that run the call, unless its effect is `read`. They help a person to find out whether the call took effect. */
    host: z.string().optional(),
    pid: z.int().optional(),
    /** The folder in which the machine notes when a call begins and how it ends. After a crash, a note can make a person's decision unnecessary. */
    notes: z.string().optional(),
    /** Fingerprints of the file before and after the first attempt. They show a later attempt that the change is already made. */
    fingerprints: z.object({ path: z.string(), before: z.string(), after: z.string() }).optional(),
    receipt: Receipt,
  }),
  /** Outcome: the result of a call. Calls that were denied or never started have a result too. */
  TOOL_RESULT: z.object({
    toolCallId: z.string(),
    attempt: Attempt,
    output: z.unknown(),
    isError: z.literal(true).optional(),
    outcome: z.enum(["ok", "error", "denied", "deferred", "stale", "unknown", "not_started"]).optional(),
    /** Hash of the blob with the whole output, if `output` holds only its head and tail. */
    ref: z.string().optional(),
    size: z.int().optional(),
    attachments: Attachments,
    files: z.array(FileChange).optional(),
    /** Every change of a file that was found after the call, with the earlier versions, for `cadre undo`. */
    changes: FileChanges.optional(),
    /** The file that the model has just read, with the fingerprint of its content. */
    seen: SeenFile.optional(),
    /** Files that the model had read, and that this command has changed. */
    ownChanges: z.array(SeenFile).optional(),
    /** Files with instructions for this part of the project. Their text is at the end of the output. */
    told: z.array(z.string()).optional(),
    /** The untrusted source from which text in the output comes. */
    untrusted: z.string().optional(),
    /** The sandbox that the command ran in. `none`: it ran with the rights of Cadre's user. */
    sandbox: z.string().optional(),
    /** A background command that the call started, read or ended. */
    background: BackgroundFacts.optional(),
    /** Set if the tool did not run, because the call got a recorded result. Names the event of the other run with that result. */
    recorded: z.object({ runId: z.string(), seq: z.int() }).optional(),
    ms: z.number().optional(),
  }),
  /** Intent: Cadre is about to run the hooks of one moment of the run. They run at the same time. */
  HOOKS_STARTED: z.object({
    id: z.string(),
    event: HookEvent,
    toolCallId: z.string().optional(),
    commands: z.array(z.string()),
  }),
  /** Outcome: the answer of the hooks of one moment. It is recorded before it takes effect, and the hooks of this moment never run again. */
  HOOKS_ENDED: z.object({
    id: z.string(),
    event: HookEvent,
    toolCallId: z.string().optional(),
    /** The verdict of hooks before a call is `allow`, `ask` or `deny`. The verdict of other hooks is `block`. Absent if the hooks have no objection. */
    decision: z.enum(["allow", "ask", "deny", "block"]).optional(),
    reason: z.string().optional(),
    /** True if a crash or a stop of the run cut off the hooks. Nothing is known about their effects. */
    interrupted: z.literal(true).optional(),
    runs: z.array(
      z.object({
        command: z.string(),
        code: z.int().optional(),
        /** Why the command gave no usable answer. */
        problem: z.string().optional(),
        /** The beginning of the command's output. */
        output: z.string().optional(),
        ms: z.number(),
      }),
    ),
  }),
  /**
   * A person said whether a call with an unknown outcome took effect.
   * If the machine's notes show that the call had not begun, the driver decides (`by: cadre`).
   */
  OUTCOME_DECIDED: z.object({
    toolCallId: z.string(),
    attempt: Attempt,
    verdict: z.enum(["happened", "run_again", "fail"]),
    by: z.string(),
    output: z.string().optional(),
    note: Note,
  }),
  /** PB1: a probe looked for the effect of a call with an unknown outcome. The probe suggests an answer; a person decides. */
  OUTCOME_PROBED: z.object({
    toolCallId: z.string(),
    attempt: Attempt,
    found: z.enum(["done", "not_done", "cannot_tell"]),
    /** Sentences for people: what the probe saw, and what it cannot prove. */
    evidence: z.array(z.string()),
    by: z.string(),
  }),
  /** The run gave its lease back and waits. If the wait needs no person, it ends by itself. */
  RUN_SUSPENDED: z.object({
    waitingOn: WaitingOn,
    /** Runs below this run that need a person. `blocked_by_child_run_id` is the child of this run that leads to the first of them. */
    blockers: z.array(z.string()).optional(),
    blocked_by_child_run_id: z.string().optional(),
  }),
  RUN_RESUMED: z.object({
    by: z.string(),
    note: Note,
    /** A person asked for an immediate retry, instead of waiting for the time that the provider named (U45). */
    atOnce: z.literal(true).optional(),
  }),
  /** Intent: a child run exists. Written in the same transaction as the child's own first event. */
  CHILD_RUN_STARTED: z.object({
    child_run_id: z.string(),
    agent_type: z.string(),
    task: z.string(),
    trigger: Trigger,
    key: z.string(),
    attempt: Attempt,
    /** False if the call already has a result. The parent then receives the child's result later, as a message. */
    awaited: z.literal(false).optional(),
    /** Number of attempts left if this attempt fails. */
    retries: z.int().positive().optional(),
    worktree: Worktree.optional(),
    /** Part of the tag around the child's text in the parent's prompt. The child cannot know this part, so its text cannot close the tag. */
    nonce: z.string().optional(),
    receipt: Receipt,
  }),
  /** Outcome: a child has ended or was quarantined. A quarantined child counts as failed. The store writes this event together with the child's end. */
  CHILD_RUN_COMPLETED: z.object({
    child_run_id: z.string(),
    success: z.boolean(),
    /** The child has not ended. It was quarantined, because Cadre could not run it or read its journal. */
    quarantined: z.literal(true).optional(),
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
    /** A notice from the team itself, not from a member: this member no longer takes part. */
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
  /** A step of the agent's module was answered. When the module is replayed, the step returns the same answer. */
  STEP_YIELDED: z.object({
    index: z.int().nonnegative(),
    kind: z.string(),
    arguments: z.unknown(),
    answer: z.unknown(),
  }),
  /**
   * In the prompt, a summary replaces the first `messages` messages, except the task and messages of people. The journal keeps the events.
   * If `people` is set, the summary replaces messages of people too, because nothing else could be made shorter. The first message and the task stay.
   * The `facts` come from the journal and follow the summary: the to-do list, decisions of people, files, and results to read again.
   * The field `untrusted` names the sources of untrusted text that the summary can contain.
   */
  CONTEXT_COMPACTED: z.object({
    callId: z.string(),
    messages: z.int().positive().optional(),
    people: z.literal(true).optional(),
    /** Older versions wrote this instead of `messages`: the summary replaces the messages up to this event. */
    upTo: z.object({ runId: z.string(), seq: z.int() }).optional(),
    summary: z.string(),
    facts: z.string().optional(),
    untrusted: Untrusted,
  }),
  /**
   * In the prompt, each earlier tool result with more than `results` characters loses its middle. The journal keeps the whole texts.
   * The field `texts` is the same limit for messages, answers and inputs of calls. It is set only if shorter results are not enough.
   * If `files` is set, the names of the oldest `count` files replace these files: the prompt is too long, or the provider rejected it.
   * If `cleared` is set, a note replaces each tool result with more than `longer` characters in the first `messages` messages.
   * If `readable` is set, that note names the result, because the agent has a tool that can read it again.
   * If `thoughts` is set, the signed or encrypted thoughts in these messages are left out too.
   */
  CONTEXT_CLIPPED: z.object({
    index: z.int().positive(),
    results: z.int().positive().optional(),
    texts: z.int().positive().optional(),
    files: z.object({ count: z.int().positive(), why: z.enum(["too_long", "rejected"]) }).optional(),
    cleared: z
      .object({
        messages: z.int().positive(),
        longer: z.int().positive(),
        readable: z.literal(true).optional(),
        thoughts: z.literal(true).optional(),
      })
      .optional(),
  }),
  LIMIT_REACHED: z.object({
    limit: z.string(),
    value: z.number(),
    /** False if this is a warning that most of the limit is used. */
    hard: z.boolean(),
    /** Id of the inbox item in which a person can raise the limit (`limits.onBudget: suspend`). */
    itemId: z.string().optional(),
    /** Set if a budget stopped a call: the amounts that are spent, that are kept for the last turns of other runs, and that the call would have needed. */
    used: z.number().optional(),
    kept: z.number().optional(),
    needs: z.number().optional(),
    /** The budget that does not cover the last turn, if `limit` is `finalTurn`. */
    budget: z.string().optional(),
  }),
  TIMER_SET: z.object({ id: z.string(), at: z.number(), purpose: z.string() }),
  TIMER_FIRED: z.object({ id: z.string() }),
  CANCEL_REQUESTED: z.object({
    by: z.string(),
    reason: z.string().optional(),
    /** The run higher up in the tree whose cancellation or end caused this event. */
    via: z.string().optional(),
  }),
  RUN_CANCELLED: Ended,
  /** E7: the run was moved to another store, together with the state that is kept outside its journal. */
  RUN_MOVED: z.object({ transferId: z.string(), standing: UnjournaledState.optional() }),
  SYSTEM_ERROR: z.object({ id: z.string(), code: z.string(), message: z.string(), fatal: z.boolean() }),
  RUN_COMPLETED: Ended,
  RUN_FAILED: Ended,
} as const;

export type EventType = keyof typeof payloads;
export type Payload<T extends EventType> = z.infer<(typeof payloads)[T]>;

/** An event that is not stored in a journal yet. */
export type EventBody = { [T in EventType]: { type: T; payload: Payload<T>; key?: string } }[EventType];

/** Says which value of an event has the wrong type. Undefined if the event can be read again. */
export function payloadProblem({ type, payload }: EventBody): string | undefined {
  const { error } = payloads[type].safeParse(payload);
  if (!error) return undefined;
  const [{ path, message }] = error.issues as [z.core.$ZodIssue];
  return `\`${path.join(".")}\` cannot be used: ${message}.`;
}

/** An event in a journal. `seq` is its number in the run, `position` its number in the whole store. */
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

export const TERMINAL_TYPES: ReadonlySet<string> = new Set([
  "RUN_COMPLETED",
  "RUN_FAILED",
  "RUN_CANCELLED",
  "RUN_MOVED",
]);

/** J3: while an intent is open, the store accepts its outcome from any driver, even from a driver that lost its lease. */
export const OUTCOME_TYPES: ReadonlySet<string> = new Set([
  "AGENT_THOUGHT",
  "MODEL_CALL_FAILED",
  "TOOL_RESULT",
]);

/** True if a model call with this purpose is a turn of the agent. Calls for other purposes serve the runtime itself. */
export const isTurn = (purpose: string | undefined): boolean =>
  purpose === undefined || purpose === "turn" || purpose === "final";

/**
 * E5: whether an event counts as progress of the run.
 * Recovery's `interrupted` outcome does not count. Otherwise a run that always crashes its process would never be quarantined.
 */
export const isProgress = (event: EventBody | JournalEvent): boolean =>
  OUTCOME_TYPES.has(event.type) &&
  !(event.type === "MODEL_CALL_FAILED" && event.payload.cause === "interrupted");

/** Names of the blobs that an event refers to: the pinned definition, the whole output of a tool, and attached files. */
export function referencedBlobs(event: JournalEvent): readonly string[] {
  const attached = attachmentsOf(event);
  const files = attached.length === 0 ? NONE : attached.map(({ blob }) => blob);
  if (event.type === "RUN_STARTED") return [event.payload.definition, ...files];
  if (event.type !== "TOOL_RESULT") return files;
  const { ref, changes } = event.payload;
  if (ref === undefined && !changes) return files;
  return [...(ref === undefined ? [] : [ref]), ...files, ...keptVersions(changes)];
}

const NONE: readonly never[] = [];

const keptVersions = (changes: FileChanges | undefined): string[] =>
  (changes?.paths ?? []).flatMap(({ before }) => (before?.kind === "file" ? [before.blob] : []));

/** The images and PDFs that belong to an event. */
export const attachmentsOf = ({ payload }: JournalEvent): readonly Attachment[] =>
  ("attachments" in payload && payload.attachments) || NONE;

/**
 * The key of an event, unique in its run (J1). The store recognises a repeated append by its key, so a retry after a lost response writes nothing twice.
 * All outcomes of an intent share one key, so an intent has at most one outcome (J3).
 * The writer chooses the key of an event that can occur any number of times. All other keys are derived from the payload.
 */
export function keyOf(event: EventBody): string {
  if (event.key !== undefined) return event.key;
  switch (event.type) {
    case "RUN_STARTED":
      return "start";
    case "CONTEXT_ADDED":
      return `context/${event.payload.id}`;
    case "MODEL_CALL_STARTED":
      return `${keyOfAttempt(event.payload.callId, event.payload.attempt)}/s`;
    case "AGENT_THOUGHT":
    case "MODEL_CALL_FAILED":
      return `${keyOfAttempt(event.payload.callId, event.payload.attempt)}/e`;
    case "TOOL_PROPOSED":
      return `${keyOfAttempt(event.payload.toolCallId, event.payload.round)}/p`;
    case "APPROVAL_DECIDED":
      return `${event.payload.itemId}/d`;
    case "TOOL_STARTED":
      return `${keyOfAttempt(event.payload.toolCallId, event.payload.attempt)}/s`;
    case "TOOL_RESULT":
      return `${event.payload.toolCallId}/e`;
    case "HOOKS_STARTED":
      return `hooks/${event.payload.id}/s`;
    case "HOOKS_ENDED":
      return `hooks/${event.payload.id}/e`;
    case "OUTCOME_DECIDED":
      return `${keyOfAttempt(event.payload.toolCallId, event.payload.attempt)}/o`;
    case "CHILD_RUN_STARTED":
      return `${event.payload.child_run_id}/s`;
    case "CHILD_RUN_COMPLETED":
      return `${event.payload.child_run_id}/e`;
    case "TEAM_ROUND_STARTED":
      return `round/${event.payload.round}`;
    case "TEAM_MESSAGE":
      return `round/${event.payload.round}/${event.payload.from}/${event.payload.index}`;
    case "TEAM_VOTE":
      return `round/${event.payload.round}/${event.payload.from}/vote`;
    case "RUNNER_STARTED":
      return `${keyOfAttempt(event.payload.callId, event.payload.attempt)}/runner`;
    case "RUNNER_SAID":
      return `${event.payload.callId}/said/${event.payload.index}`;
    case "RUNNER_SPENT":
      return `${event.payload.callId}/spent/${event.payload.index}`;
    case "STEP_YIELDED":
      return `step/${event.payload.index}`;
    case "CONTEXT_COMPACTED":
      return `${event.payload.callId}/compacted`;
    case "CONTEXT_CLIPPED":
      return `clip/${event.payload.index}`;
    case "TIMER_SET":
      return `timer/${event.payload.id}/set`;
    case "TIMER_FIRED":
      return `timer/${event.payload.id}/fired`;
    case "LIMIT_REACHED":
      return `limit/${event.payload.itemId ?? `${event.payload.limit}/${event.payload.hard ? "hard" : "soft"}`}`;
    case "SYSTEM_ERROR":
      return `error/${event.payload.id}`;
    case "CANCEL_REQUESTED":
      return "cancel";
    case "RUN_MOVED":
      return "moved";
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED":
      return "end";
    case "RUN_SUSPENDED":
    case "RUN_RESUMED":
    case "PERSON_ASKED":
    case "OUTCOME_PROBED":
    case "BUDGET_SET":
      throw new Error(`${event.type} needs a key from its writer, because it can happen any number of times`);
    default:
      return assertNever(event);
  }
}

const keyOfAttempt = (id: string, attempt: number | undefined): string =>
  attempt === undefined || attempt === 1 ? id : `${id}~${attempt}`;
