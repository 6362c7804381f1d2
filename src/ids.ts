// Makes and reads ids. Root ids sort by time.
// Child ids are derived from the parent, so that a child that is created again after a crash gets the same id (J10).
// The caller passes the digest function, so this code also runs in a browser.

export type RunId = string;
export type Seq = number;
export type Position = number;

/** Hex SHA-256 of the UTF-8 bytes of a text. */
export type Digest = (text: string) => string;

export interface Ids {
  /** A new id for a root run. Later ids sort after earlier ones. */
  runId(now: number): RunId;
  /** Random letters and digits that cannot be guessed. */
  nonce(): string;
}

/** Number of characters of every id of a run. */
export const RUN_ID_LENGTH = 22;

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Makes ids from a source of random bytes. */
export const idsFrom = (bytes: (count: number) => Uint8Array): Ids => ({
  runId: (now) => `r${timePart(now)}${letters(bytes(12))}`,
  nonce: () => letters(bytes(16)),
});

/** Makes ids for tests and simulation. The same seed gives the same ids. */
export function seededIds(seed: number): Ids {
  let state = seed >>> 0;
  return idsFrom((count) =>
    Uint8Array.from({ length: count }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
}

/** J10: the same parent, key and attempt always give the same child id. */
export function childRunId(digest: Digest, parent: RunId, key: string, attempt = 1): RunId {
  const hex = digest(`${parent}\n${key}\n${attempt}`).slice(0, 42);
  return `c${letters(Uint8Array.from(hex.match(/../g)!, (pair) => Number.parseInt(pair, 16)))}`;
}

/** J10: the id of a tool call consists of the model call's id and an index. The provider's own ids are not unique. */
export const toolCallId = (modelCallId: string, index: number): string => `${modelCallId}.${index}`;

/** The idempotency key of a tool call. It is the same for every attempt. */
export const toolCallKey = (runId: RunId, callId: string): string => `${runId}/${callId}`;

export const modelCallId = (number: number): string => `m${number}`;

/** Makes the id of an inbox item, which is unique across all runs. */
export const approvalId = (runId: RunId, itemId: string): string => `${runId}:${itemId}`;

export function parseApprovalId(id: string): { runId: RunId; itemId: string } | undefined {
  const at = id.indexOf(":");
  if (at < 1 || at === id.length - 1) return undefined;
  return { runId: id.slice(0, at), itemId: id.slice(at + 1) };
}

function timePart(now: number): string {
  let rest = now;
  let text = "";
  for (let i = 0; i < 9; i++) {
    text = ALPHABET[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function letters(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += ALPHABET[byte % 32];
  return text;
}
