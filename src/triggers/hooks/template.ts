// Fills values of a message into a text. A template names values and does nothing else: there is no code, no call and no second pass,
// so `{{…}}` inside a value stays text (A105).

import { revealHidden } from "../../journal/visible.ts";

/** `missing` names the first value that the message does not have, or that is not a text, a number or a yes or no. */
export type Filled = { ok: true; text: string } | { ok: false; missing: string };

const MOST_CHARACTERS = 300;
const MOST_PARTS = 20;

export function fillTemplate(template: string, message: unknown): Filled {
  let missing: string | undefined;
  const text = template.replace(/\{\{\s*([^{}]*?)(\?)?\s*\}\}/g, (_, path: string, optional?: string) => {
    const value = readPath(message, path);
    if (isPlain(value)) return oneLine(String(value));
    if (optional === undefined) missing ??= path;
    return "";
  });
  return missing === undefined ? { ok: true, text } : { ok: false, missing };
}

/** Reads `alerts[0].labels.severity`. Only a message's own values are found, so `__proto__` and `constructor` lead nowhere. */
export function readPath(message: unknown, path: string): unknown {
  const parts = path.split(/[.[\]]+/).filter((part) => part !== "");
  if (parts.length > MOST_PARTS) return undefined;
  let value = message;
  for (const part of parts) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

export const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** A value cannot begin a line of its own in the task, and hidden characters are visible. */
function oneLine(text: string): string {
  const line = revealHidden(text.slice(0, 4 * MOST_CHARACTERS))
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= MOST_CHARACTERS ? line : `${line.slice(0, MOST_CHARACTERS - 1).toWellFormed()}…`;
}
