// The API as functions, for the CLI and the dashboard: what differs between them is only the `fetch` that they hand in.
// A failure arrives as the CadreError that the server threw. Nothing is tried again here: who asked knows whether to
// ask again, or to take the lost owner's place (E1).

import { createParser, type EventSourceMessage } from "eventsource-parser";
import { CadreError, type ErrorCode, httpStatus, messageOf } from "../errors.ts";
import type { JournalEvent } from "../journal/events.ts";
import type { MessageRow } from "../projections/message-row.ts";
import type { UsageReport } from "../projections/usage-report.ts";
import {
  type AgentView,
  type ApprovalView,
  type DecisionBody,
  ErrorBody,
  type GrantView,
  type Health,
  type LinkView,
  type MessagesFilter,
  type OutcomeBody,
  type RunDetail,
  type RunSummary,
  type RunsFilter,
  type RunTree,
  STREAM_EVENTS,
  type StartRun,
  type StreamItem,
  type TranscriptView,
  type UsageFilter,
  type Verification,
} from "./schema.ts";

export interface ClientOptions {
  fetch: (url: string, init?: RequestInit) => Promise<Response>;
  baseUrl?: string;
}

export interface FollowOptions {
  /** Absent: all runs. */
  runId?: string;
  /** A position; absent: from the beginning. */
  after?: number;
  /** With all descendants of the run. */
  tree?: boolean;
  /** Goes on after the run's last event. */
  onward?: boolean;
  signal: AbortSignal;
}

export interface CadreClient {
  health(): Promise<Health>;
  startRun(request: StartRun, idempotencyKey?: string): Promise<{ runId: string }>;
  runs(filter?: RunsFilter): Promise<{ runs: RunSummary[]; nextCursor?: string }>;
  run(runId: string): Promise<RunDetail>;
  /** The run with everything below it. */
  tree(runId: string): Promise<RunTree>;
  /** All events after a position. */
  events(runId: string, after?: number): Promise<JournalEvent[]>;
  /** Those of the run and all its descendants, in commit order. */
  treeEvents(runId: string, after?: number): Promise<JournalEvent[]>;
  /**
   * Returns when the run has ended or the signal is aborted. Throws where the connection is lost (`isUnreachable`) or
   * the reader was too slow (`STALE`): go on from the last event's position.
   */
  follow(options: FollowOptions): AsyncGenerator<StreamItem, void>;
  transcript(runId: string): Promise<TranscriptView>;
  /** Of the run and its descendants, or of all runs. */
  approvals(filter?: { runId?: string }): Promise<ApprovalView[]>;
  decide(approvalId: string, decision: DecisionBody): Promise<{ alreadyDecided: boolean }>;
  outcome(runId: string, body: OutcomeBody): Promise<{ alreadyDecided: boolean }>;
  cancel(runId: string, reason?: string): Promise<{ cancelled: string[] }>;
  /** Starts a new run that continues the ended one from its last good event. */
  retry(runId: string): Promise<{ runId: string }>;
  message(runId: string, text: string): Promise<void>;
  pause(runId: string): Promise<void>;
  resume(runId: string): Promise<void>;
  grants(): Promise<GrantView[]>;
  revokeGrant(id: number): Promise<void>;
  agents(): Promise<AgentView[]>;
  /** Of all runs, or of one and its descendants. */
  messages(filter?: MessagesFilter): Promise<{ messages: MessageRow[]; nextCursor?: string }>;
  usage(filter?: UsageFilter): Promise<UsageReport>;
  verify(runId: string): Promise<Verification>;
  /** For one browser, once; refused where no public server listens. */
  link(): Promise<LinkView>;
}

export function createClient(options: ClientOptions): CadreClient {
  const get = <T>(path: string, query?: Query) => call<T>(options, "GET", path, { query });
  const post = <T>(path: string, body: unknown = {}, headers?: Record<string, string>) =>
    call<T>(options, "POST", path, { body, ...(headers ? { headers } : {}) });
  const ofRun = (runId: string, rest = "") => `/api/runs/${encodeURIComponent(runId)}${rest}`;
  return {
    health: () => get("/api/health"),
    startRun: (request, key) =>
      post("/api/runs", request, key === undefined ? undefined : { "Idempotency-Key": key }),
    runs: ({ status, ...filter } = {}) =>
      get("/api/runs", { ...filter, ...(status ? { status: status.join(",") } : {}) }),
    run: (runId) => get(ofRun(runId)),
    tree: (runId) => get(ofRun(runId, "/tree")),
    events: (runId, after) => allEvents(get, ofRun(runId, "/events"), { after }),
    treeEvents: (runId, after) => allEvents(get, ofRun(runId, "/events"), { after, tree: 1 }),
    follow: (wanted) => follow(options, wanted),
    transcript: (runId) => get(ofRun(runId, "/context")),
    approvals: async ({ runId } = {}) =>
      (await get<{ approvals: ApprovalView[] }>("/api/approvals", { run: runId })).approvals,
    decide: (id, decision) => post(`/api/approvals/${encodeURIComponent(id)}`, decision),
    outcome: (runId, body) => post(ofRun(runId, "/outcome"), body),
    cancel: (runId, reason) => post(ofRun(runId, "/cancel"), reason === undefined ? {} : { reason }),
    retry: (runId) => post(ofRun(runId, "/retry")),
    message: (runId, text) => post(ofRun(runId, "/message"), { text }),
    pause: (runId) => post(ofRun(runId, "/pause")),
    resume: (runId) => post(ofRun(runId, "/resume")),
    grants: async () => (await get<{ grants: GrantView[] }>("/api/grants")).grants,
    revokeGrant: (id) => call(options, "DELETE", `/api/grants/${id}`),
    agents: async () => (await get<{ agents: AgentView[] }>("/api/agents")).agents,
    messages: (filter = {}) => get("/api/messages", { ...filter }),
    usage: (filter = {}) => get("/api/usage", { ...filter }),
    verify: (runId) => get(ofRun(runId, "/verify")),
    link: () => post("/api/link"),
  };
}

/** True where nobody answered, or the answer broke off: whether the request was acted on is not known. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof CadreError && error.details?.["unreachable"] === true;
}

type Query = Record<string, string | number | undefined>;

interface CallOptions {
  query?: Query | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

async function call<T>(client: ClientOptions, method: string, path: string, options: CallOptions = {}) {
  const response = await send(client, method, path, options);
  try {
    return (await response.json()) as T;
  } catch (error) {
    throw unreachable(error);
  }
}

async function send(
  client: ClientOptions,
  method: string,
  path: string,
  { query = {}, body, headers = {}, signal }: CallOptions,
): Promise<Response> {
  const init: RequestInit = {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  };
  let response: Response;
  try {
    response = await client.fetch(`${client.baseUrl ?? "http://cadre"}${path}${queryText(query)}`, init);
  } catch (error) {
    throw unreachable(error);
  }
  if (!response.ok) throw await failureOf(response);
  return response;
}

function queryText(query: Query): string {
  const given = Object.entries(query).filter((entry) => entry[1] !== undefined);
  return given.length === 0
    ? ""
    : `?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
}

async function failureOf(response: Response): Promise<CadreError> {
  const body: unknown = await response.json().catch(() => undefined);
  return (
    errorOf(body) ?? new CadreError("INTERNAL", `The server answered ${response.status} without saying why.`)
  );
}

function errorOf(body: unknown): CadreError | undefined {
  const parsed = ErrorBody.safeParse(body);
  if (!parsed.success) return undefined;
  const { code, message, details } = parsed.data.error;
  return new CadreError(knownCode(code), message, details);
}

/** A newer server may have codes that this client does not know; they must not break who looks them up. */
function knownCode(code: string): ErrorCode {
  try {
    httpStatus(code as ErrorCode);
    return code as ErrorCode;
  } catch {
    return "INTERNAL";
  }
}

function unreachable(cause: unknown): CadreError {
  const message = `The Cadre process that has the store cannot be reached (${messageOf(cause)}). What was recorded is safe; ask again.`;
  return new CadreError("INTERNAL", message, { unreachable: true }, cause);
}

async function allEvents(
  get: <T>(path: string, query?: Query) => Promise<T>,
  path: string,
  { after, ...scope }: Query,
): Promise<JournalEvent[]> {
  const all: JournalEvent[] = [];
  let next = after;
  do {
    const page: { events: JournalEvent[]; nextAfter?: number } = await get(path, { ...scope, after: next });
    all.push(...page.events);
    next = page.nextAfter;
  } while (next !== undefined);
  return all;
}

async function* follow(client: ClientOptions, wanted: FollowOptions): AsyncGenerator<StreamItem, void> {
  const { runId, after, tree, onward, signal } = wanted;
  const path = runId === undefined ? "/api/journal" : `/api/runs/${encodeURIComponent(runId)}/events`;
  const query = { after, tree: tree ? 1 : undefined, follow: onward ? 1 : undefined };
  try {
    const headers = { Accept: "text/event-stream" };
    const response = await send(client, "GET", path, { query, headers, signal });
    for await (const message of messagesOf(response, signal)) {
      if (message.event === STREAM_EVENTS.end) return;
      yield itemOf(message);
    }
    throw unreachable(new Error("the stream broke off"));
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof CadreError ? error : unreachable(error);
  }
}

async function* messagesOf(
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<EventSourceMessage, void> {
  let ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => ready.push(message) });
  const text = response.body!.pipeThrough(new TextDecoderStream(), { signal });
  for await (const chunk of text) {
    parser.feed(chunk);
    const messages = ready;
    ready = [];
    yield* messages;
  }
}

function itemOf({ event, data }: EventSourceMessage): StreamItem {
  switch (event) {
    case undefined:
      return { type: "event", event: JSON.parse(data) };
    case STREAM_EVENTS.delta:
      return { type: "delta", delta: JSON.parse(data) };
    case STREAM_EVENTS.reset:
      return { type: "reset" };
    case STREAM_EVENTS.failure:
      throw errorOf(JSON.parse(data)) ?? new CadreError("INTERNAL", "The stream failed.");
    case STREAM_EVENTS.resync:
      throw new CadreError(
        "STALE",
        "Events came faster than they were read. Nothing is lost: go on from the last one.",
      );
    default:
      throw new CadreError("INTERNAL", `The server sent \`${event}\`, which this version does not know.`);
  }
}
