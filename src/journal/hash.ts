// The hash chain over a run's events (P2, J9). Each hash covers the stored bytes of its event and the hash before it, so an
// edit, a gap or a swap shows at the next event. Also the receipt of a call, recorded by its approval and again by its start.

import type { Digest } from "../ids.ts";

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

/** P5: hash of a call's name and input, to prove that what started is what a person approved. */
export const callReceipt = (digest: Digest, name: string, input: unknown): string =>
  digest(JSON.stringify([name, input ?? null]));

export function chainHash(digest: Digest, previous: string, link: ChainLink): string {
  return digest(`${previous}\n${link.seq}\n${link.ts}\n${link.type}\n${link.key}\n${link.text}`);
}
