// Checks arguments of programs that were not type-checked. A wrong value in a journal could not be read again.

import { CadreError } from "../errors.ts";

/** Throws BAD_REQUEST if a value is given and is not text. */
export function requireTexts(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || typeof value === "string") continue;
    throw new CadreError(
      "BAD_REQUEST",
      `\`${name}\` must be text, not ${typeof value}. Nothing was changed.`,
    );
  }
}
