// Field names and enum values of the journal. They are never masked, even if a folder's `.env` declares one of them as a secret.
// Masking the field `untrusted` would remove the taint. Masking `ancestors` would remove the rules of the runs above (A61).

import { z } from "zod";
import { Definition } from "../definition.ts";
import { payloads } from "../events.ts";

/** Field names of values that are passed to a store but are not in an event. */
const OF_STORES = ["children", "concurrent", "suspended"];

let known: readonly string[] | undefined;

/** The words are collected from the schemas on first use. If there are no secrets, the words are never needed. */
export function journalWords(): readonly string[] {
  known ??= [...new Set([...OF_STORES, ...[z.object(payloads), Definition].map(schemaOf).flatMap(wordsIn)])];
  return known;
}

function schemaOf(type: z.ZodType): unknown {
  return z.toJSONSchema(type, { io: "input", unrepresentable: "any" });
}

/** Property names and constants of a JSON schema. */
function wordsIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, inner]) => {
    if (key === "properties") return [...Object.keys(inner), ...Object.values(inner).flatMap(wordsIn)];
    if (key === "const") return [String(inner)];
    if (key === "enum") return (inner as unknown[]).map(String);
    return wordsIn(inner);
  });
}
