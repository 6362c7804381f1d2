// Generates the OpenAPI 3.1 description of the API from its routes.
// OpenAPI 3.1 and zod both use JSON Schema 2020-12, so zod converts the schemas.

import { z } from "zod";
import type { Route } from "../routes/route.ts";
import { EmptyBody, ErrorBody, Nothing, SCHEMA_NAMES } from "../routes/schemas.ts";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The parts of a route that the description uses. */
export type DescribedRoute = Omit<Route, "handle" | "answer"> & { answer?: z.ZodType | undefined };

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: JsonSchema;
  description?: string;
}

export interface Answer {
  description: string;
  content?: Record<string, { schema: JsonSchema }>;
}

export interface Operation {
  summary: string;
  operationId: string;
  tags: string[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, Answer>;
}

export interface OpenApi {
  openapi: "3.1.0";
  info: { title: string; version: string; description: string };
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, unknown> };
}

export function describeApi(routes: readonly DescribedRoute[], version: string): OpenApi {
  const schemas: Record<string, JsonSchema> = {};
  const paths: OpenApi["paths"] = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Cadre",
      version,
      description:
        "Runs trees of LLM agents as durable, inspectable work. Requests are strict: an unknown key is rejected. Answers may gain fields.",
    },
    security: [{ token: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

type Schemas = Record<string, JsonSchema>;

function operationOf(route: DescribedRoute, schemas: Schemas): Operation {
  const { method, path, summary, body } = route;
  return {
    summary,
    operationId: `${method}${path.replaceAll(/\W+(\w)/g, (_, first: string) => first.toUpperCase()).replaceAll(/\W/g, "")}`,
    tags: [tagOf(path)],
    parameters: parametersOf(route),
    ...(method === "post"
      ? {
          requestBody: {
            required: body !== undefined && !body.safeParse({}).success,
            content: { "application/json": { schema: jsonSchema(body ?? EmptyBody, schemas) } },
          },
        }
      : {}),
    responses: answersOf(route, schemas),
  };
}

/** Returns a route's tag, which is its resource. Routes of older contracts have their own tags. */
function tagOf(path: string): string {
  const [, first = "", second = ""] = path.split("/");
  if (first === "runs") return "ops";
  if (/^(agent-\w+|chat)$/.test(second)) return "chat";
  return first === "api" ? second : first;
}

function parametersOf({ path, query, idempotent, etag }: DescribedRoute): Parameter[] {
  const inPath = Array.from(
    path.matchAll(/\{(\w+)\}/g),
    ([, name]): Parameter => ({ name: name!, in: "path", required: true, schema: { type: "string" } }),
  );
  const { properties = {}, required = [] } = query ? flat(query) : {};
  const inQuery = Object.entries(properties).map(
    ([name, each]): Parameter => ({
      name,
      in: "query",
      required: required.includes(name),
      schema: each as JsonSchema,
    }),
  );
  return [
    ...inPath,
    ...inQuery,
    ...(idempotent
      ? [header("Idempotency-Key", "A repeated request with the same key takes effect once.")]
      : []),
    ...(etag
      ? [header("If-None-Match", "The ETag of the last answer. The status is 304 if nothing has changed.")]
      : []),
  ];
}

const header = (name: string, description: string): Parameter => ({
  name,
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255 },
  description,
});

function answersOf(route: DescribedRoute, schemas: Schemas): Operation["responses"] {
  const {
    media,
    answer = media ? undefined : Nothing,
    status = 200,
    otherStatuses = {},
    etag,
    refusal,
  } = route;
  const content = Object.fromEntries([
    ...(answer ? [["application/json", { schema: jsonSchema(answer, schemas) }]] : []),
    ...(media ?? []).map((type) => [type, { schema: { type: "string" } }]),
  ]) as NonNullable<Answer["content"]>;
  const failure = jsonSchema(refusal?.schema ?? ErrorBody, schemas);
  return {
    [status]: { description: "Done.", content },
    ...Object.fromEntries(
      Object.entries(otherStatuses).map(([code, description]) => [code, { description }]),
    ),
    ...(etag ? { 304: { description: "Nothing has changed." } } : {}),
    401: errorAnswer("The token is missing.", jsonSchema(ErrorBody, schemas)),
    default: errorAnswer("An error: a stable code and one sentence.", failure),
  };
}

const errorAnswer = (description: string, failure: JsonSchema): Answer => ({
  description,
  content: { "application/json": { schema: failure } },
});

const SCHEMA_PREFIX = "#/components/schemas/";

function jsonSchema(of: z.ZodType, schemas: Schemas): JsonSchema {
  const { $defs = {}, $schema: _, ...own } = convert(of);
  for (const [name, each] of Object.entries($defs)) {
    const { id: __, ...rest } = each as JsonSchema & { id?: string };
    schemas[name] = rest;
  }
  return own;
}

/** Replaces a reference to a named schema with the schema. A query has only one level, so it contains no other references. */
function flat(query: z.ZodType): JsonSchema {
  const { $ref, $defs = {}, ...own } = convert(query);
  return $ref === undefined ? own : ($defs[$ref.slice(SCHEMA_PREFIX.length)] as JsonSchema);
}

function convert(of: z.ZodType): JsonSchema {
  const converted = z.toJSONSchema(of, {
    // Describe values as clients send them. For example, a number in a query is text.
    io: "input",
    metadata: SCHEMA_NAMES,
    unrepresentable: "any",
    override: ({ jsonSchema: made }) => withoutSafeBounds(made),
  });
  return JSON.parse(JSON.stringify(converted).replaceAll('"#/$defs/', `"${SCHEMA_PREFIX}`)) as JsonSchema;
}

/** Removes the bounds of safe integers, because they are of no use to readers. */
function withoutSafeBounds(made: JsonSchema): void {
  if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
  if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
}
