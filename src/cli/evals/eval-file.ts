// Reads an eval file: an agent, its tasks, and the expectations about each answer. Mistakes are reported with their line
// before anything runs.

import { existsSync } from "node:fs";
import { dirname, isAbsolute, normalize, resolve, sep } from "node:path";
import { z } from "zod";
import { readPlainFile } from "../../config/plain-file.ts";
import { nearestWord, problemText } from "../../config/problem.ts";
import { describeIssue } from "../../config/read-keys.ts";
import { type Path, readYaml, type YamlDocument } from "../../config/yaml.ts";
import { CadreError, describeSystemError } from "../../errors.ts";
import { PRESETS } from "../../journal/definition.ts";

const Pattern = z.string().refine(isPattern, "is not a valid regular expression");
const Schema = z.record(z.string(), z.unknown()).refine(isSchema, "is not a usable JSON Schema");

const EXPECTS = {
  /** Text the answer contains. */
  contains: z.string().min(1),
  matches: Pattern,
  /** A string is compared with the whole answer, any other value with the structured output. */
  equals: z.unknown(),
  /** JSON Schema of the structured output. */
  schema: Schema,
  /** File that exists in the workspace at the end. */
  file: z.string().min(1),
  /** Tool called by the agent or one of its descendants. */
  calls: z.string().min(1),
  callsNot: z.string().min(1),
  /** Dollars, for the run and its descendants. */
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
  /** Files to copy, relative to the eval file. The run then works in a folder of its own that contains the copies. */
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
  /** Absolute path of the file. */
  path: string;
  text: string;
}

const MAX_FILE = 1_000_000;
const MAX_LEXEMES = 100_000;

export function readEval(cwd: string, given: string): Eval {
  const path = resolve(cwd, given);
  const text = textOf(path, given);
  const document = readYaml(text, given, { maxLexemes: MAX_LEXEMES });
  const [broken] = document.problems;
  if (broken) throw invalid(problemText(broken));
  const parsed = EvalFile.safeParse(document.data);
  if (parsed.success) return { ...withFiles(parsed.data, dirname(path)), path, text };
  throw invalid(mistake(parsed.error.issues, document));
}

/** Reports an unknown key first: a mistyped key is the reason why another one is missing. */
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

/** Checks that the files of each case exist and that their copies stay inside the run's folder. */
function withFiles(file: z.infer<typeof EvalFile>, folder: string): z.infer<typeof EvalFile> {
  for (const name of file.cases.flatMap(({ files = [] }) => files)) {
    if (isAbsolute(name) || normalize(name).split(sep).includes(".."))
      throw invalid(`${name} is outside the folder of the eval file`);
    if (!existsSync(resolve(folder, name))) throw invalid(`There is no ${name} next to the eval file`);
  }
  return file;
}

function textOf(path: string, given: string): string {
  try {
    return readPlainFile(path, MAX_FILE);
  } catch (error) {
    throw invalid(`${given} cannot be read: ${describeSystemError(error)}`);
  }
}

const invalid = (why: string): CadreError =>
  new CadreError("USAGE", `${why.replace(/([^.?])$/, "$1.")} Nothing was started.`);

function isPattern(text: string): boolean {
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}

function isSchema(schema: Record<string, unknown>): boolean {
  try {
    z.fromJSONSchema(schema);
    return true;
  } catch {
    return false;
  }
}
