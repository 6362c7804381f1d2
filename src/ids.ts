// The one door for ids and randomness. Root ids sort by time; child ids are derived, so that re-creating a child
// after a crash finds the same one (J10). Browser-safe: the digest is handed in.

export type RunId = string;
export type Seq = number;
export type Position = number;

/** Hex SHA-256 of a text's UTF-8 bytes. */
export type Digest = (text: string) => string;

export interface Ids {
  /** An id for a root run; later ids sort after earlier ones. */
  runId(now: number): RunId;
  /** Letters and digits that nobody can guess. */
  nonce(): string;
}

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

export const systemIds: Ids = {
  runId: (now) => `r${timePart(now)}${letters(crypto.getRandomValues(new Uint8Array(12)))}`,
  nonce: () => letters(crypto.getRandomValues(new Uint8Array(16))),
};

/** Ids for tests and simulation: the same seed gives the same ids. */
export function seededIds(seed: number): Ids {
  let state = seed >>> 0;
  const bytes = (count: number) =>
    Uint8Array.from({ length: count }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    });
  return {
    runId: (now) => `r${timePart(now)}${letters(bytes(12))}`,
    nonce: () => letters(bytes(16)),
  };
}

/** J10: the same parent, key and attempt always name the same child. */
export function childRunId(digest: Digest, parent: RunId, key: string, attempt = 1): RunId {
  const hex = digest(`${parent}\n${key}\n${attempt}`).slice(0, 42);
  return `c${letters(Uint8Array.from(hex.match(/../g)!, (pair) => Number.parseInt(pair, 16)))}`;
}

/** J10: a tool call is named by its model call and its place in it; a provider's own id may repeat. */
export const toolCallId = (modelCallId: string, index: number): string => `${modelCallId}.${index}`;

export const modelCallId = (number: number): string => `m${number}`;

/** An item that waits for a person, named across all runs. */
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
