// What the API shows: runs, what waits for a person, agents, and how a refusal looks. Answers may gain fields.

import { z } from "zod";
import { BlastRadius } from "../../journal/blast-radius.ts";
import { Limits } from "../../journal/definition.ts";
import { payloads, ResultEnvelope, RunStatus, StopReason, Trigger, WaitingOn } from "../../journal/events.ts";
import type { PromptMessage } from "../../journal/message.ts";
import { Todos } from "../../journal/todo.ts";
import { APPROVAL_KINDS } from "../../projections/folds/approvals.ts";

export const Health = z.object({
  version: z.string(),
  pid: z.int(),
  storeId: z.string(),
  folder: z.string(),
  /** How a command for this project begins in any terminal of the server's machine. */
  command: z.string(),
  startedAt: z.number(),
  /** True where runs are driven: by this process, or by a worker elsewhere that is heard of. */
  drives: z.boolean(),
  /** Where nobody drives: how many runs could go on, and wait for somebody who does; 1,000 stands for more, too. */
  due: z.int().optional(),
  /** Where somebody drives: pools that none of them is of, and how many of their runs wait, as above. */
  idlePools: z.array(z.object({ pool: z.string(), due: z.int() })).optional(),
  /** The store is on a server: any number of processes drive, on any machine. */
  isShared: z.boolean(),
  /** It is this process that drives; with `up --no-worker` it leaves that to workers elsewhere. */
  isWorker: z.boolean(),
  /** It stays until somebody ends it, and lets browsers in: `cadre up`. */
  isServer: z.boolean(),
  /** The default model. */
  model: z.string(),
  /** It can be killed from the page: `cadre up --demo`. */
  demo: z.literal(true).optional(),
});
export type Health = z.infer<typeof Health>;

/** What became of the runs after a server was killed, counted from their journals. */
export const Recovery = z.object({
  /** Runs that had not ended, and go on or wait as before; those that nobody has taken up. */
  recovered: z.int(),
  missing: z.int(),
  /** From the server's death until the last of them had gone on. */
  ms: z.int(),
  /** Calls that cannot be taken back and were begun once more, without a person's word (P4). */
  repeated: z.int(),
});
export type Recovery = z.infer<typeof Recovery>;

export const PlugView = z.object({ last: Recovery.optional() });
export type PlugView = z.infer<typeof PlugView>;

/** What could keep Cadre from working well here, and what helps. */
export const Check = z.object({
  state: z.enum(["ok", "warn", "bad"]),
  name: z.string(),
  text: z.string(),
  fix: z.string().optional(),
});
export type Check = z.infer<typeof Check>;

/** A process that drives runs. */
export const WorkerView = z.object({
  name: z.string(),
  host: z.string(),
  pid: z.int(),
  pool: z.string(),
  version: z.string(),
  since: z.number(),
  seenAt: z.number(),
  /** Not heard of for longer than a lease lasts: dead, frozen or cut off. Others take its runs, if there are any. */
  silent: z.boolean(),
  /** Runs that it holds. */
  runs: z.int(),
  /** The first few of them. */
  holds: z.array(z.string()),
  /** Runs that it leaves to a newer version, whose journals it does not understand. */
  tooNew: z.int().optional(),
});
export type WorkerView = z.infer<typeof WorkerView>;

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
  /** In a list, and of one run: all that it, or who is below it, asked a person is answered, and nobody has taken it up yet. */
  answered: z.literal(true).optional(),
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

/** A run in a list. */
export const ListedRun = RunSummary.extend({
  /** Of a root: it and everything below it. */
  tree: z.object({ runs: z.int(), usage: RunUsageView }).optional(),
  /** The runs that it waits for, or that need a person below it: the first few. */
  awaited: z.array(z.object({ id: z.string(), agent: z.string() })).optional(),
  /** Where words were looked for: the event to look at. */
  hit: z.int().optional(),
});
export type ListedRun = z.infer<typeof ListedRun>;

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
  /** The worker that drives it now. */
  worker: z.string().optional(),
});
export type RunDetail = z.infer<typeof RunDetail>;

/** What a shell command would do, as far as its words show. Never made from what an agent says about it. */
export const CommandView = z.object({
  grade: z.enum(["exact", "dynamic", "broken"]),
  /** Why it is not exact. */
  why: z.string(),
  programs: z.array(
    z.object({
      /** As the program gets them; null where only running it would tell. */
      argv: z.array(z.string().nullable()),
      /** 0: it stands in the command itself; more: in the words of another program. */
      depth: z.int(),
      readOnly: z.boolean(),
      note: z.string().optional(),
      /** It executes what it reads from its input: `curl … | sh`. */
      runsInput: z.literal(true).optional(),
    }),
  ),
  files: z.array(z.object({ path: z.string(), use: z.enum(["writes", "reads"]), outside: z.boolean() })),
  hosts: z.array(z.string()),
  decoded: z.array(z.object({ from: z.string(), text: z.string() })),
});
export type CommandView = z.infer<typeof CommandView>;

const Spent = z.object({ cost: z.number(), unpriced: z.int() });

/** Where something that waits for a person comes from, and what waits for it. */
const Circumstances = z.object({
  /** The runs from the root of the tree down to the one that asks, with what each was asked to do. */
  trail: z.array(z.object({ runId: z.string(), agent: z.string(), task: z.string() })),
  /** Runs that can only go on when this is answered, the one that asks among them, and whether the root is one. */
  blocks: z.object({ runs: z.int(), root: z.boolean() }),
  spent: z.object({ run: Spent, tree: Spent }),
  /** What the run has done so far. */
  did: z.object({
    turns: z.int(),
    toolCalls: z.int(),
    files: z.array(z.object({ path: z.string(), change: z.enum(["created", "modified", "deleted"]) })),
  }),
  /** The last lines of its timeline before it asked. */
  recent: z.array(
    z.object({ seq: z.int(), ts: z.number(), kind: z.string(), title: z.string(), tone: z.string() }),
  ),
});

/** What a look for the effect of a call found: it proposes, a person decides. */
export const Probe = payloads.OUTCOME_PROBED.pick({ found: true, evidence: true });
export type Probe = z.infer<typeof Probe>;

export const ApprovalView = z.object({
  ...Circumstances.shape,
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
  /** Of the file concerned, as it was when the preview was made. */
  fingerprint: z.string().optional(),
  host: z.string().optional(),
  pid: z.int().optional(),
  /** Of an unknown outcome: what the latest look for its effect found (PB1). */
  probe: Probe.extend({ by: z.string(), at: z.number() }).optional(),
  detail: z.string().optional(),
  /** Of a budget: which limit is used up; `tree.maxTokens` is that of the whole tree. */
  limit: z.string().optional(),
  /** How much that was. */
  limitValue: z.number().optional(),
  /** Of a question: the answers that there are. */
  choices: z.array(z.string()).optional(),
  /** Whose words had come into the run that nobody here wrote. */
  untrusted: z.array(z.string()).optional(),
  /** Who was asked about it by name, last. */
  asked: z
    .object({ person: z.string(), by: z.string(), note: z.string().optional(), at: z.number() })
    .optional(),
  round: z.int(),
  requestedAt: z.number(),
  expiresAt: z.number().optional(),
  /** The rule that a wider scope than `once` would grant; absent where it can only be given once. */
  grant: z.string().optional(),
  /** Of a shell command: what it would do. */
  command: CommandView.optional(),
  /** Of work for another agent: what could come of it, as it was when it was asked about. */
  blastRadius: BlastRadius.optional(),
});
export type ApprovalView = z.infer<typeof ApprovalView>;

/** What would come of a call with another input: nothing is decided by asking. */
export const EditPreview = z.object({
  /** Why it cannot be approved like this. */
  problem: z.string().optional(),
  /** Where in the input, if that can be said. */
  issues: z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })),
  preview: z.string().optional(),
  fingerprint: z.string().optional(),
  /** Of a change of a file: its text now, and then. */
  change: z
    .object({
      before: z.string(),
      after: z.string(),
      /** Words stand for secrets in it: it is not what the file holds. */
      masked: z.literal(true).optional(),
    })
    .optional(),
  grant: z.string().optional(),
  command: CommandView.optional(),
});
export type EditPreview = z.infer<typeof EditPreview>;

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

const Reason = z.object({
  runId: z.string(),
  agent: z.string(),
  seq: z.int(),
  ts: z.number(),
  /** Of the event. */
  type: z.string(),
  what: z.string(),
  because: z.string().exactOptional(),
  /** The event that brought it about. */
  cause: z.object({ runId: z.string(), seq: z.int() }).exactOptional(),
});

export const WhyView = z.object({
  runId: z.string(),
  agent: z.string(),
  task: z.string(),
  status: RunStatus,
  /** The event that was asked about. */
  seq: z.int().exactOptional(),
  /** In a sentence. */
  answer: z.string(),
  /** Since when it is so. */
  since: z.number(),
  /** Where a failure began, however deep below. */
  first: Reason.exactOptional(),
  /** Of a failure: from what its first cause brought about up to this run. Otherwise: back to the task, each brought about by the next. */
  chain: z.array(Reason),
  /** What a person can do now. */
  next: z.array(z.string()),
  /** Of this run and all below it, in the order in which they were made. */
  decisions: z.array(Reason),
});
export type WhyView = z.infer<typeof WhyView>;

export const Verification = z.object({
  ok: z.boolean(),
  /** Runs, it and all below it, and events that were read and found whole. */
  runs: z.int(),
  events: z.int(),
  /** Approved calls that began as they were approved. */
  receipts: z.int(),
  /** Hash of the chain at the latest event. */
  head: z.string(),
  problem: z.string().optional(),
  /** The event that is not what it was. */
  at: z.object({ runId: z.string(), seq: z.int() }).optional(),
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
