// The data of the steps that a module can yield, and of the answer to each step.

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
