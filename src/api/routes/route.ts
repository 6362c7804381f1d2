// A route is one value: the request and answer schemas, the role it requires, and its handler.
// The server, the client's types, the API's description and the fuzz test are all derived from the list of routes.

import { createHash } from "node:crypto";
import type { Context } from "hono";
import type { z } from "zod";
import { type CadreError, toCadreError } from "../../errors.ts";
import type { Role } from "../../stores/users.ts";
import { statusOf } from "../server/http-errors.ts";
import { readBody, readIdempotencyKey, readQuery } from "./request.ts";
import { EmptyBody, NoQuery } from "./schemas.ts";

export type Method = "get" | "post" | "delete";

export interface RouteSpec<
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  A extends z.ZodType = z.ZodType,
  I extends boolean = boolean,
> {
  summary: string;
  /** Schema of the query parameters. Absent if the route has none. */
  query?: Q;
  /** Schema of a POST body. If absent, the body must be empty or `{}`. */
  body?: B;
  /** True if the handler reads the body itself, as bytes. */
  raw?: boolean;
  /** Size limit of the body. Set only if the default is too small. */
  maxMegabytes?: number;
  /** Schema of the JSON answer. If absent, the route answers with one of the `media` types, or with `{}` if there are none. */
  answer?: A;
  status?: 200 | 201 | 202;
  /** Media types other than JSON. For these the handler returns a Response. */
  media?: readonly string[];
  /** Other statuses that the route can answer with, and their descriptions. These answers have no body. */
  otherStatuses?: Readonly<Record<number, string>>;
  /** True if the path parameter can contain slashes, as in `ops/planner`. */
  allowSlashes?: boolean;
  /** True if the route accepts an `Idempotency-Key`, which makes repeating the request safe. */
  idempotent?: I;
  /** True if the route answers with an `ETag`, for clients that poll. */
  etag?: boolean;
  /** Minimum role of a named user. The default is viewer for GET and operator for other methods. */
  role?: Role;
}

export interface RouteRequest<P extends string, Q extends z.ZodType, B extends z.ZodType> {
  params: Params<P>;
  query: z.output<Q>;
  body: z.output<B>;
  idempotencyKey: string | undefined;
}

/** A route of the API. The client's types are derived from its type parameters (client/client.ts). */
export interface Route<
  M extends Method = Method,
  P extends string = string,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  A extends z.ZodType = z.ZodType,
  I extends boolean = boolean,
> extends RouteSpec<Q, B, A, I> {
  method: M;
  /** Path with the parameters in braces: `/api/runs/{id}`. */
  path: P;
  refusal?: RefusalForm | undefined;
  handle(c: Context): Promise<Response>;
}

/** The format of error answers, for routes that do not use the API's usual format. */
export interface RefusalForm {
  schema: z.ZodType;
  of(error: CadreError): unknown;
}

export type Params<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & Params<Rest>
  : unknown;

/** Builds routes: `route.get(path, spec, handler)`. */
export const route = routesWith(undefined);

export function routesWith(refusal: RefusalForm | undefined) {
  return {
    get: routeBuilder("get", refusal),
    post: routeBuilder("post", refusal),
    delete: routeBuilder("delete", refusal),
  };
}

function routeBuilder<const M extends Method>(method: M, refusal: RefusalForm | undefined) {
  return <
    const P extends string,
    Q extends z.ZodType = typeof NoQuery,
    B extends z.ZodType = typeof EmptyBody,
    A extends z.ZodType = z.ZodNever,
    const I extends boolean = false,
  >(
    path: P,
    spec: RouteSpec<Q, B, A, I>,
    answer: (request: RouteRequest<P, Q, B>, c: Context) => Answer<A> | Promise<Answer<A>>,
  ): Route<M, P, Q, B, A, I> => {
    const { query = NoQuery, body = EmptyBody, status = 200, etag = false } = spec;
    const respond = async (c: Context): Promise<Response> => {
      const request = {
        params: c.req.param(),
        query: readQuery(c, query),
        body: method === "post" && !spec.raw ? await readBody(c, body, spec.maxMegabytes) : undefined,
        idempotencyKey: spec.idempotent ? readIdempotencyKey(c) : undefined,
      };
      const value = await answer(request as RouteRequest<P, Q, B>, c);
      if (value instanceof Response) return value;
      return etag ? withEtag(c, value) : Response.json(spec.answer ? value : {}, { status });
    };
    const refuse = (error: unknown): Response => {
      const failure = toCadreError(error);
      if (!refusal || failure.code === "INTERNAL") throw error;
      return Response.json(refusal.of(failure), { status: statusOf(failure) });
    };
    return { ...spec, method, path, refusal, handle: (c) => respond(c).catch(refuse) };
  };
}

export const roleFor = ({ role, method }: Pick<Route, "role" | "method">): Role =>
  role ?? (method === "get" ? "viewer" : "operator");

/** If a route has no `answer` schema, its handler can return anything. A Response is sent as it is. For any other value, the server sends `{}`. */
type Answer<A extends z.ZodType> = [A] extends [z.ZodNever] ? unknown : z.input<A> | Response;

/**
 * Adds an ETag, which is a hash of the answer.
 * The journal's position would be cheaper. But pruning, quarantine and changed agent files change answers without an event.
 */
function withEtag(c: Context, value: unknown): Response {
  const text = JSON.stringify(value);
  const tag = `W/"${createHash("sha1").update(text).digest("base64url")}"`;
  const headers = { ETag: tag, "Cache-Control": "private, no-cache" };
  const known = c.req.header("If-None-Match")?.split(",") ?? [];
  if (known.some((one) => one.trim() === tag)) return new Response(null, { status: 304, headers });
  return new Response(text, { headers: { ...headers, "Content-Type": "application/json" } });
}
