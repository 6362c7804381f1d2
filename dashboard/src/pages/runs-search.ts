// The filters of the list of runs, as they stand in the address (U02).

import { RUN_STATUSES, type RunStatus } from "../../../src/journal/events.ts";

export interface RunsSearch {
  q?: string;
  agent?: string;
  status?: RunStatus[];
}

export function runsSearch(search: Record<string, unknown>): RunsSearch {
  const { q, agent, status } = search;
  const wanted = [status]
    .flat()
    .filter((each): each is RunStatus => RUN_STATUSES.includes(each as RunStatus));
  return {
    ...(typeof q === "string" && q !== "" ? { q } : {}),
    ...(typeof agent === "string" && agent !== "" ? { agent } : {}),
    ...(wanted.length > 0 ? { status: wanted } : {}),
  };
}
