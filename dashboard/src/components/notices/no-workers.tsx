// Says that no worker is running, on a server that leaves runs to separate workers. Otherwise every page would stand
// still without an explanation.

import { useQuery } from "@tanstack/react-query";
import { Hourglass } from "lucide-react";
import type { Health } from "../../../../src/api/client/types.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { Command } from "../../display/command/command.tsx";
import { driversQuery, healthQuery } from "../../live/queries.ts";

interface Idle {
  /** Number of runs waiting for a worker. */
  due: number;
  /** Set if only this pool has no worker. */
  pool?: string;
}

/** Undefined while every pool with waiting runs has a worker. */
export function useMissingWorkers(): Idle | undefined {
  const { data: health } = useQuery(healthQuery);
  const { data } = useQuery({ ...driversQuery, enabled: health?.isShared ?? false });
  return data?.isShared ? idleOf(data) : undefined;
}

const idleOf = ({ drives, due = 0, idlePools = [] }: Health): Idle | undefined =>
  drives ? idlePools[0] : { due };

export function NoWorkers({ due, pool }: Idle) {
  return (
    <>
      <Hourglass size={15} aria-hidden className="shrink-0" />
      <span>
        No worker is running{pool !== undefined && ` for pool ${pool}`}
        {due > 0 && `, and ${plural(due, "run")} ${due === 1 ? "is" : "are"} waiting`}. Everything recorded is
        safe. Start a worker:
      </span>
      <Command words={pool === undefined ? "worker" : `worker --pool ${pool}`} />
    </>
  );
}
