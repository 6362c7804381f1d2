// Schemas that a program gives to tools and agents. Two kinds are accepted:
//  - Standard Schema: zod 4, ArkType, Valibot with `toStandardJsonSchema`, and every other library that also gives a JSON Schema;
//  - a JSON Schema: a plain object, or what `jsonSchema()` of the AI SDK returns.
// A schema of another kind is refused when the tool or the agent is defined.

import { z } from "zod";
import { CadreError } from "../errors.ts";

/** A schema of any library that follows standardschema.dev. `Output` is the type of a checked value. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A schema as `jsonSchema()` of the AI SDK returns it. */
export interface WrappedJsonSchema {
  readonly jsonSchema: unknown;
}

/**
 * A schema as Cadre uses it.
 * @internal
 */
export interface ReadSchema {
  json: JsonSchema;
  /** Checks a value. Returns the value that the program gets, or a sentence that says what is wrong. */
  check(value: unknown): { value: unknown } | { problem: string };
}

/**
 * `owner` names the schema in errors: `The input of the tool refund`.
 * @internal
 */
export function readSchema(given: unknown, owner: string): ReadSchema {
  const schema =
    typeof given === "function" && !("~standard" in given) ? callLazy(given as () => unknown, owner) : given;
  if (isStandard(schema)) return readStandard(schema, owner);
  if (!isObject(schema)) throw badSchema(owner, "is no schema");
  const json = "jsonSchema" in schema ? schema["jsonSchema"] : schema;
  if (!isObject(json) || typeof (json as { then?: unknown }).then === "function")
    throw badSchema(owner, "has no JSON Schema that can be read now");
  if (!JSON_SCHEMA_KEYS.some((key) => key in json))
    throw badSchema(owner, "is neither a Standard Schema nor a JSON Schema");
  const fits = zodOf(json, owner);
  return {
    json,
    check(value) {
      const { success, error } = fits.safeParse(value);
      return success ? { value } : { problem: error.issues.map(issueText).join("; ") };
    },
  };
}

function zodOf(json: JsonSchema, owner: string): z.ZodType {
  try {
    return z.fromJSONSchema(json as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    throw badSchema(owner, `cannot be read as JSON Schema (${(error as Error).message})`);
  }
}

const JSON_SCHEMA_KEYS = ["type", "properties", "$ref", "anyOf", "oneOf", "allOf", "enum", "const", "not"];

function callLazy(given: () => unknown, owner: string): unknown {
  try {
    return given();
  } catch {
    throw badSchema(owner, "is a function that gives no schema");
  }
}

function readStandard(schema: StandardSchema, owner: string): ReadSchema {
  const json = jsonOf(schema, owner);
  return {
    json,
    check(value) {
      const result = schema["~standard"].validate(value);
      if (result instanceof Promise)
        return { problem: `${owner} checks values with a promise, which is not supported` };
      return result.issues ? { problem: result.issues.map(issueText).join("; ") } : { value: result.value };
    },
  };
}

interface JsonSource {
  input(options: { target: string }): unknown;
}

/** The JSON Schema for a model. Models write values of the schema's input type. */
function jsonOf(schema: StandardSchema, owner: string): JsonSchema {
  try {
    const { $schema: _, ...json } = convert(schema, owner) as JsonSchema;
    return json;
  } catch (error) {
    if (error instanceof CadreError) throw error;
    throw badSchema(owner, `cannot be written as JSON Schema: ${(error as Error).message}`);
  }
}

function convert(schema: StandardSchema, owner: string): unknown {
  const { jsonSchema } = schema["~standard"] as { jsonSchema?: JsonSource };
  if (jsonSchema !== undefined) return jsonSchema.input({ target: "draft-07" });
  if ("_zod" in schema)
    return z.toJSONSchema(schema as unknown as z.ZodType, { target: "draft-7", io: "input" });
  const own = (schema as { toJsonSchema?: () => unknown }).toJsonSchema;
  if (typeof own === "function") return own.call(schema);
  throw badSchema(owner, `of ${schema["~standard"].vendor} gives no JSON Schema`);
}

const badSchema = (owner: string, problem: string): CadreError =>
  new CadreError(
    "CONFIG_INVALID",
    `${owner} ${problem}. Use a schema of zod 4 or ArkType, \`toStandardJsonSchema\` for Valibot, or a JSON Schema. Nothing was started.`,
  );

const isStandard = (value: unknown): value is StandardSchema =>
  (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function issueText({ message, path = [] }: SchemaIssue): string {
  const at = path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
  return at === "" ? message : `${at}: ${message}`;
}
