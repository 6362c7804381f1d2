// The state of the server: the process, runs that wait for a model provider, the workers, and the checks of `cadre doctor`.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, OctagonX, RotateCcw, TriangleAlert } from "lucide-react";
import type { Check, Health, ListedRun, WorkerView } from "../../../../src/api/client/types.ts";
import { fullTime, plural } from "../../../../src/projections/words/format.ts";
import { Command } from "../../display/command/command.tsx";
import { Loaded } from "../../display/page-state.tsx";
import { Countdown, Elapsed, When } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { checksQuery, healthQuery, providerWaitsQuery, workersQuery } from "../../live/queries.ts";
import { useAction } from "../../live/use-action.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Problem } from "../../ui/problem.tsx";
import { SettingsSection } from "./settings-section.tsx";

export function ServerFacts() {
  return (
    <SettingsSection title="Server">
      <Loaded query={useQuery(healthQuery)}>
        {(health) => (
          <Facts>
            <Fact name="Version">{health.version}</Fact>
            <Fact name="Folder">
              <code className="break-all font-mono text-xs">{health.folder}</code>
            </Fact>
            <Fact name="Default model">{health.model}</Fact>
            <Fact name="Process">
              {health.pid}, {describeWork(health)}
            </Fact>
            <Fact name="Uptime">
              <span title={`since ${fullTime(health.startedAt)}`}>
                <Elapsed from={health.startedAt} />
              </span>
            </Fact>
            <Fact name="API">
              <a href="/docs" className="text-accent underline">
                reference
              </a>
            </Fact>
          </Facts>
        )}
      </Loaded>
    </SettingsSection>
  );
}

function describeWork({ isWorker, drives }: Health): string {
  if (isWorker) return "runs agents";
  return drives ? "leaves runs to other workers" : "runs no agents, and no worker is running";
}

const SHOWN_WAITS = 10;

/** U45: runs that wait for a model provider, with the provider's last message and the time of the next attempt. */
export function ProviderWaits() {
  const waits = useQuery(providerWaitsQuery);
  const { busy, problem, perform } = useAction();
  const retryAll = async (runs: readonly ListedRun[]) => {
    for (const { id } of runs) await client.post("/api/runs/{id}/resume", { id });
  };
  return (
    <SettingsSection
      title="Model provider"
      text="Runs that wait because the provider refused a request or asked us to wait."
    >
      <div id="provider" className="flex w-full flex-col gap-3">
        <Loaded query={waits}>
          {({ runs, total }) =>
            runs.length === 0 ? (
              <p>No run is waiting for its provider.</p>
            ) : (
              <>
                <p>{plural(total ?? runs.length, "run")} waiting. Each retries on its own.</p>
                <ul className="flex flex-col gap-1.5">
                  {runs.slice(0, SHOWN_WAITS).map((run) => (
                    <ProviderWait key={run.id} run={run} />
                  ))}
                </ul>
                <Button
                  className="self-start max-md:h-10"
                  disabled={busy}
                  onClick={() => void perform(() => retryAll(runs))}
                >
                  <RotateCcw size={14} aria-hidden /> Retry {runs.length === 1 ? "it" : "all"} now
                </Button>
              </>
            )
          }
        </Loaded>
        <Problem text={problem} />
      </div>
    </SettingsSection>
  );
}

const ProviderWait = ({ run: { id, agent, waitingOn } }: { run: ListedRun }) => (
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

/** The workers on this machine and on other machines. The list marks workers that no longer respond. */
export function WorkerList() {
  const workers = useQuery(workersQuery);
  const hasWorker = workers.data?.some(({ silent }) => !silent) ?? false;
  return (
    <SettingsSection title="Workers" text="The processes that execute runs, on this machine and on others.">
      <Loaded query={workers}>
        {(list) => (
          <>
            {!hasWorker && (
              <>
                <p className="text-muted">No worker is running. Start one:</p>
                <Command words="worker" />
              </>
            )}
            {list.length > 0 && (
              <ul className="w-full divide-y divide-line rounded-md border border-line">
                {list.map((worker) => (
                  <WorkerRow key={worker.name} worker={worker} hasWorker={hasWorker} />
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
      <Button disabled={workers.isFetching} onClick={() => void workers.refetch()}>
        Refresh
      </Button>
    </SettingsSection>
  );
}

/** `hasWorker` means that at least one worker is alive. */
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
      <p className="text-muted text-xs">
        <VisibleText text={`Process ${pid} on ${host}, pool ${pool}, version ${version}, `} />
        started <When ts={since} />, seen <When ts={seenAt} />
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

/** U55: the checks of `cadre doctor`. */
export function DoctorChecks() {
  const checks = useQuery(checksQuery);
  return (
    <SettingsSection title="Doctor" text="Checks for problems with Cadre on this machine.">
      <Loaded query={checks} what="Checking">
        {(list) => (
          <ul className="w-full space-y-2">
            {list.map((check) => (
              <CheckRow key={check.name} check={check} />
            ))}
          </ul>
        )}
      </Loaded>
      <Button disabled={checks.isFetching} onClick={() => void checks.refetch()}>
        Check again
      </Button>
    </SettingsSection>
  );
}

const STATES = {
  ok: { icon: CircleCheck, look: "text-good", word: "ok" },
  warn: { icon: TriangleAlert, look: "text-warn", word: "warning" },
  bad: { icon: OctagonX, look: "text-bad", word: "error" },
};

function CheckRow({ check: { state, isDanger, name, text, fix } }: { check: Check }) {
  const { icon: Icon, look, word } = STATES[state];
  return (
    <li className="flex gap-2 text-sm">
      <Icon
        size={16}
        aria-label={word}
        role="img"
        className={`mt-0.5 shrink-0 ${isDanger ? "text-bad" : look}`}
      />
      <span className="min-w-0 break-words">
        <span className="font-medium">{name}</span>: <VisibleText text={text} />
        {fix !== undefined && (
          <span className="block text-muted">
            <VisibleText text={fix} />
          </span>
        )}
      </span>
    </li>
  );
}
