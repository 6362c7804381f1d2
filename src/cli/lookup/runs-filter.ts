// Parses the filter options of `cadre runs`. The dashboard prints the same options for its filters (U02).

import type { RunsFilter } from "../../api/client/types.ts";
import { parseDuration } from "../../config/duration.ts";
import { CadreError } from "../../errors.ts";
import { RUN_STATUSES, type RunStatus, WAITING_KINDS } from "../../journal/events.ts";

export interface FilterOptions {
  status?: string;
  agent?: string;
  search?: string;
  since?: string;
  waitingFor?: string;
  sort?: string;
}

export function parseRunsFilter(options: FilterOptions, now: number): Omit<RunsFilter, "limit" | "cursor"> {
  const { status, agent, search, since, waitingFor, sort } = options;
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(status === undefined ? {} : { status: statusesOf(status) }),
    ...(search === undefined ? {} : { q: search }),
    ...(since === undefined ? {} : { since: timeOf(since, now) }),
    ...(waitingFor === undefined ? {} : { waiting: kindOf(waitingFor) }),
    ...(sort === undefined ? {} : { order: orderOf(sort) }),
  };
}

function statusesOf(text: string): RunStatus[] {
  return text.split(",").map((word) => {
    const status = RUN_STATUSES.find((known) => known === word.trim());
    if (status) return status;
    throw new CadreError("USAGE", `--status ${word}: it is one of ${RUN_STATUSES.join(", ")}.`);
  });
}

/** `today` means since midnight in the local time zone. */
function timeOf(text: string, now: number): number {
  if (text === "today") return new Date(now).setHours(0, 0, 0, 0);
  const ago = /^\d+$/.test(text) ? undefined : parseDuration(text);
  if (ago !== undefined) return Math.max(0, now - ago);
  const at = /^\d{4}-\d\d-\d\d/.test(text)
    ? new Date(text.length === 10 ? `${text}T00:00` : text).getTime()
    : Number.NaN;
  if (at >= 0) return at;
  throw new CadreError(
    "USAGE",
    `--since ${text}: give a duration (2h, 7d), \`today\` or a date (2026-01-31).`,
  );
}

function kindOf(text: string): NonNullable<RunsFilter["waiting"]> {
  const kinds = [...WAITING_KINDS, "person"] as const;
  const kind = kinds.find((known) => known === text);
  if (kind) return kind;
  throw new CadreError("USAGE", `--waiting-for ${text}: it is one of ${kinds.join(", ")}.`);
}

function orderOf(text: string): "cost" {
  if (text === "cost") return text;
  throw new CadreError("USAGE", `--sort ${text}: it can only be cost.`);
}
