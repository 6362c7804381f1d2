// Reads a request and checks it. The error for an invalid request is one sentence that names the wrong field.

import type { Context } from "hono";
import type { z } from "zod";
import { describeIssue } from "../../config/read-keys.ts";
import { CadreError } from "../../errors.ts";
import { isTooDeep } from "../../journal/message.ts";
import { HttpError, InvalidJsonError } from "../server/http-errors.ts";

const MEGABYTE = 1024 * 1024;
/** Default size limit of a body, in megabytes. */
const MAX_MEGABYTES = 4;
const MAX_DEPTH = 100;
const MAX_KEY = 255;

/** Reads the JSON body. An empty body means `{}`, because most actions on a run need no input. */
export async function readBody<T extends z.ZodType>(
  c: Context,
  schema: T,
  most = MAX_MEGABYTES,
): Promise<z.output<T>> {
  const text = await boundedText(c.req.raw.body, most).catch(throwBrokenOff);
  let body: unknown = {};
  try {
    if (text.trim() !== "") body = JSON.parse(text);
  } catch {
    throw new InvalidJsonError();
  }
  if (isTooDeep(body, MAX_DEPTH))
    throw new CadreError("BAD_REQUEST", `The body is nested deeper than ${MAX_DEPTH}. Nothing was changed.`);
  return parseOrThrow(schema, body, "body");
}

export function readQuery<T extends z.ZodType>(c: Context, schema: T): z.output<T> {
  const given = Object.entries(c.req.queries());
  const query = Object.fromEntries(
    given.map(([key, values]) => [key, values.length === 1 ? values[0] : values]),
  );
  return parseOrThrow(schema, query, "query");
}

export function readIdempotencyKey(c: Context): string | undefined {
  const key = c.req.header("Idempotency-Key");
  if (key === undefined || (key !== "" && key.length <= MAX_KEY)) return key;
  throw new CadreError(
    "BAD_REQUEST",
    `An Idempotency-Key has 1 to ${MAX_KEY} characters. Nothing was started.`,
  );
}

function parseOrThrow<T extends z.ZodType>(schema: T, value: unknown, where: "body" | "query"): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({
    path: issue.path.join("."),
    message: describeIssue(issue),
  }));
  const first = issues[0]!;
  const place = first.path === "" ? `The ${where}` : `\`${first.path}\` in the ${where}`;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  throw new CadreError("BAD_REQUEST", `${place} ${first.message}${more}. Nothing was changed.`, { issues });
}

/** Throws a 400 error, because a client that disconnects while sending is not the server's fault. */
function throwBrokenOff(error: unknown): never {
  if (error instanceof HttpError) throw error;
  throw new HttpError(400, "The request broke off before its end. Nothing was changed.");
}

/** Reads the bytes of a body, up to a limit. */
export async function readBytes({ req }: Context, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const read = async (): Promise<void> => {
    for await (const chunk of req.raw.body ?? []) {
      size += chunk.byteLength;
      if (size > most)
        throw new HttpError(413, `The body is larger than ${most / 1_024} kB. Nothing was changed.`);
      chunks.push(chunk);
    }
  };
  await read().catch(throwBrokenOff);
  return Buffer.concat(chunks);
}

/** Reads the body up to a limit. It counts the bytes, because `Content-Length` might be wrong. */
async function boundedText(body: ReadableStream<Uint8Array> | null, most: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > most * MEGABYTE)
      throw new HttpError(413, `The body is larger than ${most} MB. Nothing was changed.`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
