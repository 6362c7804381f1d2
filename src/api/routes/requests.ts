// What is asked of the API: bodies, and what stands in an address. Strict: a word that we do not know is a mistake, never
// ignored (A16, A59).

import { z } from "zod";
import { LimitsInput } from "../../config/limits.ts";
import { Rules } from "../../journal/definition.ts";
import { RunStatus, WAITING_KINDS, type WaitingOn } from "../../journal/events.ts";
import { searchWords } from "../../projections/formats/search-text.ts";

/** What a run may be called by: its id, or the beginning of it if no other id begins so. */
export const MIN_PREFIX = 6;
export const MAX_PAGE = 500;

/** Names and nothing that leads out of them. */
const EVAL_FOLDER = /^\w[\w-]{0,99}(\/\w[\w-]{0,99}){1,4}$/;

export const StartRun = z.strictObject({
  agent: z.string().min(1),
  task: z.string().min(1),
  input: z.unknown().exactOptional(),
  mode: z.enum(["auto", "chat"]).exactOptional(),
  /** Somebody is there to answer. */
  attended: z.boolean().exactOptional(),
  sessionId: z.string().min(1).exactOptional(),
  limits: LimitsInput.exactOptional(),
  permissions: Rules.strict().exactOptional(),
  /** A model other than the agent's own. */
  model: z.string().min(1).exactOptional(),
  /** A folder of the project's evals, where it works instead of in the project's own. */
  workspace: z.string().regex(EVAL_FOLDER, "must name a folder of an eval").exactOptional(),
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

/** An input that somebody thinks of approving instead. */
export const PreviewBody = z.strictObject({ input: z.unknown() });
export type PreviewBody = z.input<typeof PreviewBody>;

/** Who should decide. */
export const AskBody = z.strictObject({
  person: z.string().trim().min(1).max(200),
  note: z.string().max(2_000).exactOptional(),
});
export type AskBody = z.input<typeof AskBody>;

export const OutcomeBody = z.strictObject({
  callId: z.string().min(1),
  verdict: z.enum(["happened", "run_again", "fail"]),
  output: z.string().exactOptional(),
  note: z.string().exactOptional(),
});
export type OutcomeBody = z.input<typeof OutcomeBody>;

export const ProbeBody = z.strictObject({ callId: z.string().min(1) });

export const CancelBody = z.strictObject({ reason: z.string().exactOptional() });
export const MessageBody = z.strictObject({ text: z.string().trim().min(1) });
export const EmptyBody = z.strictObject({});

/** What may be spent from now on: by the run itself, or with the scope `tree` by all runs that its root pays for. */
export const BudgetBody = z
  .strictObject({
    maxTokens: z.int().nonnegative().exactOptional(),
    maxCost: z.number().nonnegative().exactOptional(),
    scope: z.literal("tree").exactOptional(),
  })
  .refine(({ maxTokens, maxCost }) => maxTokens !== undefined || maxCost !== undefined, {
    message: "say `maxTokens` or `maxCost`",
  });
export type BudgetBody = z.input<typeof BudgetBody>;

export const ForkBody = z.strictObject({
  /** The event to fork at; absent: the latest. The fork begins there or before it, where no call was open. */
  seq: z.int().positive().exactOptional(),
  edit: z
    .strictObject({
      /** Said after what stands before the fork; in place of the task, where nothing was answered yet. */
      message: z.string().trim().min(1).exactOptional(),
      model: z.string().min(1).exactOptional(),
      /** The text of the agent's file, as it would read. */
      agent: z.string().min(1).max(1_000_000).exactOptional(),
    })
    .exactOptional(),
  /** True: calls happen as in any other run. Otherwise recorded results stand in for them, and what is not recorded asks. */
  allowEffects: z.boolean().exactOptional(),
});
export type ForkBody = z.input<typeof ForkBody>;

export const SayBody = z.strictObject({
  /** Absent: whoever was spoken to last. */
  agent: z.string().min(1).exactOptional(),
  text: z.string().trim().min(1),
  mode: z.enum(["auto", "chat"]).exactOptional(),
  /** Somebody is there to answer. */
  attended: z.boolean().exactOptional(),
});
export type SayBody = z.input<typeof SayBody>;

export const SettingsBody = z.strictObject({
  /** Whom a chat speaks to where nobody is named. */
  agent: z.string().min(1).exactOptional(),
  mode: z.enum(["auto", "chat"]).exactOptional(),
});
export type SettingsBody = z.infer<typeof SettingsBody>;

// Queries. Everything in a URL is text.

export const Count = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number")
  .transform(Number);
const Flag = z.enum(["0", "1"]).transform((value) => value === "1");

const page = {
  limit: Count.pipe(z.int().min(1).max(MAX_PAGE)).exactOptional(),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "must be the nextCursor of the page before")
    .exactOptional(),
};

export const PageQuery = z.strictObject(page);
export type PageFilter = z.output<typeof PageQuery>;

export const AgentReplayQuery = z.strictObject({
  /** How many of its latest runs (default 50). */
  last: page.limit,
});

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
  /** Forks and retries of runs in the tree of this root. */
  branchesOf: z.string().min(1).exactOptional(),
  /** Only those that no other run has started. */
  roots: Flag.exactOptional(),
  /** Milliseconds since the epoch: started then or later. */
  since: Count.exactOptional(),
  /** What they wait for; `person`: anything that somebody has to answer, a pause is none. */
  waiting: z.enum([...WAITING_KINDS, "person"]).exactOptional(),
  /** The most expensive first, of the latest 500 that fit, on one page; absent: the newest. */
  order: z.literal("cost").exactOptional(),
  /** With the number of those that fit, on all pages. */
  total: Flag.exactOptional(),
  /** Words that stand in the run's journal, all of them, each as a word or as the beginning of one. */
  q: z
    .string()
    .max(200)
    .refine((text) => searchWords(text).length > 0, "must have a word in it")
    .exactOptional(),
  ...page,
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

/** Of one event; without it, of how the run stands or ended. */
export const WhyQuery = z.strictObject({ seq: Count.pipe(z.int().min(1)).exactOptional() });

export const UsageQuery = z.strictObject({
  /** A run: it and all its descendants. */
  root: z.string().min(1).exactOptional(),
  /** Milliseconds since the epoch: what happened before does not count. Of all runs, to the quarter of an hour. */
  since: Count.exactOptional(),
  /** Milliseconds: also by when, in stretches of this length from `since` on. */
  every: Count.pipe(z.int().min(60_000)).exactOptional(),
});

export const MessagesQuery = z.strictObject({
  session: z.string().min(1).exactOptional(),
  run: z.string().min(1).exactOptional(),
  role: z.string().min(1).exactOptional(),
  /** The id of a row: those that it brought about in other agents. */
  parent: Count.exactOptional(),
  ...page,
});
export type MessagesFilter = z.output<typeof MessagesQuery>;

export const CompareQuery = z.strictObject({ a: z.string().min(1), b: z.string().min(1) });

/** `summary`: a line for each message. */
export const ContextQuery = z.strictObject({ view: z.enum(["summary", "raw"]).default("raw") });

export const WorkspaceQuery = z.strictObject({
  /** A folder of the project. */
  path: z.string().min(1).max(4_096).default("."),
});

export const NoQuery = z.strictObject({});

export interface RunsFilter {
  status?: readonly RunStatus[];
  agent?: string;
  root?: string;
  parent?: string;
  session?: string;
  branchesOf?: string;
  roots?: boolean;
  since?: number;
  waiting?: WaitingOn["kind"] | "person";
  order?: "cost";
  total?: boolean;
  q?: string;
  limit?: number;
  cursor?: string;
}

export interface UsageFilter {
  root?: string;
  since?: number;
  every?: number;
}

/** A tree that was moved out of another store: the text of the file. */
/** A server, without anything that is secret. */
const ServerAddress = z
  .string()
  .max(2_000)
  .regex(/^https?:\/\/[!-~]+$/);
export const MoveBody = z.strictObject({
  /** The server that it is sent to: from then on no other one gets it. */
  to: ServerAddress.optional(),
});
export const MovedBody = z.strictObject({ to: ServerAddress, outcome: z.enum(["arrived", "refused"]) });
export type MovedBody = z.infer<typeof MovedBody>;

export const ImportBody = z.strictObject({ tree: z.string() });

export const EXPORT_FORMATS = ["jsonl", "html"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export const ExportQuery = z.strictObject({ format: z.enum(EXPORT_FORMATS).default("jsonl") });
