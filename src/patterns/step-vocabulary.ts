// The vocabulary of a module that controls its agent: what it may yield, and what each yield is answered with. A step is
// plain data; `yield*` gives its answer the right type.

import { z } from "zod";
import { Duration } from "../config/duration.ts";
import { ContextMode } from "../journal/definition.ts";
import type { ResultEnvelope } from "../journal/events.ts";
import { FINAL_REPORT } from "../projections/folds/run-state.ts";

/** One thing that a module asks for. */
export interface Step<Answer> {
  readonly kind: StepData["kind"];
  readonly arguments: object;
  [Symbol.iterator](): Iterator<Step<unknown>, Answer, unknown>;
}

/** What the default export of a module returns: `function* ({ task, input }): Steps`. */
export type Steps = Generator<Step<unknown>, StepsResult, unknown>;

/** What the module was started for. */
export interface StepsInput<Input = unknown> {
  task: string;
  input: Input;
}

/** The run's answer: a summary, or a whole report. Nothing: the agent's own last report. */
export type StepsResult = string | StepsReport | undefined;

export const StepsReport = z.object({
  summary: z.string(),
  details: z.string().optional(),
  warnings: z.array(z.string()).optional(),
  suggestions: z.array(z.string()).optional(),
  output: z.unknown().optional(),
});
export type StepsReport = z.infer<typeof StepsReport>;

export interface CallAnswer {
  output: unknown;
  isError: boolean;
}

export interface TurnAnswer {
  text: string;
  calls: (CallAnswer & { name: string; input: unknown })[];
  /** Where the agent has ended its work with this turn. */
  report?: StepsReport;
}

/** `done`: the agent has come to its end; else it had no more turns, and these are its last words. */
export interface TurnsAnswer extends StepsReport {
  done: boolean;
}

export interface DelegateAnswer extends ResultEnvelope {
  /** Absent: it was not started, and the summary says why. */
  child_run_id?: string;
}

export interface DelegateOptions {
  /** Files that it should look at, and how success is recognised. */
  files?: string[];
  criteria?: string;
  /** Anything else that it should know, as data. */
  context?: Record<string, unknown>;
  /** What it sees of this run's conversation. */
  contextMode?: ContextMode;
  model?: string;
  maxTurns?: number;
  /** The agent's model is not shown that this was done. */
  hidden?: boolean;
}

/** A message to the agent: it reads it at its next turn. */
export const prompt = (text: string): Step<null> => step("prompt", { text });

/** One turn of the agent, with its tool calls. */
export const turn = (): Step<TurnAnswer> => step("turn", {});

/** Turns until the agent reports or answers without a call, at most `max`. */
export const turns = (options: { max?: number } = {}): Step<TurnsAnswer> => step("turns", options);

/** A tool call, judged like one of the agent's own. `hidden`: its model is not shown that it was made. */
export const tool = (
  name: string,
  input: Record<string, unknown> = {},
  options: { hidden?: boolean } = {},
): Step<CallAnswer> => step("tool", { name, input, ...options });

/** Another agent does a task, and its result is the answer. */
export const delegate = (agent: string, task: string, options: DelegateOptions = {}): Step<DelegateAnswer> =>
  step("delegate", { agent, task, ...options });

/** Several at once; the answers stand in this order. */
export const parallel = (delegates: readonly Step<DelegateAnswer>[]): Step<DelegateAnswer[]> =>
  step("parallel", { delegates: delegates.map((one) => one.arguments) });

/** A question to a person. Null: it was rejected, or nobody was there in time. */
export const ask = (question: string, options: { choices?: string[] } = {}): Step<string | null> =>
  step("ask", { question, ...options });

/** Time that passes: milliseconds, or "10m". No process is needed meanwhile. */
export const sleep = (time: number | string): Step<null> => step("sleep", { time });

function step<Answer>(kind: StepData["kind"], given: object): Step<Answer> {
  const data = { kind, arguments: given };
  return Object.defineProperty(data, Symbol.iterator, {
    *value(this: Step<Answer>): Generator<Step<unknown>, Answer, unknown> {
      return (yield this) as Answer;
    },
  }) as Step<Answer>;
}

const text = z.string().refine((words) => words.trim() !== "", "must not be empty");
const DelegateArguments = z.strictObject({
  agent: text,
  task: text,
  files: z.array(z.string()).optional(),
  criteria: z.string().optional(),
  context: z.record(z.string(), z.unknown()).optional(),
  contextMode: ContextMode.optional(),
  model: z.string().optional(),
  maxTurns: z.int().positive().optional(),
  hidden: z.boolean().optional(),
});
export type DelegateArguments = z.infer<typeof DelegateArguments>;

const is = <Kind extends string, Given extends z.ZodType>(kind: Kind, given: Given) =>
  z.object({ kind: z.literal(kind), arguments: given });

export const StepData = z.discriminatedUnion("kind", [
  is("prompt", z.strictObject({ text })),
  is("turn", z.strictObject({})),
  is("turns", z.strictObject({ max: z.int().positive().optional() })),
  is(
    "tool",
    z.strictObject({
      name: text.refine(
        (name) => name !== FINAL_REPORT,
        "is how the agent ends; a module ends with `return`",
      ),
      input: z.record(z.string(), z.unknown()),
      hidden: z.boolean().optional(),
    }),
  ),
  is("delegate", DelegateArguments),
  is("parallel", z.strictObject({ delegates: z.array(DelegateArguments).min(1) })),
  is("ask", z.strictObject({ question: text, choices: z.array(text).min(1).optional() })),
  is("sleep", z.strictObject({ time: Duration })),
]);
export type StepData = z.infer<typeof StepData>;
