// The hash chain over a run's events (P2, J9): each hash covers the stored bytes of its event and the hash before it,
// so an edit, a gap or a swap anywhere shows at the first event after it. And the receipt of a call, which is recorded twice:
// by whoever approves it and by whoever begins it.

import type { Digest } from "../ids.ts";

export interface ChainLink {
  seq: number;
  ts: number;
  type: string;
  key: string;
  /** The payload exactly as stored. */
  text: string;
}

/** What the first event of every run is chained to. */
export const CHAIN_START = "";

/** P5: what a person approves, and what begins: the bytes of one call. */
export const callReceipt = (digest: Digest, name: string, input: unknown): string =>
  digest(JSON.stringify([name, input ?? null]));

export function chainHash(digest: Digest, previous: string, link: ChainLink): string {
  return digest(`${previous}\n${link.seq}\n${link.ts}\n${link.type}\n${link.key}\n${link.text}`);
}
