// Replays a module: the module runs again from the start, with the recorded answers to its steps.
// The step that the module yields after the last recorded answer is the next step to carry out.
//  M1  The same answers give the same steps. If a step differs from the recorded step, the error names both.
//  M2  A module receives copies of the answers, so that changes to them do not affect the next replay.

import { z } from "zod";
import type { StepsMain } from "../agents/loaded-steps.ts";
import { messageOf } from "../errors.ts";
import { isTooDeep } from "../journal/message.ts";
import type { RunState } from "../projections/folds/run-state.ts";
import { StepData } from "./step-vocabulary.ts";

export type ReplayResult =
  | { type: "yielded"; index: number; step: StepData }
  /** The module has returned. `value` is plain data, or undefined. */
  | { type: "returned"; value: unknown }
  /** The module has failed. `why` is a sentence for people. */
  | { type: "failed"; why: string };

/** The maximum number of steps that a module can yield. This stops a module that would yield steps for ever. */
const MAX_YIELDS = 10_000;

/** Replays a module with the recorded answers. `module` is the name of its file, for error messages. */
export function replaySteps(main: StepsMain, module: string, state: RunState): ReplayResult {
  const known = replays.get(state);
  const at = known?.main === main ? known : { main, generator: undefined, given: 0, reached: undefined };
  replays.set(state, at);
  try {
    at.reached = replayAnswers(at, state);
  } catch (error) {
    at.reached = { type: "failed", why: `${module} threw: ${describeThrown(module, error)}` };
  }
  return at.reached;
}

interface Replay {
  main: StepsMain;
  generator: Iterator<unknown, unknown, unknown> | undefined;
  /** Number of answers that the module has received. */
  given: number;
  reached: ReplayResult | undefined;
}

/** Keeps the generator between decisions, so that a long run is not replayed from the start each time. */
const replays = new WeakMap<RunState, Replay>();

function replayAnswers(at: Replay, { start, steps: { answered } }: RunState): ReplayResult {
  const { task, input } = start!;
  at.generator ??= at.main({ task, input: structuredClone(input) });
  let reached = at.reached ?? resultOfYield(at.generator.next(), 0);
  while (at.given < answered.length && reached.type !== "failed") {
    const { kind, arguments: given, answer } = answered[at.given]!;
    const recorded = { kind, arguments: given };
    const isSame = reached.type === "yielded" && canonicalJson(reached.step) === canonicalJson(recorded);
    if (!isSame) return nondeterminismError(at.given, recorded, reached);
    at.given++;
    reached = resultOfYield(at.generator.next(structuredClone(answer)), at.given);
  }
  return reached;
}

function resultOfYield({ done, value }: IteratorResult<unknown>, index: number): ReplayResult {
  if (done) return resultOfReturn(value);
  if (index >= MAX_YIELDS)
    return { type: "failed", why: `The module has yielded ${MAX_YIELDS} times and has not returned.` };
  if (isTooDeep(value)) return { type: "failed", why: `Yield ${index} of the module is nested too deep.` };
  const read = StepData.safeParse(JSON.parse(canonicalJson(value) ?? "null"));
  if (read.success) return { type: "yielded", index, step: read.data };
  const what = z.prettifyError(read.error);
  return { type: "failed", why: `Yield ${index} of the module is no step: ${describeValue(value)}. ${what}` };
}

/** The returned value as plain data. A value that is not JSON throws here, so that the error names the module. */
function resultOfReturn(value: unknown): ReplayResult {
  if (value === undefined) return { type: "returned", value };
  if (isTooDeep(value)) return { type: "failed", why: "What the module has returned is nested too deep." };
  const text = canonicalJson(value);
  if (text !== undefined) return { type: "returned", value: JSON.parse(text) };
  return { type: "failed", why: `The module has returned a ${typeof value}, which is no data.` };
}

function nondeterminismError(
  index: number,
  recorded: { kind: string; arguments: unknown },
  reached: Exclude<ReplayResult, { type: "failed" }>,
): ReplayResult {
  const now =
    reached.type === "returned"
      ? `returns ${describeValue(reached.value)}`
      : `yields ${describeStep(reached.step)}`;
  const why = `The module is not deterministic: yield ${index} was ${describeStep(recorded)}, and replayed it ${now}. Nothing was done again. The same answers must bring the same yields: no clock, no randomness, no files in a module, only steps.`;
  return { type: "failed", why };
}

const describeStep = ({ kind, arguments: given }: { kind: string; arguments: unknown }): string =>
  `${kind} ${describeValue(given)}`;

const LONGEST = 300;

/** The start of a value as JSON, for an error message. */
export function describeValue(value: unknown): string {
  const text = canonicalJson(value) ?? String(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`;
}

/** JSON with sorted keys. */
function canonicalJson(value: unknown): string | undefined {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

/** Describes the value that a module has thrown. It can be any value, even one that throws when it is read. */
function describeThrown(module: string, error: unknown): string {
  try {
    return messageOf(error) + positionIn(module, error);
  } catch {
    return "something that cannot be shown";
  }
}

function positionIn(module: string, error: unknown): string {
  const name = module.replace(/^.*\//, "").replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const [, line, column] =
    new RegExp(`${name}(?:\\?[^:\\s]*)?:(\\d+):(\\d+)`).exec((error as Error | null)?.stack ?? "") ?? [];
  return line === undefined ? "" : ` (${module}:${line}:${column})`;
}
