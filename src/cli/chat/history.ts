// The messages that this user has typed, in a file of the user. The newest are kept.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Env, userFolder } from "../../config/trust.ts";

const MOST = 500;

/** Reads the history, the oldest message first. A file that cannot be read is an empty history. */
export function readHistory(env: Env): string[] {
  try {
    const lines = readFileSync(historyFile(env), "utf8").split("\n").filter(Boolean);
    const kept = lines.slice(-MOST);
    if (lines.length > 2 * MOST) writeFileSync(historyFile(env), `${kept.join("\n")}\n`, { mode: 0o600 });
    return kept.flatMap(parseEntry);
  } catch {
    return [];
  }
}

/** Adds a message. A history that cannot be written is no reason to stop the conversation. */
export function addToHistory(text: string, env: Env): void {
  try {
    mkdirSync(dirname(historyFile(env)), { recursive: true, mode: 0o700 });
    appendFileSync(historyFile(env), `${JSON.stringify(text)}\n`, { mode: 0o600 });
  } catch {}
}

const historyFile = (env: Env): string => join(userFolder(env), "history.jsonl");

function parseEntry(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "string" ? [entry] : [];
  } catch {
    return [];
  }
}
