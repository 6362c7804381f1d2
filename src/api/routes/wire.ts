// What routes answer beside answers.ts: lists of what that describes, the smaller resources, and what other places describe
// as types. The compiler holds each answer against what its route gives.

import { z } from "zod";
import { Definition } from "../../journal/definition.ts";
import { type JournalEvent, payloads } from "../../journal/events.ts";
import { AgentView, ProblemView } from "../agent-view.ts";
import {
  ApprovalView,
  Check,
  GrantView,
  ListedRun,
  RunSummary,
  RunUsageView,
  WorkerView,
} from "./answers.ts";

export const Nothing = z.object({});
export const Started = z.object({ runId: z.string() });
export const Decided = z.object({ alreadyDecided: z.boolean() });
export const Cancelled = z.object({ cancelled: z.array(z.string()) });
/** Those that were changed by it. */
export const Reached = z.object({ runs: z.array(z.string()) });

const nextCursor = z.string().optional();

export const RunPage = z.object({
  runs: z.array(ListedRun),
  nextCursor,
  /** How many fit, on all pages; where it was asked for. */
  total: z.int().optional(),
});
export const Approvals = z.object({ approvals: z.array(ApprovalView) });
export const Checks = z.object({ checks: z.array(Check) });
export const Workers = z.object({ workers: z.array(WorkerView) });
export const Grants = z.object({ grants: z.array(GrantView) });
export type RunPage = z.infer<typeof RunPage>;

/** Rules that would have spared people from being asked, held against what they have decided. */
export const Suggestions = z.object({
  /** Decisions that were looked at, the latest. */
  looked: z.object({ allowed: z.int(), refused: z.int() }),
  suggestions: z.array(
    z.object({
      rule: z.string(),
      /** Calls that people allowed and would not have been asked about, of all those of the same kind. */
      spared: z.int(),
      of: z.int(),
      /** Calls of that kind that people refused; it lets none of them pass. */
      refused: z.int(),
      /** Some of those that it would still ask about. */
      stillAsked: z.array(z.string()),
    }),
  ),
});
export type Suggestions = z.infer<typeof Suggestions>;

export const Agents = z.object({
  agents: z.array(AgentView),
  /** Of files that became no agent. */
  problems: z.array(ProblemView),
});
export type Agents = z.infer<typeof Agents>;

/** One form for each type of event. */
export const EventView = z.union(eventViews()) as unknown as z.ZodType<JournalEvent, JournalEvent>;

export const EventPage = z.object({
  events: z.array(EventView),
  /** Where the next page begins; absent: there is nothing more yet. */
  nextAfter: z.int().optional(),
});
export type EventPage = z.infer<typeof EventPage>;

const part = z.object({ type: z.string() });

export const Transcript = z.object({
  system: z.string(),
  messages: z.array(z.object({ role: z.enum(["user", "assistant", "tool"]), content: z.array(part) })),
});

export const ContextSummary = z.object({
  system: z.string(),
  messages: z.array(z.object({ role: z.string(), summary: z.string() })),
});
export type ContextSummary = z.infer<typeof ContextSummary>;

export const Context = z.union([Transcript, ContextSummary]);

const text = z.string().nullable();
const count = z.number().nullable();

export const MessageView = z.object({
  id: z.int(),
  session_id: z.string(),
  parent_message_id: count,
  started_at: z.string(),
  completed_at: text,
  duration_ms: count,
  agent_role: z.string(),
  agent_depth: z.int(),
  model_id: z.string(),
  system_prompt_id: z.string(),
  request_type: z.enum(["prompt", "tool_call", "delegation", "continuation"]),
  request_content: text,
  context_mode: text,
  context_token_count: count,
  response_content: text,
  response_summary: text,
  tool_calls_json: text,
  files_modified_json: text,
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  iteration_count: z.number(),
  max_iterations: z.number(),
  max_duration_ms: z.number(),
  bailout_reason: text,
  status: z.string(),
  error_message: text,
  metadata_json: z.string(),
});

export const MessagePage = z.object({ messages: z.array(MessageView), nextCursor });
export type MessagePage = z.infer<typeof MessagePage>;

const spent = RunUsageView.omit({ toolCalls: true, activeMs: true });

const OverTime = z.object({
  /** Milliseconds of one stretch. */
  every: z.number(),
  /** Only where something was, in the order of time. */
  spent: z.array(spent.extend({ from: z.number(), agent: z.string(), model: z.string(), turns: z.int() })),
  runs: z.array(
    z.object({
      from: z.number(),
      started: z.int(),
      completed: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      /** Of the deepest run that was started. */
      depth: z.int(),
    }),
  ),
  trees: z.object({
    completed: z.int(),
    /** Of those: nobody had to decide or answer anything in them. */
    withoutPeople: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    /** How many runs were started at each depth. */
    depths: z.array(z.int()),
    /** Milliseconds of work of all runs, and in which at least one run of its tree was at work. */
    workMs: z.number(),
    busyMs: z.number(),
    /** Trees in which an agent reviewed (its name says review, critic or audit), and how many such runs there were. */
    reviewed: z.int(),
    reviews: z.int(),
    /** Trees of several runs: what they used, and what one agent alone would have, by an estimate. */
    together: z.object({
      trees: z.int(),
      tokens: z.number(),
      cost: z.number(),
      singleTokens: z.number(),
      /** Null: the price of a token of a top run is not known. */
      singleCost: z.number().nullable(),
    }),
  }),
});

export const Usage = z.object({
  byAgent: z.array(RunUsageView.extend({ agent: z.string(), runs: z.int() })),
  byModel: z.array(RunUsageView.omit({ toolCalls: true }).extend({ model: z.string() })),
  byEdge: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      started: z.int(),
      succeeded: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      successRate: z.number().nullable(),
    }),
  ),
  /** Only where `every` was asked for. */
  overTime: OverTime.exactOptional(),
});
export type UsageView = z.infer<typeof Usage>;

const tally = {
  runs: z.int(),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  /** Of those that completed or failed. */
  successRate: z.number().nullable(),
  turns: z.int(),
  tokens: z.number(),
  cost: z.number(),
  unpriced: z.number(),
  activeMs: z.number(),
  firstAt: z.number(),
  lastAt: z.number(),
};

/** What was looked at: the latest runs, and whether there are older ones. */
const looked = { runs: z.int(), more: z.boolean() };

export const Activity = z.object({ agents: z.array(z.object({ agent: z.string(), ...tally })), ...looked });
export type Activity = z.infer<typeof Activity>;

export const AgentVersions = z.object({
  /** By the definition that their runs had pinned; the one that was used last comes first. */
  versions: z.array(
    z.object({
      definition: z.string(),
      ...tally,
      models: z.array(z.string()).exactOptional(),
      /** The agent's file is now what it was then. */
      sameFile: z.boolean(),
    }),
  ),
  ...looked,
});
export type AgentVersions = z.infer<typeof AgentVersions>;

export const SessionView = z.object({
  id: z.string(),
  runs: z.int(),
  createdAt: z.number(),
  /** The latest run: who is spoken to, and how it stands. */
  last: RunSummary,
});
export type SessionView = z.infer<typeof SessionView>;

export const SessionPage = z.object({ sessions: z.array(SessionView), nextCursor });
export type SessionPage = z.infer<typeof SessionPage>;

export const Said = z.object({
  runId: z.string(),
  /** It went to a run that was under way; otherwise it has started this one. */
  joined: z.boolean(),
});
export type Said = z.infer<typeof Said>;

export const SettingsView = z.object({
  agent: z.string(),
  mode: z.enum(["auto", "chat"]),
  /** The default model; cadre.yaml says it. */
  model: z.string(),
});
export type SettingsView = z.infer<typeof SettingsView>;

export const WorkspaceEntry = z.object({
  name: z.string(),
  path: z.string(),
  kind: z.enum(["file", "folder"]),
  /** Of a folder. */
  get children() {
    return z.array(WorkspaceEntry).optional();
  },
});
export type WorkspaceEntry = z.infer<typeof WorkspaceEntry>;

export const WorkspaceTree = z.object({
  path: z.string(),
  entries: z.array(WorkspaceEntry),
  /** There is more than is shown. */
  truncated: z.boolean(),
});
export type WorkspaceTree = z.infer<typeof WorkspaceTree>;

export const AgentDetail = AgentView.extend({
  /** As a run would pin it now; absent where the file is broken. */
  definition: Definition.optional(),
  /** The file as it lies on disk now; absent where the agent has none of its own. */
  source: z
    .object({
      text: z.string(),
      /** As it was read; empty where it could not be. */
      frontmatter: z.record(z.string(), z.unknown()),
      body: z.string(),
      /** The line of the file that the body starts on. */
      bodyLine: z.int(),
    })
    .exactOptional(),
});
export type AgentDetail = z.infer<typeof AgentDetail>;

export const RunDefinition = z.object({
  /** As it was pinned when the run started: the agent's file may have changed since. */
  definition: Definition,
  /** Its own words are the answer. */
  isTerminal: z.boolean(),
});
export type RunDefinition = z.infer<typeof RunDefinition>;

function eventViews() {
  const place = { runId: z.string(), seq: z.int(), position: z.int(), ts: z.number(), key: z.string() };
  return Object.entries(payloads).map(([type, payload]) =>
    z.object({ ...place, type: z.literal(type), payload }),
  );
}

/** Whether runs would be decided now as they were. */
export const ReplayView = z.object({
  runs: z.int(),
  events: z.int(),
  /** That were made again. */
  decisions: z.int(),
  /** The first that would be another one. */
  divergence: z
    .object({
      runId: z.string(),
      agent: z.string(),
      seq: z.int(),
      position: z.int(),
      recorded: z.string(),
      now: z.string(),
    })
    .optional(),
});
export type ReplayView = z.infer<typeof ReplayView>;

/** A tree that was taken in. */
/** The header of a tree's file that says where it was sent before, if nobody knows whether it has arrived. */
export const SENT_TO = "Cadre-Sent-To";

export const ImportView = z.object({
  runId: z.string(),
  /** It came in before: nothing was changed. */
  existed: z.boolean(),
  runs: z.int(),
  status: z.string().optional(),
  /** Folders that its runs work in, and that are not there. */
  missing: z.array(z.string()),
});
export type ImportView = z.infer<typeof ImportView>;
