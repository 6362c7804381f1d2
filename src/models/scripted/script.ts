// A script is a list of turns in YAML, or a TypeScript function. The scripted model plays the first turn that matches.
// A mistake in the YAML is reported with its line and column before anything runs.

import { z } from "zod";
import { type Path, readYaml, type YamlDocument } from "../../config/yaml.ts";
import { CadreError } from "../../errors.ts";
import type { CallContext } from "../model.ts";

const Pattern = z.string().refine(isPattern, "is no regular expression that can be read");

const When = z.strictObject({
  agent: z.string().optional(),
  turn: z.int().positive().optional(),
  purpose: z.string().optional(),
  attempt: z.int().positive().optional(),
  /** Round of the team discussion in which the agent takes part. */
  round: z.int().positive().optional(),
  /** A text that the first user message must contain. */
  task: z.string().optional(),
  /** Name of the tool whose result is the last one in the prompt. */
  lastTool: z.string().optional(),
  /** A text that the last tool result must contain, or a /regular expression/. */
  lastResult: Pattern.optional(),
  /** Whether the last tool result is an error. */
  isError: z.boolean().optional(),
  /** A text that the last user message must contain. */
  lastUser: z.string().optional(),
});

const Report = z.strictObject({
  summary: z.string(),
  details: z.unknown().optional(),
  warnings: z.unknown().optional(),
  suggestions: z.unknown().optional(),
  output: z.unknown().optional(),
});

const ScriptedError = z.strictObject({
  status: z.int().min(400).max(599).optional(),
  message: z.string(),
  /** Seconds, as in the Retry-After header. */
  retryAfter: z.number().nonnegative().optional(),
});

const Call = z.strictObject({
  tool: z.string(),
  input: z.unknown().optional(),
  /** The raw output of the model, used instead of `input`. It can be invalid JSON (F42). */
  raw: z.string().optional(),
  /** The provider's id of the call. Ids can repeat, because some servers repeat them. */
  id: z.string().optional(),
});

const SAYS = ["text", "reasoning", "calls", "report", "error", "cut"] as const;

export const ScriptedTurn = z
  .strictObject({
    when: When.optional(),
    text: z.string().optional(),
    reasoning: z.string().optional(),
    calls: z.array(Call).optional(),
    /** Shorthand for a call of final_report. This call is the last one of the turn. */
    report: Report.optional(),
    /** Milliseconds before the answer begins. */
    delay: z.number().nonnegative().max(3_600_000).optional(),
    error: z
      .union([ScriptedError, z.enum(["network", "timeout"])], {
        error: 'must be "network", "timeout" or {status?, message, retryAfter?}',
      })
      .optional(),
    /** How the answer is cut. `stream` breaks off in the middle of JSON, `length` hits the output limit, `silent` ends without a finish part. */
    cut: z.enum(["stream", "length", "silent", "refusal"]).optional(),
    usage: z.strictObject({ input: z.int().nonnegative(), output: z.int().nonnegative() }).optional(),
    /** Characters in each text delta. */
    chunk: z.int().positive().optional(),
  })
  .refine((turn) => SAYS.some((key) => turn[key] !== undefined), {
    message: `says nothing: give it one of ${SAYS.join(", ")} (text: "" is an empty answer)`,
  });
export type ScriptedTurn = z.infer<typeof ScriptedTurn>;

export const ScriptFile = z.strictObject({
  name: z.string().optional(),
  turns: z.array(ScriptedTurn).min(1),
});
export type ScriptFile = z.infer<typeof ScriptFile>;

/** The data by which a turn is chosen. The fields that depend on the prompt are computed on access. */
export interface ScriptedRequest extends CallContext {
  readonly task: string;
  readonly lastTool: string | undefined;
  readonly lastResult: string | undefined;
  readonly lastUser: string | undefined;
  readonly isError: boolean;
  /** Length of the whole request, tools included. Some scripts compute their usage from it. */
  readonly characters: number;
}

/** The function must be pure, because it is called again after a restart. */
export type Script = ScriptFile | ((request: ScriptedRequest) => ScriptedTurn | undefined);

export function parseScript(yamlText: string, fileName: string): ScriptFile {
  const document = readYaml(yamlText, fileName, { maxLexemes: Number.POSITIVE_INFINITY });
  if (document.problems.length > 0)
    throw invalid(
      fileName,
      document.problems.map(({ line, column, message }) => ({ line, column, message })),
    );
  const parsed = ScriptFile.safeParse(document.data);
  if (parsed.success) return parsed.data;
  throw invalid(
    fileName,
    parsed.error.issues.map((issue) => ({ ...placeOf(issue, document), message: describe(issue) })),
  );
}

/** A text in slashes is a regular expression. Any other text is searched for literally. */
export function patternOf(pattern: string): (text: string) => boolean {
  const expression = /^\/(.+)\/([a-z]*)$/s.exec(pattern);
  if (expression === null) return (text) => text.includes(pattern);
  // With the flags g or y, a RegExp remembers where it stopped, so the same prompt would not match twice.
  const compiled = new RegExp(expression[1]!, expression[2]!.replace(/[gy]/g, ""));
  return (text) => compiled.test(text);
}

function isPattern(pattern: string): boolean {
  try {
    patternOf(pattern);
    return true;
  } catch {
    return false;
  }
}

interface Problem {
  line: number;
  column: number;
  message: string;
}

function invalid(fileName: string, problems: Problem[]): CadreError {
  const first = problems[0]!;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return new CadreError(
    "CONFIG_INVALID",
    `${fileName}:${first.line}:${first.column}: ${first.message}${more}`,
    { file: fileName, problems },
  );
}

function describe(issue: z.core.$ZodIssue): string {
  const where = issue.path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index > 0 ? "." : ""}${String(step)}`))
    .join("");
  return where === "" ? issue.message : `${where}: ${issue.message}`;
}

/** The position of an issue in the file: of the unknown key, of the wrong value, or of the parent of a missing value. */
function placeOf(issue: z.core.$ZodIssue, document: YamlDocument): { line: number; column: number } {
  const path = issue.path as Path;
  return issue.code === "unrecognized_keys"
    ? document.at([...path, issue.keys[0]!], "key")
    : document.at(path);
}
