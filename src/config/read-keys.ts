// Checks a mapping key by key, so that a problem in one key never hides a problem in another.
// An unknown key causes a warning, which suggests the most similar known key.

import { z } from "zod";
import { CadreError } from "../errors.ts";
import { nearestWord, type Problem, suggestWord } from "./problem.ts";
import type { Data, Path, YamlDocument } from "./yaml.ts";

/** Checks the value of a flag or a variable. `name` is the flag or variable as the person wrote it. */
export function parseSetting<T>(name: string, value: unknown, schema: z.ZodType<T>): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new CadreError(
    "CONFIG_INVALID",
    `${name} ${describeIssue(result.error.issues[0]!)}, and is ${JSON.stringify(value)}. Nothing was done.`,
  );
}

export type KeySchemas = Record<string, z.ZodType>;

export type KeyValues<S extends KeySchemas> = { [K in keyof S]?: z.output<S[K]> };

export interface ReadKeys<S extends KeySchemas> {
  values: KeyValues<S>;
  problems: Problem[];
  /** The unknown keys that resemble a known key. `meant` is the known key that was probably meant. */
  misspelled: { problem: Problem; meant: string }[];
}

/** `aliases` maps other spellings of a key to ours. Invalid values are left out and reported as errors. */
export function readKeys<S extends KeySchemas>(
  document: YamlDocument,
  schemas: S,
  aliases: Readonly<Record<string, string>> = {},
): ReadKeys<S> {
  const values: Record<string, unknown> = Object.create(null);
  const problems: Problem[] = [];
  const misspelled: ReadKeys<S>["misspelled"] = [];
  const data = document.data as Record<string, Data>;
  const words = [...Object.keys(schemas), ...Object.keys(aliases)];
  for (const written of Object.keys(data)) {
    const key = Object.hasOwn(aliases, written) ? aliases[written]! : written;
    const schema = Object.hasOwn(schemas, key) ? schemas[key] : undefined;
    if (!schema) {
      const problem = unknownKey(document, [written], words);
      const meant = nearestWord(written, words);
      problems.push(problem);
      if (meant !== undefined) misspelled.push({ problem, meant });
    } else if (key in values) {
      const message = `\`${written}\` and another key both set \`${key}\``;
      problems.push({
        ...place(document, [written], "key"),
        code: "DUPLICATE_KEY",
        severity: "error",
        message,
      });
    } else {
      const checked = check(document, [written], schema, data[written]!);
      problems.push(...checked.problems);
      if (checked.ok) values[key] = checked.value;
    }
  }
  return { values: values as KeyValues<S>, problems, misspelled };
}

/** Makes a schema in which an unknown key is an error: ignoring a rule could allow more than was meant. */
export function onlyKeys<S extends z.ZodRawShape>(shape: S) {
  const words = Object.keys(shape);
  return z.looseObject(shape).superRefine((value, context) => {
    for (const key of Object.keys(value).filter((name) => !words.includes(name))) {
      const meant = nearestWord(key, words);
      const hint = meant ? `did you mean \`${meant}\`?` : `known are ${words.join(", ")}`;
      context.addIssue({ code: "custom", path: [key], message: `is not known here: ${hint}` });
    }
  });
}

type Checked = { ok: true; value: unknown; problems: Problem[] } | { ok: false; problems: Problem[] };

function check(document: YamlDocument, path: Path, schema: z.ZodType, data: Data): Checked {
  const first = schema.safeParse(data);
  if (first.success) return { ok: true, value: first.data, problems: [] };
  const unknown = first.error.issues
    .flatMap(unfold)
    .flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => [...(issue.path as (string | number)[]), key])
        : [],
    );
  const problems = unknown.map((inner) => unknownKey(document, [...path, ...inner], wordsOf(schema)));
  const second = unknown.length > 0 ? schema.safeParse(without(data, unknown)) : first;
  if (second.success) return { ok: true, value: second.data, problems };
  for (const issue of second.error.issues.flatMap(unfold)) {
    const where = [...path, ...(issue.path as (string | number)[])];
    const message = `\`${where.join(".")}\`: ${describeIssue(issue)}`;
    problems.push({ ...place(document, where, "value"), code: "BAD_VALUE", severity: "error", message });
  }
  return { ok: false, problems };
}

/** An issue about a union says little. If the value nearly fits exactly one alternative, returns the issues of that alternative instead. */
function unfold(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const near = issue.errors
    .map((issues) => issues.flatMap(unfold))
    .filter((issues) => issues.every(({ code, path }) => path.length > 0 || code === "unrecognized_keys"));
  if (near.length !== 1) return [issue];
  return near[0]!.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

function unknownKey(document: YamlDocument, path: Path, words: readonly string[]): Problem {
  return {
    ...place(document, path, "key"),
    code: "UNKNOWN_KEY",
    severity: "warning",
    message: `unknown key \`${path.join(".")}\``,
    ...suggestWord(String(path.at(-1)), words),
  };
}

function place(document: YamlDocument, path: Path, part: "key" | "value") {
  return { file: document.file, ...document.at(path, part) };
}

function without(data: Data, paths: readonly Path[]): Data {
  const copy = structuredClone(data);
  for (const path of paths) {
    let target: Data | undefined = copy;
    for (const step of path.slice(0, -1))
      target = (target as Record<string | number, Data> | undefined)?.[step];
    if (target && typeof target === "object") Reflect.deleteProperty(target, path.at(-1)!);
  }
  return copy;
}

/** Lists all keys at any depth of a schema. */
function wordsOf(schema: z.ZodType): string[] {
  const words: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, value] of Object.entries(node)) {
      if (name === "properties") words.push(...Object.keys(value as object));
      visit(value);
    }
  };
  visit(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  return words;
}

/** Matches the validation library's own messages. Every other message was written in one of our schemas. */
const LIBRARY_WORDS = /^(Invalid|Too (small|big)|Unrecognized|Required)/;

/** Says in our own words which values are valid. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  if (!LIBRARY_WORDS.test(issue.message)) return issue.message;
  if (issue.code === "invalid_value") return `must be one of ${issue.values.map(String).join(", ")}`;
  if (issue.code === "invalid_type") {
    const must = `must be ${article(issue.expected)}`;
    return issue.message.endsWith("received undefined") ? `is missing: it ${must}` : must;
  }
  if (issue.code === "invalid_union") return unionSentence(issue);
  if (issue.code === "too_small")
    return `must be ${issue.inclusive === false ? "more than" : "at least"} ${sizeOf(issue.minimum, issue.origin)}`;
  if (issue.code === "too_big")
    return `must be ${issue.inclusive === false ? "less than" : "at most"} ${sizeOf(issue.maximum, issue.origin)}`;
  if (issue.code === "unrecognized_keys")
    return `has no key ${issue.keys.map((key) => `\`${key}\``).join(", ")}`;
  return issue.message;
}

function sizeOf(limit: number | bigint, origin: string): string {
  const unit = { string: "character", array: "entry" }[origin];
  if (unit === undefined) return String(limit);
  return limit === 1 ? `1 ${unit}` : `${limit} ${unit === "entry" ? "entries" : `${unit}s`}`;
}

function unionSentence(issue: z.core.$ZodIssueInvalidUnion): string {
  const wanted = new Set(expectedTypes(issue));
  wanted.delete("null");
  const words = [...new Set(allowedWords(issue))];
  const must = [...(words.length > 0 ? [`one of ${words.join(", ")}`] : []), ...[...wanted].map(article)];
  return must.length > 0 ? `must be ${must.join(" or ")}` : "has the wrong shape";
}

function allowedWords(issue: z.core.$ZodIssue): string[] {
  if (issue.path.length > 0) return [];
  if (issue.code === "invalid_value") return issue.values.map(String);
  return issue.code === "invalid_union" ? issue.errors.flat().flatMap(allowedWords) : [];
}

function expectedTypes(issue: z.core.$ZodIssue): string[] {
  if (issue.path.length > 0) return [];
  if (issue.code === "invalid_type") return [issue.expected];
  return issue.code === "invalid_union" ? issue.errors.flat().flatMap(expectedTypes) : [];
}

function article(type: string): string {
  const name = { array: "list", object: "mapping", record: "mapping", int: "whole number" }[type] ?? type;
  return `a ${name}`;
}
