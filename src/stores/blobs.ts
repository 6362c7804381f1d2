// Texts by their hashes.

import { hash as nodeHash } from "node:crypto";
import type { Digest } from "../ids.ts";

export const digest: Digest = (text) => nodeHash("sha256", text, "hex");

const ESCAPED = "j";

/** J9: a text is named by its hash. UTF-8 cannot hold a lone surrogate, so a text that has one is kept as JSON. */
export function encodeBlob(text: string): { name: string; stored: string } {
  if (text.isWellFormed()) return { name: digest(text), stored: text };
  const stored = JSON.stringify(text);
  return { name: `${ESCAPED}${digest(stored)}`, stored };
}

/** Undefined: what is stored is not what its name says. */
export function decodeBlob(name: string, stored: string): string | undefined {
  const text = name.startsWith(ESCAPED) ? (JSON.parse(stored) as string) : stored;
  return encodeBlob(text).name === name ? text : undefined;
}
