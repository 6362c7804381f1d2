// The hashes that protect the data in a store (J9).
//  - A blob is a text that is stored under its hash: a value, or a payload that is too large for an event's row.
//  - The events of a run form a chain (P2). Each hash covers the stored bytes of its event and the previous hash.
//    An edited, missing or swapped event is therefore detected at the next event.

import { hash as nodeHash } from "node:crypto";
import { CadreError } from "../errors.ts";
import type { Digest } from "../ids.ts";
import type { JournalEvent } from "../journal/events.ts";
import { referencedBlobs } from "../journal/events.ts";

export const digest: Digest = (text) => nodeHash("sha256", text, "hex");

/** The part of an event that its hash covers. */
export interface ChainLink {
  seq: number;
  ts: number;
  type: string;
  key: string;
  /** The payload exactly as stored. */
  text: string;
}

/** The "previous hash" of a run's first event. */
export const CHAIN_START = "";

export function chainHash(previous: string, link: ChainLink): string {
  return digest(`${previous}\n${link.seq}\n${link.ts}\n${link.type}\n${link.key}\n${link.text}`);
}

const ESCAPED = "j";
const FILE = "f";

/** J9: the name of a text is its hash. UTF-8 cannot encode a lone surrogate, so a text that contains one is stored as JSON. */
export function encodeBlob(text: string): { name: string; stored: string } {
  if (text.isWellFormed()) return { name: digest(text), stored: text };
  const stored = JSON.stringify(text);
  return { name: `${ESCAPED}${digest(stored)}`, stored };
}

/** The bytes of a file are stored as base64. Their name is the hash of the bytes themselves. */
export const encodeFile = (bytes: Uint8Array): { name: string; stored: string } => ({
  name: `${FILE}${nodeHash("sha256", bytes, "hex")}`,
  stored: Buffer.from(bytes).toString("base64"),
});

export const isFileBlob = (name: string): boolean => name.startsWith(FILE) && name.length === 65;

/** The text of a blob, or the base64 of a file. Undefined if the stored text does not match its name. */
export function decodeBlob(name: string, stored: string): string | undefined {
  if (isFileBlob(name)) return encodeFile(Buffer.from(stored, "base64")).name === name ? stored : undefined;
  const text = name.startsWith(ESCAPED) ? (JSON.parse(stored) as string) : stored;
  return encodeBlob(text).name === name ? text : undefined;
}

/** Larger payloads are kept as blobs, so that reading a journal stays cheap. */
export const MAX_INLINE_PAYLOAD = 2_000_000;

/** The blobs that an event needs: its payload, if the payload is stored as a blob, and the blobs that the payload refers to. */
export function neededBlobs(event: JournalEvent, stored: string): readonly string[] {
  const payload = blobNameIn(stored);
  const values = referencedBlobs(event);
  return payload === undefined ? values : [payload, ...values];
}

/** The name of the blob that contains the payload. */
export function blobNameIn(stored: string): string | undefined {
  return stored.startsWith('{"$blob":') ? (JSON.parse(stored) as { $blob: string }).$blob : undefined;
}

/** J9: the chain covers only the name of a blob, so the blob's text is compared with its name. */
export function payloadText(stored: string, find: (name: string) => string | undefined): string {
  const name = blobNameIn(stored);
  if (name === undefined) return stored;
  const found = find(name);
  if (found !== undefined && digest(found) === name) return found;
  throw new CadreError(
    "JOURNAL_CORRUPT",
    `The stored value ${name} is missing or damaged. Only what needs it is affected.`,
  );
}
