// What goes over the wire, once: the server checks requests with these schemas, the client and the dashboard take their
// types from them. This is where those two import them from; the parts are requests.ts, answers.ts, agent-view.ts,
// explanation.ts and wire.ts.

import type { Delta } from "../../journal/deltas.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { LiveEvent } from "../../projections/formats/live-feed.ts";

export type { AgentReplayView } from "../agent-replay.ts";
export { AgentView, ProblemView } from "../agent-view.ts";
export { groupReplays } from "../alike-replays.ts";
export type { Comparison } from "../comparison.ts";
export type { ExplanationView } from "../explanation.ts";
export {
  ApprovalView,
  Check,
  CommandView,
  EditPreview,
  ErrorBody,
  GrantView,
  Health,
  LinkView,
  ListedRun,
  PlugView,
  Probe,
  Recovery,
  RunDetail,
  RunSummary,
  RunTree,
  RunUsageView,
  Stopping,
  type TranscriptView,
  Verification,
  WhyView,
  WorkerView,
} from "../routes/answers.ts";
export {
  ApprovalsQuery,
  AskBody,
  BudgetBody,
  CancelBody,
  CompareQuery,
  ContextQuery,
  Count,
  DecisionBody,
  EmptyBody,
  EventsQuery,
  type ExportFormat,
  FeedQuery,
  ForkBody,
  MAX_PAGE,
  MessageBody,
  type MessagesFilter,
  MessagesQuery,
  MIN_PREFIX,
  type MovedBody,
  NoQuery,
  OutcomeBody,
  type PageFilter,
  PageQuery,
  PreviewBody,
  ProbeBody,
  type RunsFilter,
  RunsQuery,
  SayBody,
  SettingsBody,
  StartRun,
  type UsageFilter,
  UsageQuery,
  WhyQuery,
  WorkspaceQuery,
} from "../routes/requests.ts";
export type {
  Activity,
  AgentDetail,
  Agents,
  AgentVersions,
  ContextSummary,
  EventPage,
  ImportView,
  MessagePage,
  ReplayView,
  RunDefinition,
  RunPage,
  Said,
  SessionPage,
  SessionView,
  SettingsView,
  Suggestions,
  UsageView,
  WorkspaceEntry,
  WorkspaceTree,
} from "../routes/wire.ts";
export type { CreatedUser, Me, NewUser, RoleView, UserView, WebhookView } from "../team.ts";

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

/** S4's feed. What has no place in the journal (`Token`) has no `seq`. */
export type FeedItem =
  | {
      type: "live";
      live: LiveEvent & { seq?: number };
      /** Where to go on after this one; absent: there is more to the same event, or it has no place. */
      after?: number;
    }
  /** The reader's place is not known here: it goes on from now. */
  | { type: "reset" };
