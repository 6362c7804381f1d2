// The functions with which a module makes its steps. A step is plain data. With `yield*`, the answer has the right type.
// A module's process loads only this file of Cadre, so it imports nothing but types.

import type {
  CallAnswer,
  DelegateAnswer,
  DelegateOptions,
  Step,
  StepData,
  TurnAnswer,
  TurnsAnswer,
} from "./step-vocabulary.ts";

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
