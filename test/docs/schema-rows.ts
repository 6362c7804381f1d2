// Converts a zod schema to table rows. Each key has its values and its meaning, and its nested keys follow.

import { z } from "zod";
import { Duration } from "../../src/config/duration.ts";

export interface Row {
  key: string;
  values: string;
  meaning: string;
}

interface Json {
  type?: string | string[];
  format?: string;
  enum?: string[];
  const?: string | number | boolean;
  anyOf?: Json[];
  items?: Json;
  properties?: Record<string, Json>;
  required?: string[];
  additionalProperties?: Json | boolean;
  description?: string;
  default?: unknown;
}

export function rowsOf(shape: z.ZodRawShape): Row[] {
  const { properties = {} } = z.toJSONSchema(z.object(shape).partial(), {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === Duration) jsonSchema.format = "duration";
    },
  }) as Json;
  return Object.entries(properties).flatMap(([key, schema]) => rows(key, schema));
}

function rows(key: string, schema: Json): Row[] {
  const inner = formsOf(schema).find(({ properties }) => properties) ?? mapValues(schema);
  const prefix = inner && inner === mapValues(schema) ? `${key}.<name>` : key;
  const below = Object.entries(inner?.properties ?? {});
  return [
    { key, values: valuesOf(schema), meaning: schema.description ?? "" },
    ...below.flatMap(([name, each]) => rows(`${prefix}.${name}`, each)),
  ];
}

function valuesOf(schema: Json): string {
  if (schema.format === "duration") return "a time";
  if (schema.enum) return schema.enum.map((each) => `\`${each}\``).join(", ");
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.anyOf)
    return [...new Set(schema.anyOf.map(valuesOf))].filter((each) => each !== "null").join(", or ");
  if (schema.type === "array") return `a list of ${nouns(schema.items)}`;
  if (schema.type === "object") return mapValues(schema) ? "by name" : "a mapping";
  const types = [schema.type ?? ""].flat();
  return types.map((type) => NOUNS[type] ?? "anything").join(", or ");
}

const NOUNS: Record<string, string> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "`true` or `false`",
  null: "null",
};

function nouns(items: Json | undefined): string {
  if (items?.enum) return valuesOf(items);
  return items?.type === "string" ? "texts" : "things";
}

const formsOf = (schema: Json): Json[] => [schema, ...(schema.anyOf ?? [])];

/** Returns the schema of the values if the schema describes a map with keys that users choose. */
function mapValues({ additionalProperties }: Json): Json | undefined {
  return typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0
    ? additionalProperties
    : undefined;
}
