// What the answers of configured servers have in common: bodies are bounded, and failures have a name.

import { messageOf } from "../../errors.ts";

/** Undefined: too much. Bytes are counted as they come, after unpacking. */
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

/** A code such as ECONNREFUSED, which `fetch` hides behind its own words. */
export function fetchErrorCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : messageOf(cause ?? error);
}

/** How long a server asks to be left alone, in words of our own: seconds or a date, or nothing. */
export function retryAdvice(retryAfter: string | null | undefined): string {
  if (/^\d{1,6}$/.test(retryAfter ?? "")) return ` It asks to wait for ${retryAfter} s.`;
  const at = Date.parse(retryAfter ?? "");
  return Number.isNaN(at) ? "" : ` It asks to wait until ${new Date(at).toISOString()}.`;
}
