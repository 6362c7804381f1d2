// That nobody works on runs, where a server leaves that to workers elsewhere: what was asked for and answered would else
// stand still on every page without a word why.

import { useQuery } from "@tanstack/react-query";
import { Hourglass } from "lucide-react";
import type { Health } from "../../../../src/api/schema.ts";
import { Command } from "../../display/command.tsx";
import { plural } from "../../display/words.ts";
import { driversQuery, healthQuery } from "../../live/queries.ts";

/** Undefined: somebody does. Otherwise how many runs wait for them. */
export function useNobodyDrives(): number | undefined {
  const { data: health } = useQuery(healthQuery);
  const { data } = useQuery({ ...driversQuery, enabled: health !== undefined && leavesWork(health) });
  return data && leavesWork(data) && !data.drives ? (data.due ?? 0) : undefined;
}

const leavesWork = ({ isShared, isWorker }: Health): boolean => isShared && !isWorker;

export function NobodyDrives({ due }: { due: number }) {
  return (
    <>
      <Hourglass size={15} aria-hidden className="shrink-0" />
      <span>
        Nobody works on runs now
        {due > 0 && `, and ${plural(due, "run")} ${due === 1 ? "waits" : "wait"} for it`}. What is recorded is
        safe. This works on them until you end it:
      </span>
      <Command words="worker" />
    </>
  );
}
