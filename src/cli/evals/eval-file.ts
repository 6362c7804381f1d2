// Reads an eval file: an agent, its tasks, and the expectations about each answer.
// Mistakes in the file are reported with their line before any run starts.

import { existsSync } from "node:fs";
import { dirname, isAbsolute, normalize, resolve, sep } from "node:path";
import { z } from "zod";
import { nearestWord, problemText } from "../../config/problem.ts";
import { describeIssue } from "../../config/read-keys.ts";
import { type Path, readYaml, type YamlDocument } from "../../config/yaml.ts";
import type { CadreError } from "../../errors.ts";
import { PRESETS } from "../../journal/definition.ts";
import { usageError } from "../invocation.ts";
import { readGivenFile } from "../option-values.ts";
import { asSentence } from "../view/text/plain.ts";

const Pattern = z.string().refine(isPattern, "is not a valid regular expression");
const Schema = z.record(z.string(), z.unknown()).refine(isSchema, "is not a usable JSON Schema");

const EXPECTS = {
  /** Text that the answer must contain. */
  contains: z.string().min(1),
  matches: Pattern,
  /** The expected answer. A string is compared with the whole answer, any other value with the structured output. */
  equals: z.unknown(),
  /** JSON Schema that the structured output must match. */
  schema: Schema,
  /** A file that must exist in the workspace when the run has ended. */
  file: z.string().min(1),
  /** A tool that the run or one of its descendants must call. */
  calls: z.string().min(1),
  callsNot: z.string().min(1),
  /** The most dollars that the run and its descendants are allowed to cost. */
  maxCost: z.number().nonnegative(),
  maxTurns: z.int().nonnegative(),
};

const Expectation = z
  .strictObject(EXPECTS)
  .partial()
  .refine((given) => Object.keys(given).length === 1, {
    message: `is one of ${Object.keys(EXPECTS).join(", ")}`,
  });
export type Expectation = z.infer<typeof Expectation>;

const Case = z.strictObject({
  name: z.string().min(1),
  task: z.string().min(1),
  input: z.unknown().optional(),
  /** Files to copy, relative to the eval file. The run then works in a new folder that contains the copies. */
  files: z.array(z.string().min(1)).optional(),
  expect: z.array(Expectation).default([]),
  judge: z.strictObject({ agent: z.string().min(1), question: z.string().min(1) }).optional(),
});
export type Case = z.infer<typeof Case>;

const EvalFile = z.strictObject({
  agent: z.string().min(1),
  model: z.string().min(1).optional(),
  permissions: z.enum(PRESETS).optional(),
  repeats: z.int().min(1).max(1_000).default(1),
  cases: z
    .array(Case)
    .min(1)
    .refine((cases) => new Set(cases.map(({ name }) => name)).size === cases.length, {
      message: "has two cases with the same name",
    }),
});

export interface Eval extends z.infer<typeof EvalFile> {
  /** Absolute path of the eval file. */
  path: string;
  text: string;
}

const MAX_FILE = 1_000_000;
const MAX_LEXEMES = 100_000;

export function readEval(cwd: string, given: string): Eval {
  const path = resolve(cwd, given);
  const text = readGivenFile(path, NOTHING, { shown: given, max: MAX_FILE });
  const document = readYaml(text, given, { maxLexemes: MAX_LEXEMES });
  const [broken] = document.problems;
  if (broken) throw invalid(problemText(broken));
  const parsed = EvalFile.safeParse(document.data);
  if (!parsed.success) throw invalid(mistake(parsed.error.issues, document));
  checkFiles(parsed.data, dirname(path));
  return { ...parsed.data, path, text };
}

/** Checks that the files of each case exist, and that no file lies outside the folder of the eval file. */
function checkFiles({ cases }: z.infer<typeof EvalFile>, folder: string): void {
  for (const name of cases.flatMap(({ files = [] }) => files)) {
    if (isAbsolute(name) || normalize(name).split(sep).includes(".."))
      throw invalid(`${name} is outside the folder of the eval file`);
    if (!existsSync(resolve(folder, name))) throw invalid(`There is no ${name} next to the eval file`);
  }
}

const NOTHING = "Nothing was started.";

/** Reports an unknown key rather than a missing key, because a mistyped key causes both problems. */
function mistake(issues: readonly z.core.$ZodIssue[], { file, at }: YamlDocument): string {
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!;
  const path = issue.path as Path;
  const unknown = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const { line, column } = unknown === undefined ? at(path) : at([...path, unknown], "key");
  const meant = unknown === undefined ? undefined : nearestWord(unknown, WORDS);
  const hint = meant === undefined ? "" : `: did you mean \`${meant}\`?`;
  return `${file}:${line}:${column} ${path.join(".") || "the file"} ${describeIssue(issue)}${hint}`;
}

const WORDS = [EvalFile, Case, z.object(EXPECTS)].flatMap(({ shape }) => Object.keys(shape));

const invalid = (why: string): CadreError => usageError(`${asSentence(why)} ${NOTHING}`);

function isPattern(text: string): boolean {
  return succeeds(() => new RegExp(text, "u"));
}

function isSchema(schema: Record<string, unknown>): boolean {
  return succeeds(() => z.fromJSONSchema(schema));
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
