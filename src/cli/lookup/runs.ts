// Finds runs by the filter options of `cadre runs`, or by a reference to a run or event. The dashboard shows the same options (U02).

import type { CadreClient } from "../../api/client/client.ts";
import type { RunPage, RunSummary, RunsFilter } from "../../api/client/types.ts";
import { parseDuration } from "../../config/duration.ts";
import { RUN_STATUSES, WAITING_KINDS } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { usageError } from "../invocation.ts";
import { parseChoice } from "../option-values.ts";

export interface FilterOptions {
  status?: string;
  agent?: string;
  user?: string;
  search?: string;
  since?: string;
  waitingFor?: string;
  sort?: string;
}

export function parseRunsFilter(options: FilterOptions, now: number): Omit<RunsFilter, "limit" | "cursor"> {
  const { status, agent, user, search, since, waitingFor, sort } = options;
  const kinds = [...WAITING_KINDS, "person"] as const;
  return omitUndefined({
    agent,
    user,
    status: status?.split(",").map((word) => parseChoice("--status", word.trim(), RUN_STATUSES)),
    q: search,
    since: since === undefined ? undefined : parseSince(since, now),
    waiting: waitingFor === undefined ? undefined : parseChoice("--waiting-for", waitingFor, kinds),
    order: sort === undefined ? undefined : parseChoice("--sort", sort, ["cost"]),
  });
}

/** Parses a duration, a date, or `today`. `today` means since midnight in the local time zone. */
function parseSince(text: string, now: number): number {
  if (text === "today") return new Date(now).setHours(0, 0, 0, 0);
  const ago = /^\d+$/.test(text) ? undefined : parseDuration(text);
  if (ago !== undefined) return Math.max(0, now - ago);
  const at = /^\d{4}-\d\d-\d\d/.test(text)
    ? new Date(text.length === 10 ? `${text}T00:00` : text).getTime()
    : Number.NaN;
  if (at >= 0) return at;
  throw usageError(`--since ${text}: give a duration (2h, 7d), \`today\` or a date (2026-01-31).`);
}

const PAGE = 500;

/** Yields all matching runs, newest first. Requests them from the API page by page. */
export async function* allRuns(
  client: CadreClient,
  filter: Omit<RunsFilter, "limit" | "cursor">,
): AsyncGenerator<RunSummary, void> {
  let cursor: string | undefined;
  do {
    const page: RunPage = await client.get("/api/runs", { ...filter, cursor, limit: PAGE });
    yield* page.runs;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** Parses a reference to a run (`r1m7…`) or to an event of a run (`r1m7…#142`). */
export function parseRunReference(where: string): { runId: string; seq?: number } {
  const [, runId, seq] = /^([^#]+)(?:#([^#]*))?$/.exec(where) ?? [];
  if (runId === undefined)
    throw usageError(`\`${where}\` is not a run: write RUN or RUN#SEQ, for example r1m7j5wr#142.`);
  if (seq === undefined) return { runId };
  if (!/^[1-9]\d{0,8}$/.test(seq))
    throw usageError(
      `\`${where}\` is not an event: events are numbered from 1. Write RUN or RUN#SEQ, for example ${runId}#1.`,
    );
  return { runId, seq: Number(seq) };
}
