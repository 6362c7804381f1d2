// The words that the journal itself is written in: the names of its fields, and what is chosen from a list. A folder's
// `.env` may say that one of them is a secret. Masked, `untrusted` or `ancestors` would be a field that nobody reads,
// and with it the taint and the rules from above would be gone (A61).

import { z } from "zod";
import { Definition } from "../definition.ts";
import { payloads } from "../events.ts";

/** Of what is handed to a store beside events. */
const OF_STORES = ["children", "concurrent", "suspended"];

let known: readonly string[] | undefined;

/** Read out of the schemas when they are first asked for: where there is no secret, nobody asks. */
export function journalWords(): readonly string[] {
  known ??= [...new Set([...OF_STORES, ...[z.object(payloads), Definition].map(schemaOf).flatMap(wordsIn)])];
  return known;
}

function schemaOf(type: z.ZodType): unknown {
  return z.toJSONSchema(type, { io: "input", unrepresentable: "any" });
}

/** Names of properties, and constants. */
function wordsIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, inner]) => {
    if (key === "properties") return [...Object.keys(inner), ...Object.values(inner).flatMap(wordsIn)];
    if (key === "const") return [String(inner)];
    if (key === "enum") return (inner as unknown[]).map(String);
    return wordsIn(inner);
  });
}
