// Sends one request of the client. On failure, throws the server's CadreError, or a CadreError that says the server was unreachable.

import { CadreError, describeSystemError, type ErrorCode, httpStatus } from "../../errors.ts";
import type { ErrorBody } from "./types.ts";

export interface ClientOptions {
  fetch: (url: string, init?: RequestInit) => Promise<Response>;
  baseUrl?: string;
  /** The protocol through which the person acts, such as `mcp`. Undefined if the person uses Cadre directly. */
  via?: string | undefined;
}

export const VIA_HEADER = "Cadre-Via";

export type QueryValue = string | number | boolean | readonly string[] | undefined;
/** A boolean is sent as 1 or 0, and a list as one string with commas. Undefined values are left out. */
export type Query = Record<string, QueryValue>;

export interface CallOptions {
  query?: Query | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export async function send(
  client: ClientOptions,
  method: string,
  path: string,
  { query = {}, body, headers = {}, signal }: CallOptions,
): Promise<Response> {
  const init: RequestInit = {
    method,
    headers: {
      ...(client.via === undefined ? {} : { [VIA_HEADER]: client.via }),
      ...headers,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  };
  let response: Response;
  try {
    response = await client.fetch(`${client.baseUrl ?? "http://cadre"}${path}${queryText(query)}`, init);
  } catch (error) {
    throw unreachableError(error);
  }
  if (!response.ok) throw await failureOf(response);
  return response;
}

/** Reads the JSON of an answer. An answer that breaks off is reported as a lost connection. */
export async function jsonOf<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (error) {
    throw unreachableError(error);
  }
}

function queryText(query: Query): string {
  const given = Object.entries(query).filter((entry) => entry[1] !== undefined);
  return given.length === 0
    ? ""
    : `?${new URLSearchParams(given.map(([key, value]) => [key, queryValue(value)]))}`;
}

const queryValue = (value: QueryValue): string => String(typeof value === "boolean" ? Number(value) : value);

async function failureOf(response: Response): Promise<CadreError> {
  const body: unknown = await response.json().catch(() => undefined);
  return (
    errorOf(body) ??
    new CadreError("INTERNAL", `The server answered ${response.status} without a reason. See its log.`)
  );
}

export function errorOf(body: unknown): CadreError | undefined {
  if (!isErrorBody(body)) return undefined;
  const { code, message, details } = body.error;
  return new CadreError(knownCode(code), message, details);
}

/** Checks an error body without a schema, because the web page must not load schemas. */
function isErrorBody(body: unknown): body is ErrorBody {
  const error = (body as Partial<ErrorBody> | null | undefined)?.error;
  if (typeof error?.code !== "string" || typeof error.message !== "string") return false;
  const { details = {} } = error;
  return typeof details === "object" && details !== null && !Array.isArray(details);
}

/** Replaces unknown error codes with INTERNAL, because a newer server might send codes that this client does not know. */
function knownCode(code: string): ErrorCode {
  try {
    httpStatus(code as ErrorCode);
    return code as ErrorCode;
  } catch {
    return "INTERNAL";
  }
}

export function unreachableError(cause: unknown): CadreError {
  const message = `The Cadre process that has the store cannot be reached (${describeSystemError(cause)}). What was recorded is safe; try again.`;
  return new CadreError("INTERNAL", message, { unreachable: true }, cause);
}

/** True if no server answered or the answer broke off. In both cases we do not know whether the request took effect. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof CadreError && error.details?.["unreachable"] === true;
}
