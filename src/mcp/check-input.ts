// Checks a model's input against an MCP server's JSON Schema before the server is called.
// The schema is untrusted (A54). The check takes a bounded number of steps and matches patterns without backtracking.
// The check follows only references within the schema.
// Unknown keywords are ignored, because the server also validates its input.

import { compileBounded } from "../bounded-pattern.ts";

export interface InputProblem {
  path: (string | number)[];
  message: string;
}

type Schema = Readonly<Record<string, unknown>>;

interface Checking {
  root: Schema;
  /** Number of steps left. At 0 the check stops, so that a recursive schema cannot keep it running forever. */
  steps: number;
  /** Nesting depth of the current schema. References add to the depth. */
  depth: number;
  problems: InputProblem[];
}

const MAX_STEPS = 20_000;
const MAX_DEPTH = 100;
const MAX_PROBLEMS = 10;
/** Longer patterns and texts are not matched, because even linear-time matching would be slow. */
const MAX_PATTERN = 500;
const MAX_MATCHED = 10_000;

export function checkInput(schema: Schema, input: unknown): InputProblem[] {
  const checking: Checking = { root: schema, steps: MAX_STEPS, depth: 0, problems: [] };
  check(schema, input, [], checking);
  return checking.problems.slice(0, MAX_PROBLEMS);
}

function check(written: unknown, value: unknown, path: InputProblem["path"], checking: Checking): void {
  if (written === false) {
    report(checking, path, "is not allowed");
    return;
  }
  if (--checking.steps < 0 || checking.depth > MAX_DEPTH || checking.problems.length >= MAX_PROBLEMS) return;
  const schema = resolveReferences(written, checking);
  if (!schema) return;
  const wrong = typeProblem(schema, value) ?? valueProblem(schema, value);
  if (wrong !== undefined) {
    report(checking, path, wrong);
    return;
  }
  checking.depth++;
  if (typeof value === "string") checkText(schema, value, path, checking);
  if (typeof value === "number")
    checkRange(value, [schema["minimum"], schema["maximum"]], ["be ", ""], path, checking);
  if (Array.isArray(value)) checkList(schema, value, path, checking);
  else if (isMapping(value)) checkMapping(schema, value, path, checking);
  checkCombined(schema, value, path, checking);
  checking.depth--;
}

/** Follows up to nine references such as `#/$defs/x`. Other kinds of references are ignored. */
function resolveReferences(written: unknown, checking: Checking): Schema | undefined {
  let schema = isMapping(written) ? written : undefined;
  for (let hops = 0; schema && typeof schema["$ref"] === "string"; hops++) {
    const reference: string = schema["$ref"];
    if (hops > 8 || !(reference === "#" || reference.startsWith("#/"))) return undefined;
    let target: unknown = checking.root;
    for (const step of reference.split("/").slice(1)) {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      target = isMapping(target) && Object.hasOwn(target, key) ? target[key] : undefined;
    }
    schema = isMapping(target) ? target : undefined;
  }
  return schema;
}

function typeProblem({ type }: Schema, value: unknown): string | undefined {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
  if (types.length === 0 || types.some((one) => hasType(one, value))) return undefined;
  return `must be ${types.join(" or ")}`;
}

function hasType(type: string, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isMapping(value);
  if (type === "integer") return Number.isInteger(value);
  return ["string", "number", "boolean"].includes(type) ? typeof value === type : true;
}

function valueProblem(schema: Schema, value: unknown): string | undefined {
  const { enum: choices } = schema;
  if (Array.isArray(choices) && !choices.some((choice) => isSame(choice, value)))
    return `must be one of ${JSON.stringify(choices).slice(0, 500)}`;
  if ("const" in schema && !isSame(schema["const"], value))
    return `must be ${JSON.stringify(schema["const"]).slice(0, 200)}`;
  return undefined;
}

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

function checkText(schema: Schema, value: string, path: InputProblem["path"], checking: Checking): void {
  const { minLength, maxLength, pattern } = schema;
  checkRange(value.length, [minLength, maxLength], ["have ", " characters"], path, checking);
  if (typeof pattern !== "string" || checking.steps < 0) return;
  checking.steps -= value.length / 10;
  if (!matches(pattern, value)) report(checking, path, `must match ${pattern}`);
}

function checkRange(
  size: number,
  [least, most]: readonly [unknown, unknown],
  [verb, unit]: readonly [string, string],
  path: InputProblem["path"],
  checking: Checking,
): void {
  if (isNumber(least) && size < least) report(checking, path, `must ${verb}at least ${least}${unit}`);
  if (isNumber(most) && size > most) report(checking, path, `must ${verb}at most ${most}${unit}`);
}

function matches(pattern: string, value: string): boolean {
  if (pattern.length > MAX_PATTERN || value.length > MAX_MATCHED) return true;
  return compileBounded(pattern, value.length)?.matcher(value).find() ?? true;
}

function checkList(schema: Schema, value: unknown[], path: InputProblem["path"], checking: Checking): void {
  const { items, minItems, maxItems } = schema;
  checkRange(value.length, [minItems, maxItems], ["have ", " entries"], path, checking);
  if (items === undefined || Array.isArray(items) || Array.isArray(schema["prefixItems"])) return;
  for (const [index, entry] of value.entries()) {
    if (checking.steps < 0) return;
    check(items, entry, [...path, index], checking);
  }
}

function checkMapping(schema: Schema, value: Schema, path: InputProblem["path"], checking: Checking): void {
  const { required, additionalProperties } = schema;
  const properties = isMapping(schema["properties"]) ? schema["properties"] : {};
  for (const key of Array.isArray(required) ? required : [])
    if (typeof key === "string" && !Object.hasOwn(value, key)) report(checking, [...path, key], "is missing");
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, key];
    if (Object.hasOwn(properties, key)) check(properties[key], inner, at, checking);
    else if (schema["patternProperties"] !== undefined) continue;
    else if (additionalProperties === false) report(checking, at, "is not known");
    else if (isMapping(additionalProperties)) check(additionalProperties, inner, at, checking);
  }
}

function checkCombined(schema: Schema, value: unknown, path: InputProblem["path"], checking: Checking): void {
  const { allOf, anyOf, oneOf } = schema;
  for (const part of Array.isArray(allOf) ? allOf : []) check(part, value, path, checking);
  for (const choices of [anyOf, oneOf]) {
    if (!Array.isArray(choices) || choices.length === 0 || checking.steps < 0) continue;
    if (!choices.some((choice) => fits(choice, value, path, checking)))
      report(checking, path, "fits none of the forms that are allowed");
  }
}

/** True if the value matches the schema, or if the steps ran out before a problem was found. */
function fits(choice: unknown, value: unknown, path: InputProblem["path"], checking: Checking): boolean {
  const inner: Checking = { ...checking, problems: [] };
  check(choice, value, path, inner);
  checking.steps = inner.steps;
  return inner.steps < 0 || inner.problems.length === 0;
}

function report({ problems }: Checking, path: InputProblem["path"], message: string): void {
  problems.push({ path, message });
}

const isNumber = (value: unknown): value is number => typeof value === "number";

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
