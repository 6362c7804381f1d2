// The client of the API, for the CLI, the dashboard and the protocols. They differ only in the `fetch` that they hand in.
// It has no list of requests: each call names a route by its path, and the types come from the route values of the
// server (routes/index.ts). Only types are imported from there, so a browser loads neither schemas nor handlers.
//
//   await client.get("/api/runs/{id}", { id });
//   await client.post("/api/runs/{id}/message", { id, body: { text }, idempotencyKey });
//
// A failure arrives as the CadreError that the server threw. The client never tries again: the caller knows whether to
// repeat the request, or to take the place of an owner process that has gone (E1).

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
  /** The response itself, of a route that answers with a file. */
  send<M extends Method, P extends Path<M>>(
    method: M,
    path: P,
    ...request: Arguments<M, P>
  ): Promise<Response>;
  /** All events of a run after a position. */
  events(runId: string, after?: number): Promise<JournalEvent[]>;
  /** All events of a run and its descendants, in commit order. */
  treeEvents(runId: string, after?: number): Promise<JournalEvent[]>;
  /**
   * Returns when the run has ended or the signal is aborted. Throws when the connection is lost (`isUnreachable`) or
   * when the reader was too slow (`STALE`): go on from the last event's position.
   */
  follow(options: FollowOptions): AsyncGenerator<StreamItem, void>;
  /** Everything that happens to all runs from now on, in the words of S4. Never ends by itself; throws as `follow` does. */
  feed(options: FeedOptions): AsyncGenerator<FeedItem, void>;
  /** The prompt and messages that the model of a run sees. */
  transcript(runId: string): Promise<TranscriptView>;
}

/** The paths that the API has for a method. */
export type Path<M extends Method> = RouteBy<M>["path"];

/** The value that a route answers with. */
export type AnswerOf<M extends Method, P extends string> =
  RouteBy<M, P> extends Route<M, P, infer _Q, infer _B, infer A>
    ? [A] extends [z.ZodNever]
      ? object
      : z.output<A>
    : never;

/** What a route takes: its path parameters and its query by their names, the body, and a key that makes repeating safe. */
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
/** As the server reads it: `true` and lists become text on the way (send.ts). */
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
/** Zod's type of an object without properties. */
type IsEmpty<T> = string extends keyof T ? true : false;
type KeyOf = { idempotencyKey?: string | undefined };
/** A property that may be absent may also be undefined: JSON and addresses leave it out. */
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

/** Puts the named values into the path; the others become the query. */
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
