// Statistics of an agent: in total, and for each version of its file (U53, S4-59).
// The statistics are computed from the rows of the agent's runs, without reading journals.

import type { RunRow } from "../folds/run-row.ts";
import { totalTokens } from "./run-usage.ts";
import type { AgentTally } from "./usage-schema.ts";

export interface VersionTally extends AgentTally {
  /** Hash of the pinned definition. */
  definition: string;
}

export function talliesByAgent(rows: Iterable<RunRow>): (AgentTally & { agent: string })[] {
  return tallies(rows, ({ agent }) => agent).map(([agent, tally]) => ({ agent, ...tally }));
}

/** Versions of the agent, the most recently used first. */
export function talliesByVersion(rows: Iterable<RunRow>): VersionTally[] {
  return tallies(rows, (row) => row.definition)
    .map(([definition, tally]) => ({ definition, ...tally }))
    .sort((a, b) => b.lastAt - a.lastAt);
}

function tallies(rows: Iterable<RunRow>, keyOf: (row: RunRow) => string): [string, AgentTally][] {
  return [...Map.groupBy(rows, keyOf)].map(([key, own]) => [key, tallyOf(own)]);
}

function tallyOf(rows: readonly RunRow[]): AgentTally {
  const count = (status: RunRow["status"]): number => rows.filter((row) => row.status === status).length;
  const sum = (of: (row: RunRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const [completed, failed] = [count("completed"), count("failed")];
  const starts = rows.map(({ createdAt }) => createdAt);
  return {
    runs: rows.length,
    completed,
    failed,
    cancelled: count("cancelled"),
    successRate: completed + failed > 0 ? completed / (completed + failed) : null,
    turns: sum(({ turns }) => turns),
    tokens: sum(({ usage }) => totalTokens(usage)),
    cost: sum(({ usage }) => usage.cost),
    unpriced: sum(({ usage }) => usage.unpriced),
    activeMs: sum(({ usage }) => usage.activeMs),
    firstAt: starts.reduce((a, b) => Math.min(a, b)),
    lastAt: starts.reduce((a, b) => Math.max(a, b)),
  };
}
