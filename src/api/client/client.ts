// The API client of the CLI, the dashboard and the MCP, ACP and OpenAI servers. Each of them passes its own `fetch` function.
// The client has no list of requests: each call names a route by its path, and the types come from the server's routes (routes/index.ts).
// Only types are imported from the routes, so a browser loads neither schemas nor handlers.
//
//   await client.get("/api/runs/{id}", { id });
//   await client.post("/api/runs/{id}/message", { id, body: { text }, idempotencyKey });
//
// A failed call throws the CadreError that the server threw. The client never retries.
// The caller decides whether to repeat the request, and whether to replace an owner process that has stopped (E1).

import type { z } from "zod";
import type { JournalEvent } from "../../journal/events.ts";
import type { ApiRoute } from "../routes/index.ts";
import type { Method, Params, Route } from "../routes/route.ts";
import { type ClientOptions, isUnreachable, jsonOf, type Query, send } from "./send.ts";
import { type FeedOptions, type FollowOptions, follow, followFeed } from "./stream.ts";
import type { FeedItem, StreamItem } from "./stream-events.ts";
import type { TranscriptView } from "./types.ts";

export { type ClientOptions, type FeedOptions, type FollowOptions, isUnreachable };

export interface CadreClient {
  get<P extends Path<"get">>(path: P, ...request: Arguments<"get", P>): Promise<AnswerOf<"get", P>>;
  post<P extends Path<"post">>(path: P, ...request: Arguments<"post", P>): Promise<AnswerOf<"post", P>>;
  delete<P extends Path<"delete">>(
    path: P,
    ...request: Arguments<"delete", P>
  ): Promise<AnswerOf<"delete", P>>;
  /** Returns the raw response, for routes that answer with a file. */
  send<M extends Method, P extends Path<M>>(
    method: M,
    path: P,
    ...request: Arguments<M, P>
  ): Promise<Response>;
  /** Returns all events of a run after a position. */
  events(runId: string, after?: number): Promise<JournalEvent[]>;
  /** Returns all events of a run and its descendants, in commit order. */
  treeEvents(runId: string, after?: number): Promise<JournalEvent[]>;
  /**
   * Follows events until the run ends or the signal is aborted.
   * Throws if the connection is lost (`isUnreachable`) or the reader was too slow (`STALE`).
   * After an error, call `follow` again with the position of the last event.
   */
  follow(options: FollowOptions): AsyncGenerator<StreamItem, void>;
  /** Follows all runs from now on, with the message types of contract S4. The feed never ends by itself. It can throw the errors of `follow`. */
  feed(options: FeedOptions): AsyncGenerator<FeedItem, void>;
  /** Reads the prompt and the messages that a run's model sees. */
  transcript(runId: string): Promise<TranscriptView>;
}

/** The paths of the API's routes with this method. */
export type Path<M extends Method> = RouteBy<M>["path"];

/** The type of a route's answer. */
export type AnswerOf<M extends Method, P extends string> =
  RouteBy<M, P> extends Route<M, P, infer _Q, infer _B, infer A>
    ? [A] extends [z.ZodNever]
      ? object
      : z.output<A>
    : never;

/** The type of a route's request: path parameters, query, body and idempotency key. */
export type RequestOf<M extends Method, P extends string> =
  RouteBy<M, P> extends Route<M, P, infer Q, infer B, infer _A, infer I>
    ? PathParams<P> &
        QueryOf<Q> &
        (M extends "post" ? BodyOf<B> : unknown) &
        (I extends true ? KeyOf : unknown)
    : never;

type RouteBy<M extends Method, P extends string = string> = Extract<ApiRoute, { method: M; path: P }>;

type Arguments<M extends Method, P extends string> =
  Record<never, never> extends RequestOf<M, P> ? [request?: RequestOf<M, P>] : [request: RequestOf<M, P>];

type PathParams<P extends string> = { [K in keyof Params<P>]: string | number };
/** The query's type as the server reads it. send.ts converts booleans and lists to text. */
type QueryOf<Q extends z.ZodType> =
  IsEmpty<z.input<Q>> extends true
    ? unknown
    : Optional<{ [K in keyof z.input<Q>]: Readonly<z.output<Q>[K & keyof z.output<Q>]> }>;
type BodyOf<B extends z.ZodType> =
  IsEmpty<z.input<B>> extends true
    ? unknown
    : Record<never, never> extends z.input<B>
      ? { body?: Optional<z.input<B>> }
      : { body: Optional<z.input<B>> };
/** True for an object type without properties, as Zod infers it. */
type IsEmpty<T> = string extends keyof T ? true : false;
type KeyOf = { idempotencyKey?: string | undefined };
/** Allows undefined for optional properties, because JSON and URLs leave undefined values out. */
type Optional<T> = { [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K] };

interface AnyRequest {
  body?: unknown;
  idempotencyKey?: string | undefined;
  [name: string]: unknown;
}

export function createClient(options: ClientOptions): CadreClient {
  const request = (method: Method, route: string, { body, idempotencyKey, ...named }: AnyRequest = {}) => {
    const { path, query } = addressOf(route, named as Query);
    return send(options, method.toUpperCase(), path, {
      query,
      ...(method === "post" ? { body: body ?? {} } : {}),
      ...(idempotencyKey === undefined ? {} : { headers: { "Idempotency-Key": idempotencyKey } }),
    });
  };
  const client: CadreClient = {
    get: async (path, ...[given]) => jsonOf(await request("get", path, given)),
    post: async (path, ...[given]) => jsonOf(await request("post", path, given)),
    delete: async (path, ...[given]) => jsonOf(await request("delete", path, given)),
    send: (method, path, ...[given]) => request(method, path, given),
    events: (runId, after) => allEvents(client, runId, after, false),
    treeEvents: (runId, after) => allEvents(client, runId, after, true),
    follow: (wanted) => follow(options, wanted),
    feed: (wanted) => followFeed(options, wanted),
    transcript: (id) => client.get("/api/runs/{id}/context", { id }) as Promise<TranscriptView>,
  };
  return client;
}

/** Inserts the path parameters into the path. The other values are sent as the query. */
function addressOf(route: string, named: Query): { path: string; query: Query } {
  const query = { ...named };
  const path = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = query[name];
    delete query[name];
    return encodeURIComponent(String(value));
  });
  return { path, query };
}

async function allEvents(client: CadreClient, id: string, after: number | undefined, tree: boolean) {
  const all: JournalEvent[] = [];
  let next = after;
  do {
    const page = await client.get("/api/runs/{id}/events", { id, after: next, tree });
    all.push(...page.events);
    next = page.nextAfter;
  } while (next !== undefined);
  return all;
}
