// The script of a scripted model is a list of turns, of which the first matching one is played. It is written in YAML, or
// as a TypeScript function. A mistake in the YAML is reported with its line and column before anything runs.

import { isMap, LineCounter, type ParsedNode, parseDocument } from "yaml";
import { z } from "zod";
import { CadreError, messageOf } from "../../errors.ts";
import type { CallContext } from "../model.ts";

const Pattern = z.string().refine(isPattern, "is no regular expression that can be read");

const When = z.strictObject({
  agent: z.string().optional(),
  turn: z.int().positive().optional(),
  purpose: z.string().optional(),
  attempt: z.int().positive().optional(),
  /** Round of the team discussion that the agent takes part in. */
  round: z.int().positive().optional(),
  /** Part of the first user message. */
  task: z.string().optional(),
  /** Name of the tool whose result is the last one in the prompt. */
  lastTool: z.string().optional(),
  /** Part of the last tool result, or a /regular expression/. */
  lastResult: Pattern.optional(),
  /** Whether the last tool result is an error. */
  isError: z.boolean().optional(),
  /** Part of the last user message. */
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
  /** The model's raw output, used instead of `input`. It need not be valid JSON (F42). */
  raw: z.string().optional(),
  /** The provider's id of the call. Ids may repeat, as they do with some servers. */
  id: z.string().optional(),
});

const SAYS = ["text", "reasoning", "calls", "report", "error", "cut"] as const;

export const ScriptedTurn = z
  .strictObject({
    when: When.optional(),
    text: z.string().optional(),
    reasoning: z.string().optional(),
    calls: z.array(Call).optional(),
    /** Shorthand for a call of final_report after the other calls. */
    report: Report.optional(),
    /** Milliseconds before the answer begins. */
    delay: z.number().nonnegative().max(3_600_000).optional(),
    error: z
      .union([ScriptedError, z.enum(["network", "timeout"])], {
        error: 'must be "network", "timeout" or {status?, message, retryAfter?}',
      })
      .optional(),
    /** stream: fails in the middle of the JSON; length: hits the output limit; silent: ends without a finish part. */
    cut: z.enum(["stream", "length", "silent"]).optional(),
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

/** The data by which a turn is chosen. The fields added here are computed from the prompt on access. */
export interface ScriptedRequest extends CallContext {
  readonly task: string;
  readonly lastTool: string | undefined;
  readonly lastResult: string | undefined;
  readonly lastUser: string | undefined;
  readonly isError: boolean;
  /** Length of everything that was sent, tools included. For scripts that compute their usage from it. */
  readonly characters: number;
}

/** A function must be pure, because it is called again after a restart. */
export type Script = ScriptFile | ((request: ScriptedRequest) => ScriptedTurn | undefined);

export function parseScript(yamlText: string, fileName: string): ScriptFile {
  const lines = new LineCounter();
  const document = parseDocument(yamlText, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    throw invalid(
      fileName,
      document.errors.map((error) => ({ ...at(lines, error.pos[0]), message: error.message })),
    );
  }
  const parsed = ScriptFile.safeParse(plainValue(document, fileName));
  if (parsed.success) return parsed.data;
  throw invalid(
    fileName,
    parsed.error.issues.map((issue) => ({
      ...at(lines, offsetOf(document.contents, issue)),
      message: describe(issue),
    })),
  );
}

/** A text in slashes is a regular expression. Any other text is searched for literally. */
export function patternOf(pattern: string): (text: string) => boolean {
  const expression = /^\/(.+)\/([a-z]*)$/s.exec(pattern);
  if (expression === null) return (text) => text.includes(pattern);
  // With the flags g or y a RegExp remembers where it stopped, so the same prompt would not match twice.
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

function plainValue(document: ReturnType<typeof parseDocument>, fileName: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw invalid(fileName, [{ line: 1, column: 1, message: messageOf(error) }]);
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

function at(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function describe(issue: z.core.$ZodIssue): string {
  const where = issue.path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index > 0 ? "." : ""}${String(step)}`))
    .join("");
  return where === "" ? issue.message : `${where}: ${issue.message}`;
}

/** Position of an issue: the unknown key, the value, or the parent of a missing value. */
function offsetOf(contents: ParsedNode | null, issue: z.core.$ZodIssue): number {
  let node: unknown = contents;
  let offset = contents?.range[0] ?? 0;
  const steps = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0]!] : issue.path;
  for (const [index, step] of steps.entries()) {
    const wantsKey = issue.code === "unrecognized_keys" && index === steps.length - 1;
    const child = childOf(node, step, wantsKey);
    if (child === undefined) return offset;
    offset = child.range?.[0] ?? offset;
    node = child;
  }
  return offset;
}

function childOf(node: unknown, step: PropertyKey, wantsKey: boolean): ParsedNode | undefined {
  if (isMap<ParsedNode, ParsedNode | null>(node)) {
    const pair = node.items.find((item) => String(item.key) === String(step));
    return (wantsKey ? pair?.key : pair?.value) ?? undefined;
  }
  const items = (node as { items?: ParsedNode[] } | null)?.items;
  return typeof step === "number" ? items?.[step] : undefined;
}
