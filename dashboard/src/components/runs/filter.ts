// U02: pure functions that read the run filters from the URL, and turn them into a server query, a CLI command and chips.

import type { RunsFilter } from "../../../../src/api/client/types.ts";
import {
  RUN_STATUSES,
  type RunStatus,
  WAITING_KINDS,
  type WaitingOn,
} from "../../../../src/journal/events.ts";
import { omitUndefined } from "../../../../src/omit-undefined.ts";
import { describeWait } from "../../../../src/projections/words/waits.ts";
import { oneOf, textParam } from "../../ui/search-params.ts";

/** Time ranges; `today` starts at midnight. */
export const SINCE = ["1h", "today", "24h", "7d", "30d"] as const;

export type Since = (typeof SINCE)[number];

export const SORTS = ["started", "duration", "cost", "tokens", "agent", "status"] as const;

export type Sort = (typeof SORTS)[number];

export interface RunsSearch {
  q?: string;
  agent?: string;
  /** The person who started the run. */
  user?: string;
  status?: RunStatus[];
  since?: Since;
  waiting?: WaitingOn["kind"] | "person";
  /** If absent, the newest runs come first, or the best matches of a search. */
  sort?: Sort;
  /** Whether the sorted list begins with the smallest value. */
  asc?: true;
  /** Whether the list includes child runs. */
  all?: true;
}

export function parseRunsSearch(search: Record<string, unknown>): RunsSearch {
  const { q, agent, user, status, sort, all } = search;
  const words = typeof status === "string" ? status.split(",") : [status].flat();
  const statuses = RUN_STATUSES.filter((each) => words.includes(each));
  const since = SINCE.find((each) => each === search["since"]);
  const waiting = ([...WAITING_KINDS, "person"] as const).find((each) => each === search["waiting"]);
  return omitUndefined({
    // The router parses a numeric search text as a number.
    q: typeof q === "number" ? String(q) : textParam(q),
    agent: textParam(agent),
    user: textParam(user),
    status: statuses.length > 0 ? statuses : undefined,
    since,
    waiting,
    sort: oneOf(SORTS, sort),
    asc: oneOf(SORTS, sort) && search["asc"] === true ? (true as const) : undefined,
    all: all === true ? (true as const) : undefined,
  });
}

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
  const { q, agent, user, status, since, waiting, sort, asc } = search;
  return omitUndefined({
    q,
    agent,
    user,
    status,
    since: since && sinceTime(since, now),
    waiting,
    order: sort ?? (q === undefined ? undefined : ("relevance" as const)),
    ascending: sort && asc,
    roots: showsAll(search) ? undefined : true,
  });
}

/**
 * Whether the list includes child runs. Searches and most wait filters include them: a child can match even if its root does not.
 * The wait filter `person` leaves out child runs. If a child waits for a person, its root already matches.
 */
export const showsAll = ({ all, q, waiting }: RunsSearch): boolean =>
  all === true || q !== undefined || (waiting !== undefined && waiting !== "person");

function sinceTime(since: Since, now: number): number {
  if (since === "today") return new Date(now).setHours(0, 0, 0, 0);
  return Math.floor((now - BACK[since]) / STEP) * STEP;
}

/** The arguments of the CLI command that lists the same runs. The program's name is not included. */
export function toCommand(search: RunsSearch): string {
  const { q, agent, user, status, since, waiting } = search;
  const words = [
    ...(status === undefined ? [] : ["--status", status.join(",")]),
    ...(agent === undefined ? [] : ["--agent", quote(agent)]),
    ...(user === undefined ? [] : ["--user", quote(user)]),
    ...(q === undefined ? [] : ["--search", quote(q)]),
    ...(since === undefined ? [] : ["--since", since]),
    ...(waiting === undefined ? [] : ["--waiting-for", waiting]),
    ...(isMostExpensive(search) ? ["--sort", "cost"] : []),
    ...(showsAll(search) ? ["--all"] : []),
  ];
  return ["runs", ...words].join(" ");
}

/** The terminal sorts only by cost. Any other order is visible in the head of the table. */
const isMostExpensive = ({ sort, asc }: RunsSearch): boolean => sort === "cost" && asc === undefined;

const quote = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

export interface Chip {
  key: keyof RunsSearch;
  label: string;
  /** The CLI command that applies only this filter. */
  command: string;
}

export const SINCE_WORDS: Record<Since, string> = {
  "1h": "in the last hour",
  today: "today",
  "24h": "in the last 24 hours",
  "7d": "in the last 7 days",
  "30d": "in the last 30 days",
};

const waitSubject = (waiting: NonNullable<RunsSearch["waiting"]>): string =>
  waiting === "person" ? "a person" : describeWait({ kind: waiting }).subject;

export function filterChips(search: RunsSearch): Chip[] {
  const { q, agent, user, status, since, waiting } = search;
  const chips: [keyof RunsSearch, string | undefined, RunsSearch][] = [
    ["status", status?.join(" or "), status ? { status } : {}],
    ["agent", agent && `agent ${agent}`, agent ? { agent } : {}],
    ["user", user && `started by ${user}`, user ? { user } : {}],
    ["q", q && `“${q}”`, q ? { q } : {}],
    ["since", since && SINCE_WORDS[since], since ? { since } : {}],
    ["waiting", waiting && `waiting for ${waitSubject(waiting)}`, waiting ? { waiting } : {}],
    ["sort", isMostExpensive(search) ? "most expensive of the latest 500" : undefined, { sort: "cost" }],
  ];
  return chips.flatMap(([key, label, alone]) =>
    label === undefined ? [] : [{ key, label, command: toCommand(alone) }],
  );
}
