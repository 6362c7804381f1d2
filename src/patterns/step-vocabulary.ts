// The steps that a module can yield, and the answer to each step. A step is plain data. With `yield*`, the answer has the right type.

import { z } from "zod";
import { Duration } from "../config/duration.ts";
import { ContextMode } from "../journal/definition.ts";
import type { ResultEnvelope } from "../journal/events.ts";
import { FINAL_REPORT } from "../projections/folds/run-state.ts";

/** One request of a module. */
export interface Step<Answer> {
  readonly kind: StepData["kind"];
  readonly arguments: object;
  [Symbol.iterator](): Iterator<Step<unknown>, Answer, unknown>;
}

/** Return type of a module's default export: `function* ({ task, input }): Steps`. */
export type Steps = Generator<Step<unknown>, StepsResult, unknown>;

/** Argument of a module's default export. */
export interface StepsInput<Input = unknown> {
  task: string;
  input: Input;
}

/** The run's answer: a summary or a whole report. If undefined, the agent's last report is the answer. */
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
  /** The agent's report, if the agent ended its work with this turn. */
  report?: StepsReport;
}

/** The answer to `turns`. If `done` is false, the agent ran out of turns, and `summary` is its last text. */
export interface TurnsAnswer extends StepsReport {
  done: boolean;
}

export interface DelegateAnswer extends ResultEnvelope {
  /** The child's run id. Absent if the child was not started. In that case the summary says why. */
  child_run_id?: string;
}

export interface DelegateOptions {
  /** Files that the agent should look at. */
  files?: string[];
  /** Describes how success is recognised. */
  criteria?: string;
  /** More information for the agent, as data. */
  context?: Record<string, unknown>;
  /** How much of this run's conversation the agent sees. */
  contextMode?: ContextMode;
  model?: string;
  maxTurns?: number;
  /** The agent's model does not see this call. */
  hidden?: boolean;
}

/** A message that the agent reads in its next turn. */
export const prompt = (text: string): Step<null> => step("prompt", { text });

/** One turn of the agent, with its tool calls. */
export const turn = (): Step<TurnAnswer> => step("turn", {});

/** Turns of the agent until it reports or answers without a call, but at most `max` turns. */
export const turns = (options: { max?: number } = {}): Step<TurnsAnswer> => step("turns", options);

/** A tool call, judged like the agent's own calls. If `hidden` is set, the agent's model does not see the call. */
export const tool = (
  name: string,
  input: Record<string, unknown> = {},
  options: { hidden?: boolean } = {},
): Step<CallAnswer> => step("tool", { name, input, ...options });

/** Delegates a task to another agent. The step's answer is that agent's result. */
export const delegate = (agent: string, task: string, options: DelegateOptions = {}): Step<DelegateAnswer> =>
  step("delegate", { agent, task, ...options });

/** Several delegations at the same time. The answers are in the order of the delegations. */
export const parallel = (delegates: readonly Step<DelegateAnswer>[]): Step<DelegateAnswer[]> =>
  step("parallel", { delegates: delegates.map((one) => one.arguments) });

/** A question to a person. The answer is null if the person rejected the question or did not answer in time. */
export const ask = (question: string, options: { choices?: string[] } = {}): Step<string | null> =>
  step("ask", { question, ...options });

/** Waits for a duration, in milliseconds or as text such as "10m". No process is needed meanwhile. */
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

const stepSchema = <Kind extends string, Given extends z.ZodType>(kind: Kind, given: Given) =>
  z.object({ kind: z.literal(kind), arguments: given });

export const StepData = z.discriminatedUnion("kind", [
  stepSchema("prompt", z.strictObject({ text })),
  stepSchema("turn", z.strictObject({})),
  stepSchema("turns", z.strictObject({ max: z.int().positive().optional() })),
  stepSchema(
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
  stepSchema("delegate", DelegateArguments),
  stepSchema("parallel", z.strictObject({ delegates: z.array(DelegateArguments).min(1) })),
  stepSchema("ask", z.strictObject({ question: text, choices: z.array(text).min(1).optional() })),
  stepSchema("sleep", z.strictObject({ time: Duration })),
]);
export type StepData = z.infer<typeof StepData>;
