// The types of requests and answers, for code that uses the client. This file contains only types, so importing it loads no code.

export type { Comparison } from "../../projections/views/compare-schema.ts";
export type { ExplanationView } from "../routes/agent-explanation.ts";
export type { AgentReplayView } from "../routes/agent-replay.ts";
export type { AgentDetail, Agents, AgentVersions, AgentView } from "../routes/agents.ts";
export type { DecisionBody } from "../routes/approvals.ts";
export type { DecisionsFilter, PastDecisionView } from "../routes/decisions.ts";
export type { Recovery } from "../routes/demo.ts";
export type { EventPage } from "../routes/events.ts";
export type { ExportFormat, ImportView, MovedBody } from "../routes/export.ts";
export type { GrantView, Suggestions } from "../routes/grants.ts";
export type { Health, WorkerView } from "../routes/health.ts";
export type { ForkBody, OutcomeBody } from "../routes/run-actions.ts";
export type { ModelRequest, RunDefinition, RunsFilter, StartRun } from "../routes/runs.ts";
export type { Check, ErrorBody, RunSummary } from "../routes/schemas.ts";
export type { UndoView } from "../routes/undo.ts";
export type { Activity, UsageFilter, UsageView } from "../routes/usage.ts";
export type { CreatedUser, RoleView, UserView } from "../routes/users.ts";
export type { WhyView } from "../routes/why.ts";
export type { SettingsBody } from "../server/settings-file.ts";
export type { ApprovalView, CommandView, EditPreview, Probe } from "../views/approvals.ts";
export type { ListedRun, RunPage } from "../views/list-runs.ts";
export type { RunDetail } from "../views/run-detail.ts";
export type { RunTree } from "../views/run-tree.ts";
export type { TranscriptView } from "../views/transcript.ts";
export type { FeedItem, StreamItem } from "./stream-events.ts";
