// What goes over the wire, once: the server checks requests with these schemas, the client and the dashboard take their
// types from them. Requests are strict: a word that we do not know is a mistake, never ignored (A16, A59). Answers may
// gain fields.

import { z } from "zod";
import { AgentLimits, Limits, Rules } from "../journal/definition.ts";
import type { Delta } from "../journal/deltas.ts";
import {
  type JournalEvent,
  ResultEnvelope,
  RunStatus,
  StopReason,
  Trigger,
  WaitingOn,
} from "../journal/events.ts";
import type { PromptMessage } from "../journal/message.ts";
import { APPROVAL_KINDS } from "../projections/approvals.ts";
import { searchWords } from "../projections/search-words.ts";
import { Todos } from "../projections/todos.ts";

/** What a run may be called by: its id, or the beginning of it if no other id begins so. */
export const MIN_PREFIX = 6;
export const MAX_PAGE = 500;

// Requests

const StartLimits = z.strictObject({
  ...AgentLimits.shape,
  tree: AgentLimits.shape.tree.unwrap().strict().exactOptional(),
});

export const StartRun = z.strictObject({
  agent: z.string().min(1),
  task: z.string().min(1),
  input: z.unknown().exactOptional(),
  mode: z.enum(["auto", "chat"]).exactOptional(),
  /** Somebody is there to answer. */
  attended: z.boolean().exactOptional(),
  sessionId: z.string().min(1).exactOptional(),
  limits: StartLimits.exactOptional(),
  permissions: Rules.strict().exactOptional(),
  /** Files of the workspace that the task is about. */
  context_files: z.array(z.string().min(1).max(1_000)).max(50).exactOptional(),
});
export type StartRun = z.input<typeof StartRun>;

export const DecisionBody = z.strictObject({
  decision: z.enum(["approve", "edit", "reject", "answer"]),
  /** Only with `edit`: otherwise what was shown is what runs. */
  input: z.unknown().exactOptional(),
  answer: z.string().exactOptional(),
  note: z.string().exactOptional(),
  scope: z.enum(["once", "run", "tree", "always"]).exactOptional(),
  /** Milliseconds since the epoch. */
  until: z.int().positive().exactOptional(),
  limits: z
    .strictObject({
      maxTokens: z.int().positive().exactOptional(),
      maxCost: z.number().positive().exactOptional(),
    })
    .exactOptional(),
});
export type DecisionBody = z.input<typeof DecisionBody>;

export const OutcomeBody = z.strictObject({
  callId: z.string().min(1),
  verdict: z.enum(["happened", "run_again", "fail"]),
  output: z.string().exactOptional(),
  note: z.string().exactOptional(),
});
export type OutcomeBody = z.input<typeof OutcomeBody>;

export const CancelBody = z.strictObject({ reason: z.string().exactOptional() });
export const MessageBody = z.strictObject({ text: z.string().trim().min(1) });
export const EmptyBody = z.strictObject({});

// Queries. Everything in a URL is text.

export const Count = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number")
  .transform(Number);
const Flag = z.enum(["0", "1"]).transform((value) => value === "1");

export const RunsQuery = z.strictObject({
  /** One or several, with commas between them. */
  status: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(RunStatus))
    .exactOptional(),
  agent: z.string().min(1).exactOptional(),
  root: z.string().min(1).exactOptional(),
  parent: z.string().min(1).exactOptional(),
  session: z.string().min(1).exactOptional(),
  /** Words that stand in the run's journal, all of them, each as a word or as the beginning of one. */
  q: z
    .string()
    .max(200)
    .refine((text) => searchWords(text).length > 0, "must have a word in it")
    .exactOptional(),
  limit: Count.pipe(z.int().min(1).max(MAX_PAGE)).exactOptional(),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "must be the nextCursor of the page before")
    .exactOptional(),
});

export const EventsQuery = z.strictObject({
  /** A position: what comes after it is sent. */
  after: Count.exactOptional(),
  /** With all descendants. */
  tree: Flag.default(false),
  /** As a stream, whatever the Accept header says. */
  stream: Flag.default(false),
  /** The stream goes on after the run's last event. */
  follow: Flag.default(false),
});

export const FeedQuery = EventsQuery.pick({ after: true });

export const ApprovalsQuery = z.strictObject({
  status: z.literal("open").exactOptional(),
  run: z.string().min(1).exactOptional(),
});

export const UsageQuery = z.strictObject({
  /** A run: it and all its descendants. */
  root: z.string().min(1).exactOptional(),
  /** Milliseconds since the epoch: what happened before does not count. */
  since: Count.exactOptional(),
});

export const MessagesQuery = z.strictObject({
  session: z.string().min(1).exactOptional(),
  run: z.string().min(1).exactOptional(),
  role: z.string().min(1).exactOptional(),
  /** The id of a row: those that it brought about in other agents. */
  parent: Count.exactOptional(),
  limit: Count.pipe(z.int().min(1).max(MAX_PAGE)).exactOptional(),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "must be the nextCursor of the page before")
    .exactOptional(),
});
export type MessagesFilter = z.output<typeof MessagesQuery>;

export const NoQuery = z.strictObject({});

export interface RunsFilter {
  status?: readonly RunStatus[];
  agent?: string;
  root?: string;
  parent?: string;
  session?: string;
  q?: string;
  limit?: number;
  cursor?: string;
}

export interface UsageFilter {
  root?: string;
  since?: number;
}

// Answers

export const Health = z.object({
  version: z.string(),
  pid: z.int(),
  storeId: z.string(),
  folder: z.string(),
  startedAt: z.number(),
  /** True where this process drives runs; otherwise it only reads and appends. */
  drives: z.boolean(),
  /** The default model. */
  model: z.string(),
});
export type Health = z.infer<typeof Health>;

export const RunUsageView = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  cost: z.number(),
  unpriced: z.number(),
  modelCalls: z.number(),
  wastedCalls: z.number(),
  wastedCost: z.number(),
  toolCalls: z.number(),
  activeMs: z.number(),
});

export const RunSummary = z.object({
  id: z.string(),
  rootRunId: z.string(),
  parentRunId: z.string().optional(),
  /** What it was started for: the parent's call, or a seat in its pattern. */
  parentKey: z.string().optional(),
  agent: z.string(),
  definition: z.string(),
  kind: z.enum(["main", "subagent"]),
  depth: z.int(),
  trigger: Trigger,
  task: z.string(),
  mode: z.enum(["auto", "chat"]),
  attended: z.boolean(),
  sessionId: z.string().optional(),
  userId: z.string().optional(),
  workspace: z.string(),
  status: RunStatus,
  waitingOn: WaitingOn.optional(),
  stopReason: StopReason.optional(),
  summary: z.string().optional(),
  turns: z.int(),
  usage: RunUsageView,
  /** Somebody has cancelled it. Without `endedAt` it still has to be carried out: by who drives, or by the next who does. */
  cancelRequested: z.boolean(),
  /** Of the latest event. */
  seq: z.int(),
  createdAt: z.number(),
  startedAt: z.number().optional(),
  updatedAt: z.number(),
  endedAt: z.number().optional(),
});
export type RunSummary = z.infer<typeof RunSummary>;

/** A run and all below it. */
export const RunTree = RunSummary.extend({
  /** Of the run and all its descendants; each model call counts once. */
  treeUsage: RunUsageView,
  /** In the order in which they were started. */
  get children() {
    return z.array(RunTree);
  },
});
export type RunTree = z.infer<typeof RunTree>;

/** How far a cancel has come. */
export const Stopping = z.object({
  /** Runs that have ended since. */
  done: z.int(),
  /** Runs, this one and its descendants, that had not ended when it was asked for. */
  of: z.int(),
});
export type Stopping = z.infer<typeof Stopping>;

export const RunDetail = RunSummary.extend({
  input: z.unknown().optional(),
  limits: Limits,
  output: z.unknown().optional(),
  result: ResultEnvelope.optional(),
  /** Of the run and all its descendants; each model call counts once. */
  treeUsage: RunUsageView,
  /** In the order in which they were started. */
  children: z.array(RunSummary),
  /** Present while the run is being cancelled. */
  stopping: Stopping.optional(),
  /** The latest list that the agent has made of what is to do. */
  todos: Todos.optional(),
});
export type RunDetail = z.infer<typeof RunDetail>;

export const ApprovalView = z.object({
  id: z.string(),
  itemId: z.string(),
  kind: z.enum(APPROVAL_KINDS),
  runId: z.string(),
  rootRunId: z.string(),
  /** The agents from the root of the tree down to the one that asks. */
  path: z.array(z.string()),
  agent: z.string(),
  callId: z.string().optional(),
  tool: z.string().optional(),
  input: z.unknown().optional(),
  preview: z.string().optional(),
  rule: z.string().optional(),
  hash: z.string().optional(),
  host: z.string().optional(),
  pid: z.int().optional(),
  detail: z.string().optional(),
  /** Of a budget: which limit is used up; `tree.maxTokens` is that of the whole tree. */
  limit: z.string().optional(),
  /** Of a question: the answers that there are. */
  choices: z.array(z.string()).optional(),
  /** Whose words had come into the run that nobody here wrote. */
  untrusted: z.array(z.string()).optional(),
  round: z.int(),
  requestedAt: z.number(),
  expiresAt: z.number().optional(),
  /** The rule that a wider scope than `once` would grant; absent where it can only be given once. */
  grant: z.string().optional(),
});
export type ApprovalView = z.infer<typeof ApprovalView>;

export const GrantView = z.object({
  id: z.int(),
  rule: z.string(),
  /** `tree`: until the run that it was given in has ended. */
  scope: z.enum(["always", "tree"]),
  /** Where it counts, and in the worktrees of it; absent: anywhere. */
  folder: z.string().optional(),
  by: z.string(),
  at: z.number(),
  until: z.number().optional(),
  runId: z.string(),
});
export type GrantView = z.infer<typeof GrantView>;

export const LinkView = z.object({ url: z.string(), expiresAt: z.number() });
export type LinkView = z.infer<typeof LinkView>;

export const ProblemView = z.object({
  file: z.string(),
  line: z.int(),
  column: z.int(),
  code: z.string(),
  severity: z.enum(["error", "warning"]),
  message: z.string(),
  suggestion: z.string().optional(),
});

export const AgentView = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  /** Absent: the file is broken, and the problems say why. */
  kind: z.enum(["main", "subagent"]).optional(),
  models: z.array(z.string()),
  file: z.string(),
  problems: z.array(ProblemView),
});
export type AgentView = z.infer<typeof AgentView>;

export const Verification = z.object({
  ok: z.boolean(),
  /** Events that were read and found whole. */
  events: z.int(),
  /** Hash of the chain at the latest event. */
  head: z.string(),
  problem: z.string().optional(),
});
export type Verification = z.infer<typeof Verification>;

export interface TranscriptView {
  system: string;
  messages: PromptMessage[];
}

export const ErrorBody = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

// Streams. Journal events have no `event:` field; these have.

export const STREAM_EVENTS = {
  delta: "delta",
  /** The reader's place is not known here: everything follows from the beginning, forget what you have. */
  reset: "reset",
  /** The reader was too slow and is cut off: come again with the last id. */
  resync: "resync",
  /** What the server could not read, as the body of an error. */
  failure: "failure",
  /** Nothing more will come. A stream that stops without it was lost. */
  end: "end",
} as const;

export type StreamItem =
  | { type: "event"; event: JournalEvent }
  | { type: "delta"; delta: Delta }
  | { type: "reset" };
