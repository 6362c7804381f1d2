// Where a module stands, from what its steps were answered so far: it is run anew on the recorded answers, and what it
// yields after the last of them is what it wants now.
//  M1  The same answers bring the same yields. One that differs from the record is an error that names both.
//  M2  A module sees copies: what it does to an answer is not there the next time.

import { z } from "zod";
import type { StepsMain } from "../agents/load-steps.ts";
import { messageOf } from "../errors.ts";
import type { RunState } from "../projections/folds/run-state.ts";
import { StepData } from "./step-vocabulary.ts";

export type ReplayResult =
  | { type: "yielded"; index: number; step: StepData }
  /** Plain data, or undefined. */
  | { type: "returned"; value: unknown }
  /** A sentence for people. */
  | { type: "failed"; why: string };

/** A module that yields without end would be replayed without end. */
const MAX_YIELDS = 10_000;

/** `module`: what the file is called, so that an error can name its place in it. */
export function replaySteps(main: StepsMain, module: string, state: RunState): ReplayResult {
  const known = replays.get(state);
  const at = known?.main === main ? known : { main, generator: undefined, given: 0, reached: undefined };
  replays.set(state, at);
  try {
    at.reached = goOn(at, state);
  } catch (error) {
    at.reached = { type: "failed", why: `${module} threw: ${thrownText(module, error)}` };
  }
  return at.reached;
}

interface Replay {
  main: StepsMain;
  generator: Iterator<unknown, unknown, unknown> | undefined;
  /** How many answers it was given, and what it has come to. */
  given: number;
  reached: ReplayResult | undefined;
}

/** Spares the driver of a long run to begin at the beginning for each decision; a fold made anew begins anew. */
const replays = new WeakMap<RunState, Replay>();

function goOn(at: Replay, { start, steps: { answered } }: RunState): ReplayResult {
  const { task, input } = start!;
  at.generator ??= at.main({ task, input: structuredClone(input) });
  let reached = at.reached ?? reachedBy(at.generator.next(), 0);
  while (at.given < answered.length && reached.type !== "failed") {
    const { kind, arguments: given, answer } = answered[at.given]!;
    const recorded = { kind, arguments: given };
    const isSame = reached.type === "yielded" && canonical(reached.step) === canonical(recorded);
    if (!isSame) return differs(at.given, recorded, reached);
    at.given++;
    reached = reachedBy(at.generator.next(structuredClone(answer)), at.given);
  }
  return reached;
}

function reachedBy({ done, value }: IteratorResult<unknown>, index: number): ReplayResult {
  if (done) return returnedBy(value);
  if (index >= MAX_YIELDS)
    return { type: "failed", why: `The module has yielded ${MAX_YIELDS} times and has not returned.` };
  const read = StepData.safeParse(JSON.parse(canonical(value) ?? "null"));
  if (read.success) return { type: "yielded", index, step: read.data };
  const what = z.prettifyError(read.error);
  return { type: "failed", why: `Yield ${index} of the module is no step: ${describeValue(value)}. ${what}` };
}

/** The run ends with what is left of it as JSON: what cannot be said so is found here, where a throw is the module's. */
function returnedBy(value: unknown): ReplayResult {
  if (value === undefined) return { type: "returned", value };
  const text = canonical(value);
  if (text !== undefined) return { type: "returned", value: JSON.parse(text) };
  return { type: "failed", why: `The module has returned a ${typeof value}, which is no data.` };
}

function differs(
  index: number,
  recorded: { kind: string; arguments: unknown },
  reached: Exclude<ReplayResult, { type: "failed" }>,
): ReplayResult {
  const now =
    reached.type === "returned"
      ? `returns ${describeValue(reached.value)}`
      : `yields ${stepText(reached.step)}`;
  const why = `The module is not deterministic: yield ${index} was ${stepText(recorded)}, and replayed it ${now}. Nothing was done again. The same answers must bring the same yields: no clock, no randomness, no files in a module, only steps.`;
  return { type: "failed", why };
}

const stepText = ({ kind, arguments: given }: { kind: string; arguments: unknown }): string =>
  `${kind} ${describeValue(given)}`;

const LONGEST = 300;

/** Data in short, for a sentence. */
export function describeValue(value: unknown): string {
  const text = canonical(value) ?? String(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`;
}

/** The same data gives the same text, whatever the order of its keys. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

/** What is thrown may be anything, and throw when it is looked at. */
function thrownText(module: string, error: unknown): string {
  try {
    return messageOf(error) + placeIn(module, error);
  } catch {
    return "something that cannot be shown";
  }
}

function placeIn(module: string, error: unknown): string {
  const name = module.replace(/^.*\//, "").replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const [, line, column] =
    new RegExp(`${name}(?:\\?[^:\\s]*)?:(\\d+):(\\d+)`).exec((error as Error | null)?.stack ?? "") ?? [];
  return line === undefined ? "" : ` (${module}:${line}:${column})`;
}
