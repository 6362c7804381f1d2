// Runs that no answer lets go on: paused, set aside, stopped by a changed definition or a full disk. One button does.

import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { RunSummary } from "../../../../../src/api/client/types.ts";
import { isWaitingForResume } from "../../../display/status/status.ts";
import { VisibleText } from "../../../display/visible-text.tsx";
import { client } from "../../../live/client.ts";
import { queryClient } from "../../../live/query-client.ts";
import { Button } from "../../../ui/button.tsx";

const WHY: Record<string, string> = {
  paused: "Paused",
  quarantine: "Set aside: it could not be driven",
  definition_changed: "Its definition has changed",
  storage: "The store had no space",
};

export const needsResume = ({ waitingOn, status }: RunSummary): boolean =>
  status === "suspended" && isWaitingForResume(waitingOn);

export function RunsToResume({ runs }: { runs: readonly RunSummary[] }) {
  if (runs.length === 0) return null;
  return (
    <section aria-labelledby="held" className="border-line border-b">
      <h2 id="held" className="px-3 pt-3 pb-1 font-medium text-muted text-xs">
        Held: no answer lets these go on
      </h2>
      <ul>
        {runs.map((run) => (
          <Held key={run.id} run={run} />
        ))}
      </ul>
    </section>
  );
}

function Held({ run: { id, agent, task, waitingOn } }: { run: RunSummary }) {
  const resume = useMutation({
    mutationFn: () => client.resume(id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["runs"] }),
  });
  const { kind = "", detail } = waitingOn ?? {};
  return (
    <li className="flex items-center gap-2 px-3 py-2">
      <Link to="/r/$runId" params={{ runId: id }} className="flex min-w-0 flex-1 flex-col hover:underline">
        <span className="truncate text-sm">
          <VisibleText text={`${agent}: ${task}`} />
        </span>
        <span className="truncate text-muted text-xs">
          <VisibleText text={resume.error?.message ?? detail ?? WHY[kind] ?? kind} />
        </span>
      </Link>
      {kind !== "storage" && (
        <Button
          size="small"
          disabled={resume.isPending}
          aria-label={`Let ${agent} go on`}
          className="max-md:h-10"
          onClick={() => resume.mutate()}
        >
          Go on
        </Button>
      )}
    </li>
  );
}
