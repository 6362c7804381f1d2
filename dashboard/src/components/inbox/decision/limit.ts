// U21: a person can approve a call with a tighter limit on its time or turns, if the tool supports such a limit.

import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { plural } from "../../../../../src/projections/words/format.ts";

export interface LimitChoice {
  field: "timeout" | "maxTurns";
  label: string;
  choices: readonly { value: number; words: string }[];
}

const TIMES: LimitChoice = {
  field: "timeout",
  label: "Stop it after",
  choices: [
    { value: 10_000, words: "10 seconds" },
    { value: 30_000, words: "30 seconds" },
    { value: 60_000, words: "1 minute" },
    { value: 120_000, words: "2 minutes" },
  ],
};

const TURNS: LimitChoice = {
  field: "maxTurns",
  label: "Limit it to",
  choices: [1, 3, 5, 10, 20].map((value) => ({ value, words: plural(value, "turn") })),
};

const BY_TOOL: Record<string, LimitChoice> = {
  Bash: TIMES,
  delegate: TURNS,
  mcp__agent__spawn: TURNS,
};

/** The limits to choose from; undefined if the tool has no limit or the call already has the tightest limit. */
export function limitChoice({ kind, tool = "", input }: ApprovalView): LimitChoice | undefined {
  const limit = kind === "tool" ? BY_TOOL[tool] : undefined;
  if (!limit || typeof input !== "object" || input === null) return undefined;
  const own = (input as Record<string, unknown>)[limit.field];
  const choices = limit.choices.filter(({ value }) => typeof own !== "number" || value < own);
  return choices.length === 0 ? undefined : { ...limit, choices };
}

export const withLimit = ({ input }: ApprovalView, { field }: LimitChoice, value: number): unknown => ({
  ...(input as object),
  [field]: value,
});
