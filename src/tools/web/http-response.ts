// Helpers for requests to configured servers: addresses, bounded bodies, and short names for failures.

import { messageOf } from "../../errors.ts";

/** Reads a body up to a limit. Undefined if the body is longer. Bytes are counted as they arrive, after decompression. */
export async function readBoundedText(response: Response, max: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > max) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** A code such as ECONNREFUSED, which `fetch` hides in the cause of its error. */
export function fetchErrorCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : messageOf(cause ?? error);
}

/** A sentence about the Retry-After header. Empty if the header contains neither seconds nor a date. */
export function retryAdvice(retryAfter: string | null | undefined): string {
  if (/^\d{1,6}$/.test(retryAfter ?? "")) return ` It asks to wait for ${retryAfter} s.`;
  const at = Date.parse(retryAfter ?? "");
  return Number.isNaN(at) ? "" : ` It asks to wait until ${new Date(at).toISOString()}.`;
}

/** Builds a URL below the base address. The path of the base is kept. */
export function urlBelow(base: URL, path: string, parameters: Record<string, string> = {}): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path}`;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}
