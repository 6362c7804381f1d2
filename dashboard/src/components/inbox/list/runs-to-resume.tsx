// Runs that wait for a person but ask no question: paused, quarantined, or stopped by a changed definition or a full
// disk. A button resumes them.

import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { RunSummary } from "../../../../../src/api/client/types.ts";
import { describeWait } from "../../../../../src/projections/words/waits.ts";
import { isWaitingForResume } from "../../../display/status/status.ts";
import { VisibleText } from "../../../display/visible-text.tsx";
import { client } from "../../../live/client.ts";
import { queryClient } from "../../../live/query-client.ts";
import { Button } from "../../../ui/button.tsx";

export const needsResume = ({ waitingOn, status }: RunSummary): boolean =>
  status === "suspended" && isWaitingForResume(waitingOn);

export function RunsToResume({ runs }: { runs: readonly RunSummary[] }) {
  if (runs.length === 0) return null;
  return (
    <section aria-labelledby="to-resume" className="border-line border-b">
      <h2 id="to-resume" className="px-3 pt-3 pb-1 font-medium text-muted text-xs">
        Waiting to be resumed
      </h2>
      <ul>
        {runs.map((run) => (
          <RunToResume key={run.id} run={run} />
        ))}
      </ul>
    </section>
  );
}

function RunToResume({ run: { id, agent, task, waitingOn } }: { run: RunSummary }) {
  const resume = useMutation({
    mutationFn: () => client.post("/api/runs/{id}/resume", { id }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["runs"] }),
  });
  const { kind, detail } = waitingOn ?? {};
  return (
    <li className="flex items-center gap-2 px-3 py-2">
      <Link to="/r/$runId" params={{ runId: id }} className="flex min-w-0 flex-1 flex-col hover:underline">
        <span className="truncate text-sm">
          <VisibleText text={`${agent}: ${task}`} />
        </span>
        <span className="truncate text-muted text-xs">
          <VisibleText
            text={resume.error?.message ?? detail ?? (waitingOn ? describeWait(waitingOn).title : "")}
          />
        </span>
      </Link>
      {kind !== "storage" && (
        <Button
          size="small"
          disabled={resume.isPending}
          aria-label={`Resume ${agent}`}
          className="max-md:h-10"
          onClick={() => resume.mutate()}
        >
          {" "}
          Resume
        </Button>
      )}
    </li>
  );
}
