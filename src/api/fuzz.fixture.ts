// Requests made from the API's own description, and whether the answers are what it promises.

import fc from "fast-check";
import { z } from "zod";
import type { Answer, JsonSchema, OpenApi, Operation } from "./openapi.ts";

export interface FuzzRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  operation: Operation;
}

/** As described, and now and then not: with words that nobody knows, values that do not fit, or what is no JSON at all. */
export function fuzzRequests(document: OpenApi, known: readonly string[]): fc.Arbitrary<FuzzRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return fc.constantFrom(...operations).chain(({ path, method, operation }) =>
    fc
      .record({
        params: paramsOf(path, known),
        query: queryOf(operation, known),
        body: bodyOf(document, operation),
        headers: headersOf(operation),
      })
      .map(
        ({ params, query, body, headers }): FuzzRequest => ({
          method,
          path: `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!))}${query}`,
          headers: { ...headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
          ...(body === undefined ? {} : { body }),
          operation,
        }),
      ),
  );
}

/** What is wrong with an answer; undefined: nothing. */
export function describeMismatch(
  document: OpenApi,
  operation: Operation,
  status: number,
  type: string,
  text: string,
) {
  if (status >= 500) return `${status}: ${text}`;
  const declared: Answer | undefined = operation.responses[status] ?? operation.responses["default"];
  if (status < 400 && !operation.responses[status]) return `${status} is not described`;
  if (status === 304) return text === "" ? undefined : "304 with a body";
  const media = type.split(";")[0]!;
  const content = declared?.content?.[media];
  if (!content) return `${media} is not described for ${status}`;
  if (media !== "application/json") return undefined;
  const parsed = checkerOf(document, content.schema).safeParse(JSON.parse(text));
  return parsed.success ? undefined : `${z.prettifyError(parsed.error)} in ${text.slice(0, 500)}`;
}

const checkers = new Map<string, z.ZodType>();

/** By zod's own reading of JSON Schema: the description is checked as it is served, not as it was meant. */
function checkerOf({ components }: OpenApi, schema: JsonSchema): z.ZodType {
  const name = JSON.stringify(schema);
  const known = checkers.get(name);
  if (known) return known;
  const text = JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll(
    "#/components/schemas/",
    "#/$defs/",
  );
  const checker = z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0]);
  checkers.set(name, checker);
  return checker;
}

const nasty = fc.constantFrom(
  "",
  "\0",
  "\ud800",
  "\u202e",
  "'; DROP TABLE runs; --",
  '"',
  "NEAR(",
  "../../etc/passwd",
  "__proto__",
  "%",
  "9".repeat(400),
  "-1",
  "1e400",
);
const text = fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: "binary", maxLength: 8 }), nasty);

/** encodeURIComponent cannot say a lone surrogate. */
const sayable = (value: string): string => value.toWellFormed();

function paramsOf(path: string, known: readonly string[]): fc.Arbitrary<Record<string, string>> {
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!);
  const value = fc
    .oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: text })
    .map((each) => sayable(each) || "x");
  return fc.record(Object.fromEntries(names.map((name) => [name, value])));
}

function queryOf({ parameters }: Operation, known: readonly string[]): fc.Arbitrary<string> {
  const named = parameters.filter((parameter) => parameter.in === "query");
  const fields = Object.fromEntries(
    named.map(({ name, schema }) => [
      name,
      fc.option(fitting(schema, {}, known), { nil: undefined, freq: 2 }),
    ]),
  );
  const wild = fc.dictionary(text, text, { maxKeys: 2 });
  return fc
    .oneof({ weight: 4, arbitrary: fc.record(fields) }, { weight: 1, arbitrary: wild })
    .map((query) => {
      const given = Object.entries(query).filter(([, value]) => value !== undefined);
      return given.length === 0
        ? ""
        : `?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
    });
}

/** Those that the description names, and those that every stream hears. */
function headersOf({ parameters }: Operation): fc.Arbitrary<Record<string, string>> {
  const named = parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name);
  // What no client can send is no request.
  const sendable = text.map((value) => value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, ""));
  const fields = [...named, "Last-Event-ID"].map((name) => [name, sendable] as const);
  const accept = fc.constantFrom("text/event-stream", "*/*", "");
  return fc.record({ ...Object.fromEntries(fields), Accept: accept }, { requiredKeys: [] });
}

function bodyOf({ components }: OpenApi, { requestBody }: Operation): fc.Arbitrary<string | undefined> {
  if (!requestBody) return fc.constant(undefined);
  const schema = requestBody.content["application/json"]!.schema;
  const good = fitting(schema, components.schemas, []).map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 6, arbitrary: good },
    { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: text },
  );
}

function fitting(
  schema: JsonSchema,
  schemas: Record<string, JsonSchema>,
  known: readonly string[],
): fc.Arbitrary<unknown> {
  const { $ref, enum: values, const: only, anyOf, type, pattern } = schema;
  if ($ref !== undefined) return fitting(schemas[$ref.split("/").at(-1)!]!, schemas, known);
  if (only !== undefined) return fc.constant(only);
  if (values) return fc.constantFrom(...values);
  if (anyOf) return fc.oneof(...anyOf.map((each) => fitting(each as JsonSchema, schemas, known)));
  switch (type) {
    case "object":
      return objectOf(schema, schemas, known);
    case "array":
      return fc.array(fitting((schema.items ?? {}) as JsonSchema, schemas, known), { maxLength: 3 });
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, Number.MAX_SAFE_INTEGER));
    case "number":
      return fc.double({ noNaN: true });
    case "string":
      if (pattern === "^\\d{1,15}$") return fc.oneof(fc.nat().map(String), fc.constant("9".repeat(15)), text);
      if (pattern !== undefined) return fc.oneof(fc.stringMatching(new RegExp(pattern)), text);
      return known.length > 0 ? fc.oneof(fc.constantFrom(...known), text) : text;
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf(schema: JsonSchema, schemas: Record<string, JsonSchema>, known: readonly string[]) {
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(properties).map(([name, each]): [string, fc.Arbitrary<unknown>] => [
    name,
    fitting(each as JsonSchema, schemas, known),
  ]);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
}
