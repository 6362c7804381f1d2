// Checks an answer against the expectations of its case. The functions are pure, except for the check that a file exists.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { RunDetail } from "../../api/client/types.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { money } from "../../projections/words/format.ts";
import type { Expectation } from "./eval-file.ts";

export interface Answer {
  run: Pick<RunDetail, "result" | "output" | "treeUsage" | "turns" | "workspace">;
  /** Events of the run and its descendants. */
  events: readonly JournalEvent[];
}

/** Returns the expectations that were not met, one sentence each. */
export const failuresOf = (expected: readonly Expectation[], answer: Answer): string[] =>
  expected.flatMap((expectation) => failureOf(expectation, answer) ?? []);

function failureOf(expected: Expectation, { run, events }: Answer): string | undefined {
  const text = resultText(run);
  const called = new Set(events.flatMap(calledIn));
  if (expected.contains !== undefined)
    return failureUnless(
      text.includes(expected.contains),
      `the answer does not contain “${expected.contains}”`,
    );
  if (expected.matches !== undefined)
    return failureUnless(
      new RegExp(expected.matches, "u").test(text),
      `the answer does not match ${expected.matches}`,
    );
  if (expected.schema !== undefined) return schemaFailure(expected.schema, run.output);
  if (expected.file !== undefined)
    return failureUnless(existsSync(join(run.workspace, expected.file)), `there is no file ${expected.file}`);
  if (expected.calls !== undefined)
    return failureUnless(called.has(expected.calls), `it did not call ${expected.calls}`);
  if (expected.callsNot !== undefined)
    return failureUnless(!called.has(expected.callsNot), `it called ${expected.callsNot}`);
  if (expected.maxTurns !== undefined)
    return failureUnless(
      run.turns <= expected.maxTurns,
      `it took ${run.turns} turns, more than ${expected.maxTurns}`,
    );
  if (expected.maxCost !== undefined) return costFailure(run.treeUsage, expected.maxCost);
  return equalsFailure(expected.equals, text, run.output);
}

const failureUnless = (holds: boolean, failure: string): string | undefined => (holds ? undefined : failure);

/** The agent's summary and details as one text. */
export const resultText = ({ result }: Pick<RunDetail, "result">): string =>
  [result?.summary, result?.details].filter((part) => part !== undefined && part !== "").join("\n\n");

/** Returns the tool's name if the event is a tool call. A denied call is left out, because it never ran. */
const calledIn = (event: JournalEvent): string[] =>
  event.type === "TOOL_PROPOSED" && event.payload.verdict !== "deny" ? [event.payload.name] : [];

function schemaFailure(schema: Record<string, unknown>, output: unknown): string | undefined {
  const parsed = z.fromJSONSchema(schema).safeParse(output);
  return parsed.success ? undefined : `the output does not fit: ${z.prettifyError(parsed.error)}`;
}

/** If a price is unknown, the expectation fails, because the true cost might be above the limit. */
function costFailure({ cost, unpriced }: RunDetail["treeUsage"], most: number): string | undefined {
  if (cost > most) return `it cost ${money(cost)}, more than ${money(most)}`;
  return unpriced > 0 ? `its cost is unknown: ${unpriced} calls have no price` : undefined;
}

function equalsFailure(expected: unknown, text: string, output: unknown): string | undefined {
  if (typeof expected === "string")
    return failureUnless(text.trim() === expected.trim(), `the answer is not “${expected}”`);
  return failureUnless(
    isDeepStrictEqual(output, plainData(expected)),
    `the output is not ${JSON.stringify(expected)}`,
  );
}

/** Gives objects from YAML a prototype, which they lack. `isDeepStrictEqual` would otherwise find a difference. */
const plainData = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
