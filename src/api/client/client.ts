// The API as functions, for the CLI and the dashboard: what differs between them is only the `fetch` that they hand in.
// A failure arrives as the CadreError that the server threw. Nothing is tried again here: who asked knows whether to
// ask again, or to take the lost owner's place (E1).

import type { Definition } from "../../journal/definition.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { MessageRow } from "../../projections/message-row.ts";
import type {
  CreatedUser,
  Me,
  NewUser,
  RoleView,
  UserView,
  WebhookTestResult,
  WebhookView,
} from "../team.ts";
import { type ClientOptions, call, isUnreachable, type Query, send } from "./send.ts";
import { type FeedOptions, type FollowOptions, follow, followFeed } from "./stream.ts";
import type {
  Activity,
  AgentDetail,
  AgentReplayView,
  Agents,
  AgentVersions,
  AgentView,
  ApprovalView,
  AskBody,
  BudgetBody,
  Check,
  Comparison,
  ContextSummary,
  DecisionBody,
  EditPreview,
  EventPage,
  ExplanationView,
  ExportFormat,
  FeedItem,
  ForkBody,
  GrantView,
  Health,
  ImportView,
  LinkView,
  MessagesFilter,
  MovedBody,
  OutcomeBody,
  PageFilter,
  PlugView,
  Probe,
  ReplayView,
  RunDefinition,
  RunDetail,
  RunPage,
  RunsFilter,
  RunTree,
  Said,
  SayBody,
  SessionPage,
  SettingsBody,
  SettingsView,
  StartRun,
  StreamItem,
  Suggestions,
  TranscriptView,
  UsageFilter,
  UsageView,
  Verification,
  WhyView,
  WorkerView,
  WorkspaceTree,
} from "./types.ts";

export { type ClientOptions, type FeedOptions, type FollowOptions, isUnreachable };

export interface CadreClient {
  health(): Promise<Health>;
  checks(): Promise<Check[]>;
  /** Who drives runs of this store, the longest at work first. */
  workers(): Promise<WorkerView[]>;
  startRun(request: StartRun, idempotencyKey?: string): Promise<{ runId: string }>;
  runs(filter?: RunsFilter): Promise<RunPage>;
  run(runId: string): Promise<RunDetail>;
  /** The run with everything below it. */
  tree(runId: string): Promise<RunTree>;
  /** One page, from the beginning or after a position; with `tree` those of all its descendants too. */
  eventsPage(runId: string, from?: { after?: number; tree?: boolean }): Promise<EventPage>;
  /** All events after a position. */
  events(runId: string, after?: number): Promise<JournalEvent[]>;
  /** Those of the run and all its descendants, in commit order. */
  treeEvents(runId: string, after?: number): Promise<JournalEvent[]>;
  /**
   * Returns when the run has ended or the signal is aborted. Throws where the connection is lost (`isUnreachable`) or
   * the reader was too slow (`STALE`): go on from the last event's position.
   */
  follow(options: FollowOptions): AsyncGenerator<StreamItem, void>;
  /** What happens to all runs from now on, told in S4's words. Never ends by itself; throws as `follow` does. */
  feed(options: FeedOptions): AsyncGenerator<FeedItem, void>;
  /** What the model of the run sees. */
  transcript(runId: string): Promise<TranscriptView>;
  /** The same, a line for each message. */
  contextSummary(runId: string): Promise<ContextSummary>;
  /** Its agent, as it was when the run started. */
  runDefinition(runId: string): Promise<RunDefinition>;
  /** Of the run and its descendants, or of all runs. */
  approvals(filter?: { runId?: string }): Promise<ApprovalView[]>;
  approval(approvalId: string): Promise<ApprovalView>;
  /** What would come of it with another input. Decides nothing. */
  previewEdit(approvalId: string, input: unknown): Promise<EditPreview>;
  decide(approvalId: string, decision: DecisionBody): Promise<{ alreadyDecided: boolean }>;
  /** It stays open, and says for whom it is. */
  askPerson(approvalId: string, asked: AskBody): Promise<void>;
  /** Looks whether a call took effect whose outcome nobody knows. Recorded; nothing is decided. */
  probe(runId: string, callId: string): Promise<Probe>;
  outcome(runId: string, body: OutcomeBody): Promise<{ alreadyDecided: boolean }>;
  cancel(runId: string, reason?: string): Promise<{ cancelled: string[] }>;
  /** Starts a new run that continues the ended one from its last good event. */
  retry(runId: string, idempotencyKey?: string): Promise<{ runId: string }>;
  /** A new root that goes another way from an event of the run. */
  fork(runId: string, body?: ForkBody, idempotencyKey?: string): Promise<{ runId: string }>;
  /** Two runs side by side. */
  compare(a: string, b: string): Promise<Comparison>;
  message(runId: string, text: string, idempotencyKey?: string): Promise<void>;
  pause(runId: string): Promise<void>;
  resume(runId: string): Promise<void>;
  /** What it may spend from now on, or with the scope `tree` all runs of its tree. */
  setBudget(runId: string, budget: BudgetBody): Promise<void>;
  /** It and all below it; answers with those that it changed. */
  freeze(runId: string): Promise<{ runs: string[] }>;
  thaw(runId: string): Promise<{ runs: string[] }>;
  grants(): Promise<GrantView[]>;
  /** Rules that would have spared people from being asked. */
  suggestions(): Promise<Suggestions>;
  revokeGrant(id: number): Promise<void>;
  agents(): Promise<AgentView[]>;
  /** Read from disk now, with what is wrong in files that became no agent. */
  reloadAgents(): Promise<Agents>;
  agent(name: string): Promise<AgentDetail>;
  explain(name: string): Promise<ExplanationView>;
  /** Its latest runs, by the definition that they had pinned. */
  agentVersions(name: string): Promise<AgentVersions>;
  /** As runs have pinned it. */
  definition(hash: string): Promise<Definition>;
  /** How the latest runs of each agent went. */
  activity(): Promise<Activity>;
  sessions(page?: PageFilter): Promise<SessionPage>;
  /** Joins the run that is under way in the session, or starts the next one. */
  say(sessionId: string, body: SayBody, idempotencyKey?: string): Promise<Said>;
  settings(): Promise<SettingsView>;
  /** What is not given stays. */
  choose(settings: SettingsBody): Promise<SettingsView>;
  /** The project's files below a folder of it. */
  workspaceTree(path?: string): Promise<WorkspaceTree>;
  /** Of all runs, or of one and its descendants. */
  messages(filter?: MessagesFilter): Promise<{ messages: MessageRow[]; nextCursor?: string }>;
  usage(filter?: UsageFilter): Promise<UsageView>;
  /** Why it stands where it stands, or ended; with a seq, why that event of it came about. */
  why(runId: string, seq?: number): Promise<WhyView>;
  verify(runId: string): Promise<Verification>;
  /** Whether the run, and all below it, would be decided now as it was. */
  replay(runId: string): Promise<ReplayView>;
  /** Which of its latest runs would go otherwise with its file as it is now. */
  replayAgent(name: string, last?: number): Promise<AgentReplayView>;
  /** The tree of a run as a file, to be read and checked. */
  exported(runId: string, format: ExportFormat): Promise<Response>;
  /** E7: ends the tree of a run here; the file is what it goes on from. `to`: the one server that it is sent to. */
  move(runId: string, to?: string): Promise<Response>;
  /** E7: what that server answered. */
  settleMove(runId: string, to: string, outcome: MovedBody["outcome"]): Promise<void>;
  /** E7: takes in what was moved out of another store: the text of the file. */
  importTree(tree: string): Promise<ImportView>;
  /** For one browser, once; refused where no public server listens. */
  link(): Promise<LinkView>;
  /** A demo's server alone has a plug. */
  plug(): Promise<PlugView>;
  pullPlug(): Promise<void>;
  /** Who one is here. */
  me(): Promise<Me>;
  users(): Promise<UserView[]>;
  /** The token is in the answer, and nowhere else. */
  addUser(user: NewUser): Promise<CreatedUser>;
  /** What the old token opened is closed. */
  rotateUser(name: string): Promise<CreatedUser>;
  /** For one browser of theirs, once. */
  userLink(name: string): Promise<LinkView>;
  revokeUser(name: string): Promise<void>;
  setUserRole(name: string, role: RoleView): Promise<void>;
  webhooks(): Promise<WebhookView[]>;
  testWebhook(name: string): Promise<WebhookTestResult>;
  /** What the old token opened is closed; the browser that asks for it stays. */
  renewToken(): Promise<void>;
}

export function createClient(options: ClientOptions): CadreClient {
  const get = <T>(path: string, query?: Query) => call<T>(options, "GET", path, { query });
  const post = <T>(path: string, body: unknown = {}, headers?: Record<string, string>) =>
    call<T>(options, "POST", path, { body, ...(headers ? { headers } : {}) });
  const keyed = (key: string | undefined) => (key === undefined ? undefined : { "Idempotency-Key": key });
  const ofRun = (runId: string, rest = "") => `/api/runs/${encodeURIComponent(runId)}${rest}`;
  return {
    ...teamClient(options, get, post),
    health: () => get("/api/health"),
    checks: async () => (await get<{ checks: Check[] }>("/api/checks")).checks,
    workers: async () => (await get<{ workers: WorkerView[] }>("/api/workers")).workers,
    startRun: (request, key) => post("/api/runs", request, keyed(key)),
    runs: ({ status, roots, total, ...filter } = {}) =>
      get("/api/runs", {
        ...filter,
        ...(status ? { status: status.join(",") } : {}),
        ...(roots ? { roots: 1 } : {}),
        ...(total ? { total: 1 } : {}),
      }),
    run: (runId) => get(ofRun(runId)),
    tree: (runId) => get(ofRun(runId, "/tree")),
    eventsPage: (runId, { after, tree } = {}) =>
      get(ofRun(runId, "/events"), { after, tree: tree ? 1 : undefined }),
    events: (runId, after) => allEvents(get, ofRun(runId, "/events"), { after }),
    treeEvents: (runId, after) => allEvents(get, ofRun(runId, "/events"), { after, tree: 1 }),
    follow: (wanted) => follow(options, wanted),
    feed: (wanted) => followFeed(options, wanted),
    transcript: (runId) => get(ofRun(runId, "/context")),
    contextSummary: (runId) => get(ofRun(runId, "/context"), { view: "summary" }),
    runDefinition: (runId) => get(ofRun(runId, "/definition")),
    approvals: async ({ runId } = {}) =>
      (await get<{ approvals: ApprovalView[] }>("/api/approvals", { run: runId })).approvals,
    approval: (id) => get(`/api/approvals/${encodeURIComponent(id)}`),
    previewEdit: (id, input) => post(`/api/approvals/${encodeURIComponent(id)}/preview`, { input }),
    decide: (id, decision) => post(`/api/approvals/${encodeURIComponent(id)}`, decision),
    askPerson: (id, asked) => post(`/api/approvals/${encodeURIComponent(id)}/ask`, asked),
    probe: (runId, callId) => post(ofRun(runId, "/probe"), { callId }),
    outcome: (runId, body) => post(ofRun(runId, "/outcome"), body),
    cancel: (runId, reason) => post(ofRun(runId, "/cancel"), reason === undefined ? {} : { reason }),
    retry: (runId, key) => post(ofRun(runId, "/retry"), {}, keyed(key)),
    fork: (runId, body = {}, key) => post(ofRun(runId, "/fork"), body, keyed(key)),
    compare: (a, b) => get("/api/compare", { a, b }),
    message: (runId, text, key) => post(ofRun(runId, "/message"), { text }, keyed(key)),
    ...holdsAndBudgets((runId, what, body) => post(ofRun(runId, `/${what}`), body)),
    ...permissionCalls(options),
    agents: async () => (await get<{ agents: AgentView[] }>("/api/agents")).agents,
    reloadAgents: () => post("/api/agents/reload"),
    agent: (name) => get(`/api/agents/${encodeURIComponent(name)}`),
    explain: (name) => get(`/api/agents/${encodeURIComponent(name)}/explain`),
    agentVersions: (name) => get(`/api/agents/${encodeURIComponent(name)}/versions`),
    definition: (hash) => get(`/api/definitions/${encodeURIComponent(hash)}`),
    activity: () => get("/api/activity"),
    sessions: (page = {}) => get("/api/sessions", { ...page }),
    say: (sessionId, body, key) =>
      post(`/api/sessions/${encodeURIComponent(sessionId)}/messages`, body, keyed(key)),
    settings: () => get("/api/settings"),
    choose: (settings) => post("/api/settings", settings),
    workspaceTree: (path) => get("/api/workspace/tree", { path }),
    messages: (filter = {}) => get("/api/messages", { ...filter }),
    usage: (filter = {}) => get("/api/usage", { ...filter }),
    why: (runId, seq) => get(ofRun(runId, "/why"), { seq }),
    verify: (runId) => get(ofRun(runId, "/verify")),
    replay: (runId) => get(ofRun(runId, "/replay")),
    replayAgent: (name, last) => get(`/api/agents/${encodeURIComponent(name)}/replay`, { last }),
    exported: (runId, format) => send(options, "GET", ofRun(runId, "/export"), { query: { format } }),
    move: (runId, to) => send(options, "POST", ofRun(runId, "/move"), { body: { to } }),
    settleMove: async (runId, to, outcome) => void (await post(ofRun(runId, "/moved"), { to, outcome })),
    importTree: (tree) => post("/api/import", { tree }),
    link: () => post("/api/link"),
    plug: () => get("/api/plug"),
    pullPlug: () => post("/api/plug"),
    renewToken: () => post("/api/token"),
  };
}

type Get = <T>(path: string, query?: Query) => Promise<T>;
type Post = <T>(path: string, body?: unknown) => Promise<T>;

type TeamVerb =
  | "me"
  | "users"
  | "addUser"
  | "rotateUser"
  | "userLink"
  | "revokeUser"
  | "setUserRole"
  | "webhooks"
  | "testWebhook";

function teamClient(options: ClientOptions, get: Get, post: Post): Pick<CadreClient, TeamVerb> {
  const ofUser = (name: string, rest = "") => `/api/users/${encodeURIComponent(name)}${rest}`;
  return {
    me: () => get("/api/me"),
    users: async () => (await get<{ users: UserView[] }>("/api/users")).users,
    addUser: (user) => post("/api/users", user),
    rotateUser: (name) => post(ofUser(name, "/rotate")),
    userLink: (name) => post(ofUser(name, "/link")),
    setUserRole: (name, role) => post(ofUser(name, "/role"), { role }),
    revokeUser: (name) => call(options, "DELETE", ofUser(name)),
    webhooks: async () => (await get<{ webhooks: WebhookView[] }>("/api/webhooks")).webhooks,
    testWebhook: (name) => post(`/api/webhooks/${encodeURIComponent(name)}/test`),
  };
}

const holdsAndBudgets = (
  tell: <T>(runId: string, what: string, body?: unknown) => Promise<T>,
): Pick<CadreClient, "pause" | "resume" | "setBudget" | "freeze" | "thaw"> => ({
  pause: (runId) => tell(runId, "pause"),
  resume: (runId) => tell(runId, "resume"),
  setBudget: (runId, budget) => tell(runId, "budget", budget),
  freeze: (runId) => tell(runId, "freeze"),
  thaw: (runId) => tell(runId, "thaw"),
});

function permissionCalls(
  options: ClientOptions,
): Pick<CadreClient, "grants" | "revokeGrant" | "suggestions"> {
  return {
    grants: async () => (await call<{ grants: GrantView[] }>(options, "GET", "/api/grants")).grants,
    revokeGrant: (id) => call(options, "DELETE", `/api/grants/${id}`),
    suggestions: () => call(options, "GET", "/api/permissions/suggestions"),
  };
}

async function allEvents(get: Get, path: string, { after, ...scope }: Query): Promise<JournalEvent[]> {
  const all: JournalEvent[] = [];
  let next = after;
  do {
    const page: { events: JournalEvent[]; nextAfter?: number } = await get(path, { ...scope, after: next });
    all.push(...page.events);
    next = page.nextAfter;
  } while (next !== undefined);
  return all;
}
