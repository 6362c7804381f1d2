// A search in the address as what is asked of the server, as a command for the terminal, and as chips (U02). Pure.

import type { RunsFilter } from "../../../../src/api/client/types.ts";
import type { RunsSearch, Since } from "./runs-search.ts";

const HOUR = 3_600_000;
const BACK: Record<Exclude<Since, "today">, number> = {
  "1h": HOUR,
  "24h": 24 * HOUR,
  "7d": 7 * 24 * HOUR,
  "30d": 30 * 24 * HOUR,
};
/** In steps, so that the same question is asked for a while. */
const STEP = HOUR / 12;

export function toFilter(search: RunsSearch, now: number): RunsFilter {
  const { q, agent, status, since, waiting, sort } = search;
  return {
    ...(q === undefined ? {} : { q }),
    ...(agent === undefined ? {} : { agent }),
    ...(status === undefined ? {} : { status }),
    ...(since === undefined ? {} : { since: sinceTime(since, now) }),
    ...(waiting === undefined ? {} : { waiting }),
    ...(sort === undefined ? {} : { order: sort }),
    ...(showsAll(search) ? {} : { roots: true }),
  };
}

/**
 * Words and reasons to wait are looked for at every depth: what is found below a root would be missed otherwise. That
 * somebody has to answer shows on the root too.
 */
export const showsAll = ({ all, q, waiting }: RunsSearch): boolean =>
  all === true || q !== undefined || (waiting !== undefined && waiting !== "person");

function sinceTime(since: Since, now: number): number {
  if (since === "today") return new Date(now).setHours(0, 0, 0, 0);
  return Math.floor((now - BACK[since]) / STEP) * STEP;
}

/** What lists the same in a terminal, after the program's name. */
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
  /** The list with this filter alone, as `commandOf` says it. */
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
    ["sort", sort && "most expensive first, of the latest 500", sort ? { sort } : {}],
  ];
  return chips.flatMap(([key, label, alone]) =>
    label === undefined ? [] : [{ key, label, command: toCommand(alone) }],
  );
}
