// Strict tools: the provider makes sure that the model's input matches the schema of its tool.
// A provider accepts this only for schemas in which every property is required and no other property is allowed.

/** Keywords that every provider with strict tools knows. A provider rejects a strict schema with other keywords. */
const KEYWORDS = new Set(
  "type properties required additionalProperties items enum const anyOf description title".split(" "),
);

const MAX_DEPTH = 5;

/** Whether a schema of a tool's input can be strict. */
export function isStrictSchema(schema: unknown, depth = 1): boolean {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH) return false;
  const { type, properties, required, additionalProperties, items, anyOf, ...rest } = schema as JsonSchema;
  if (Object.keys(rest).some((key) => !KEYWORDS.has(key))) return false;
  const types = [type].flat();
  if (depth === 1 && type !== "object") return false;
  if (types.includes("object")) {
    const names = Object.keys(properties ?? {});
    if (additionalProperties !== false || !required || names.length === 0) return false;
    if (names.some((name) => !required.includes(name))) return false;
  }
  if (types.includes("array") && items === undefined) return false;
  if (type === undefined && !anyOf && !("enum" in rest) && !("const" in rest)) return false;
  const inner = [
    ...Object.values(properties ?? {}),
    ...(items === undefined ? [] : [items]),
    ...(anyOf ?? []),
  ];
  return inner.every((each) => isStrictSchema(each, depth + 1));
}

interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, unknown>;
  required?: string[];
  additionalProperties?: unknown;
  items?: unknown;
  anyOf?: unknown[];
}
