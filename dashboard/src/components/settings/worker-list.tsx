// The workers on this machine and on others, and which of them no longer respond.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { WorkerView } from "../../../../src/api/client/types.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { Command } from "../../display/command/command.tsx";
import { Failure, Loading } from "../../display/page-state.tsx";
import { When } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { workersQuery } from "../../live/queries.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { SettingsSection } from "./settings-section.tsx";

export function WorkerList() {
  const workers = useQuery(workersQuery);
  const hasWorker = workers.data?.some(({ silent }) => !silent) ?? false;
  return (
    <SettingsSection title="Workers" text="The processes that execute runs, on this machine and on others.">
      {workers.isPending && <Loading />}
      {workers.isError && <Failure error={workers.error} onAgain={() => void workers.refetch()} />}
      {workers.data && !hasWorker && (
        <>
          <p className="text-muted">No worker is running. Start one:</p>
          <Command words="worker" />
        </>
      )}
      {workers.data && workers.data.length > 0 && (
        <ul className="w-full divide-y divide-line rounded-md border border-line">
          {workers.data.map((worker) => (
            <WorkerRow key={worker.name} worker={worker} hasWorker={hasWorker} />
          ))}
        </ul>
      )}
      <Button disabled={workers.isFetching} onClick={() => void workers.refetch()}>
        {" "}
        Refresh
      </Button>
    </SettingsSection>
  );
}

/** `hasWorker`: at least one worker is alive. */
function WorkerRow({ worker, hasWorker }: { worker: WorkerView; hasWorker: boolean }) {
  const { name, host, pid, pool, version, since, seenAt, silent, runs, holds, tooNew } = worker;
  return (
    <li className="px-3 py-2">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <code className="break-all font-mono text-xs">
          <VisibleText text={name} />
        </code>
        <Badge tone={silent ? "bad" : "good"}>{silent ? "not responding" : "running"}</Badge>
        <span>{plural(runs, "run")}</span>
      </p>
      <p className="flex flex-wrap gap-x-2 text-muted text-xs">
        <span>
          Process {pid} on <VisibleText text={host} />,
        </span>
        <span>
          pool <VisibleText text={pool} />,
        </span>
        <span>
          version <VisibleText text={version} />,
        </span>
        <span>
          started <When ts={since} />, seen <When ts={seenAt} />
        </span>
      </p>
      {holds.length > 0 && (
        <p className="flex flex-wrap gap-x-2 text-xs">
          {holds.map((id) => (
            <Link key={id} to="/r/$runId" params={{ runId: id }} className="font-mono text-accent underline">
              {id}
            </Link>
          ))}
          {runs > holds.length && <span className="text-muted">and {runs - holds.length} more</span>}
        </p>
      )}
      {tooNew !== undefined && (
        <p className="text-muted text-xs">
          Too old for {plural(tooNew, "run")}: only a newer version can continue{" "}
          {tooNew === 1 ? "it" : "them"}.
        </p>
      )}
      {silent && (
        <p className="text-muted text-xs">
          It crashed, hangs, or lost its connection.
          {hasWorker
            ? " Other workers take over its runs."
            : runs > 0 && " Its runs wait for another worker."}
        </p>
      )}
    </li>
  );
}
