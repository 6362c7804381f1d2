// U02: the filters of the list of runs in the URL, the same as in the API and in `cadre runs`.

import {
  RUN_STATUSES,
  type RunStatus,
  WAITING_KINDS,
  type WaitingOn,
} from "../../../../src/journal/events.ts";
import { omitUndefined } from "../../../../src/omit-undefined.ts";
import { textParam } from "../../ui/search-params.ts";

/** Time ranges; `today` starts at midnight. */
export const SINCE = ["1h", "today", "24h", "7d", "30d"] as const;
export type Since = (typeof SINCE)[number];

export interface RunsSearch {
  q?: string;
  agent?: string;
  status?: RunStatus[];
  since?: Since;
  waiting?: WaitingOn["kind"] | "person";
  sort?: "cost";
  /** Includes child runs. */
  all?: true;
}

export function parseRunsSearch(search: Record<string, unknown>): RunsSearch {
  const { q, agent, status, sort, all } = search;
  const words = typeof status === "string" ? status.split(",") : [status].flat();
  const statuses = RUN_STATUSES.filter((each) => words.includes(each));
  const since = SINCE.find((each) => each === search["since"]);
  const waiting = ([...WAITING_KINDS, "person"] as const).find((each) => each === search["waiting"]);
  return omitUndefined({
    // The router parses a numeric search text as a number.
    q: typeof q === "number" ? String(q) : textParam(q),
    agent: textParam(agent),
    status: statuses.length > 0 ? statuses : undefined,
    since,
    waiting,
    sort: sort === "cost" ? ("cost" as const) : undefined,
    all: all === true ? (true as const) : undefined,
  });
}
