// That nobody works on runs, where a server leaves that to workers elsewhere: what was asked for and answered would else
// stand still on every page without a word why.

import { useQuery } from "@tanstack/react-query";
import { Hourglass } from "lucide-react";
import type { Health } from "../../../../src/api/client/types.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { Command } from "../../display/command/command.tsx";
import { driversQuery, healthQuery } from "../../live/queries.ts";

interface Idle {
  /** How many runs wait for somebody. */
  due: number;
  /** Of this pool alone. */
  pool?: string;
}

/** Undefined: somebody does, whatever waits. */
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
        Nobody works on runs{pool !== undefined && ` of the pool ${pool}`} now
        {due > 0 && `, and ${plural(due, "run")} ${due === 1 ? "waits" : "wait"} for it`}. What is recorded is
        safe. This works on them until you end it:
      </span>
      <Command words={pool === undefined ? "worker" : `worker --pool ${pool}`} />
    </>
  );
}
