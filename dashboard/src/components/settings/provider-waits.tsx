import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RotateCcw } from "lucide-react";
import type { ListedRun } from "../../../../src/api/client/types.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { Failure, Loading } from "../../display/page-state.tsx";
import { Countdown } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { providerWaitsQuery } from "../../live/queries.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/problem.tsx";
import { SettingsSection } from "./settings-section.tsx";

const SHOWN = 10;

/** U45: runs waiting for a model provider, with the provider's last message and the time of the next attempt. */
export function ProviderWaits() {
  const { data, isError, error, refetch } = useQuery(providerWaitsQuery);
  const { busy, problem, perform } = useAction();
  const runs = data?.runs ?? [];
  const retryAll = async () => {
    for (const { id } of runs) await client.post("/api/runs/{id}/resume", { id });
  };
  return (
    <SettingsSection
      title="Model provider"
      text="Runs that wait because the provider refused a request or asked us to wait."
    >
      <div id="provider" className="flex w-full flex-col gap-3">
        {isError && <Failure error={error} onAgain={() => void refetch()} />}
        {!data && !isError && <Loading />}
        {data && runs.length === 0 && <p>No run is waiting for its provider.</p>}
        {runs.length > 0 && (
          <>
            <p>{plural(data?.total ?? runs.length, "run")} waiting. Each retries on its own.</p>
            <ul className="flex flex-col gap-1.5">
              {runs.slice(0, SHOWN).map((run) => (
                <Wait key={run.id} run={run} />
              ))}
            </ul>
            <Button className="self-start max-md:h-10" disabled={busy} onClick={() => void perform(retryAll)}>
              <RotateCcw size={14} aria-hidden /> Retry {runs.length === 1 ? "it" : "all"} now
            </Button>
          </>
        )}
        <Problem text={problem} />
      </div>
    </SettingsSection>
  );
}

const Wait = ({ run: { id, agent, waitingOn } }: { run: ListedRun }) => (
  <li className="flex flex-wrap items-center gap-x-2">
    <Link to="/r/$runId" params={{ runId: id }} className="text-accent underline">
      <VisibleText text={agent} />
    </Link>
    {waitingOn?.until !== undefined && <Countdown until={waitingOn.until} />}
    <span className="min-w-0 break-words text-muted">
      <VisibleText text={waitingOn?.detail ?? ""} />
    </span>
  </li>
);
