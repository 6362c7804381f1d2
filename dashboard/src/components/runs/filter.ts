// U02: turns the search in the URL into a server query, a CLI command, and filter chips. Pure.

import type { RunsFilter } from "../../../../src/api/client/types.ts";
import { omitUndefined } from "../../../../src/omit-undefined.ts";
import type { RunsSearch, Since } from "./runs-search.ts";

const HOUR = 3_600_000;
const BACK: Record<Exclude<Since, "today">, number> = {
  "1h": HOUR,
  "24h": 24 * HOUR,
  "7d": 7 * 24 * HOUR,
  "30d": 30 * 24 * HOUR,
};
/** Rounds the start time, so that the query stays the same for a while. */
const STEP = HOUR / 12;

export function toFilter(search: RunsSearch, now: number): RunsFilter {
  const { q, agent, status, since, waiting, sort } = search;
  return omitUndefined({
    q,
    agent,
    status,
    since: since && sinceTime(since, now),
    waiting,
    order: sort,
    roots: showsAll(search) ? undefined : true,
  });
}

/**
 * Searches and wait filters cover child runs, which would be missed otherwise. `person` does not need that: a root
 * shows it too.
 */
export const showsAll = ({ all, q, waiting }: RunsSearch): boolean =>
  all === true || q !== undefined || (waiting !== undefined && waiting !== "person");

function sinceTime(since: Since, now: number): number {
  if (since === "today") return new Date(now).setHours(0, 0, 0, 0);
  return Math.floor((now - BACK[since]) / STEP) * STEP;
}

/** The CLI command that lists the same runs, without the program's name. */
export function toCommand(search: RunsSearch): string {
  const { q, agent, status, since, waiting, sort } = search;
  const words = [
    ...(status === undefined ? [] : ["--status", status.join(",")]),
    ...(agent === undefined ? [] : ["--agent", quoted(agent)]),
    ...(q === undefined ? [] : ["--search", quoted(q)]),
    ...(since === undefined ? [] : ["--since", since]),
    ...(waiting === undefined ? [] : ["--waiting-for", waiting]),
    ...(sort === undefined ? [] : ["--sort", sort]),
    ...(showsAll(search) ? ["--all"] : []),
  ];
  return ["runs", ...words].join(" ");
}

const quoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

export interface Chip {
  key: keyof RunsSearch;
  label: string;
  /** The CLI command with this filter alone. */
  command: string;
}

const SINCE_WORDS: Record<Since, string> = {
  "1h": "in the last hour",
  today: "today",
  "24h": "in the last 24 hours",
  "7d": "in the last 7 days",
  "30d": "in the last 30 days",
};

export const sinceWords = (since: Since): string => SINCE_WORDS[since];

export function filterChips(search: RunsSearch): Chip[] {
  const { q, agent, status, since, waiting, sort } = search;
  const chips: [keyof RunsSearch, string | undefined, RunsSearch][] = [
    ["status", status?.join(" or "), status ? { status } : {}],
    ["agent", agent && `agent ${agent}`, agent ? { agent } : {}],
    ["q", q && `“${q}”`, q ? { q } : {}],
    ["since", since && sinceWords(since), since ? { since } : {}],
    ["waiting", waiting && `waiting for ${waiting.replaceAll("_", " ")}`, waiting ? { waiting } : {}],
    ["sort", sort && "most expensive of the latest 500", sort ? { sort } : {}],
  ];
  return chips.flatMap(([key, label, alone]) =>
    label === undefined ? [] : [{ key, label, command: toCommand(alone) }],
  );
}
