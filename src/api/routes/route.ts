// One route, as one value: what it takes, what it answers, and who does it. The server, its description and the fuzz
// that holds one against the other are all made from the list of these.

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
  M extends Method = Method,
  P extends string = string,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  A extends z.ZodType = z.ZodType,
  I extends boolean = boolean,
> {
  method: M;
  /** With its parameters in braces: `/api/runs/{id}`. */
  path: P;
  summary: string;
  /** What may stand in the address; absent: nothing. */
  query?: Q;
  /** What a POST takes; absent: `{}`, or nothing at all. */
  body?: B;
  /** Of the body, in megabytes, where more is needed than a request usually has. */
  maxMegabytes?: number;
  /** Absent: nothing but its media. */
  answer?: A;
  status?: 200 | 201 | 202;
  /** What else it can answer with, by media type: then the handler answers with a Response of its own. */
  media?: readonly string[];
  /** Further answers, without a body. */
  otherStatuses?: Readonly<Record<number, string>>;
  /** Its parameter may have slashes in it as they are: `ops/planner`. */
  allowSlashes?: boolean;
  /** Takes an `Idempotency-Key`: the same request again does nothing twice. */
  idempotent?: I;
  /** Asked for again and again: says by an `ETag` that nothing has changed. */
  etag?: boolean;
  /** The least role of a named user (default: a viewer reads, an operator does). */
  role?: Role;
  /** How a refusal looks where it is not as everywhere else. */
  refusal?: { schema: z.ZodType; of(error: CadreError): unknown };
}

export interface RouteRequest<P extends string, Q extends z.ZodType, B extends z.ZodType> {
  params: Params<P>;
  query: z.output<Q>;
  body: z.output<B>;
  idempotencyKey: string | undefined;
}

/** The type parameters carry what the client needs to know: it is typed by these values (client/client.ts). */
export interface Route<
  M extends Method = Method,
  P extends string = string,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  A extends z.ZodType = z.ZodType,
  I extends boolean = boolean,
> extends RouteSpec<M, P, Q, B, A, I> {
  handle(c: Context): Promise<Response>;
}

export type Params<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & Params<Rest>
  : unknown;

export function route<
  const M extends Method,
  const P extends string,
  Q extends z.ZodType = typeof NoQuery,
  B extends z.ZodType = typeof EmptyBody,
  A extends z.ZodType = z.ZodNever,
  const I extends boolean = false,
>(
  spec: RouteSpec<M, P, Q, B, A, I>,
  answer: (asked: RouteRequest<P, Q, B>, c: Context) => Given<A> | Promise<Given<A>>,
): Route<M, P, Q, B, A, I> {
  const { method, query = NoQuery, body = EmptyBody, status = 200, etag = false, refusal } = spec;
  const handle = async (c: Context): Promise<Response> => {
    const asked = {
      params: c.req.param(),
      query: readQuery(c, query),
      body: method === "post" ? await readBody(c, body, spec.maxMegabytes) : undefined,
      idempotencyKey: spec.idempotent ? readIdempotencyKey(c) : undefined,
    };
    const given = await answer(asked as RouteRequest<P, Q, B>, c);
    if (given instanceof Response) return given;
    return etag ? tagged(c, given) : Response.json(given, { status });
  };
  if (!refusal) return { ...spec, handle };
  const refused = (error: unknown): Response => {
    const failure = toCadreError(error);
    if (failure.code === "INTERNAL") throw failure;
    return Response.json(refusal.of(failure), { status: statusOf(failure) });
  };
  return { ...spec, handle: (c) => handle(c).catch(refused) };
}

export const roleFor = ({ role, method }: Pick<Route, "role" | "method">): Role =>
  role ?? (method === "get" ? "viewer" : "operator");

type Given<A extends z.ZodType> = z.input<A> | Response;

/**
 * The tag is made of the answer itself: a position would be cheaper, but pruning, setting a run aside and a changed agent
 * file change answers without an event.
 */
function tagged(c: Context, given: unknown): Response {
  const text = JSON.stringify(given);
  const tag = `W/"${createHash("sha1").update(text).digest("base64url")}"`;
  const headers = { ETag: tag, "Cache-Control": "private, no-cache" };
  const known = c.req.header("If-None-Match")?.split(",") ?? [];
  if (known.some((one) => one.trim() === tag)) return new Response(null, { status: 304, headers });
  return new Response(text, { headers: { ...headers, "Content-Type": "application/json" } });
}
