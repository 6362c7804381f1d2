import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Health } from "../../../../src/api/client/types.ts";
import { fullTime } from "../../../../src/projections/words/format.ts";
import { Failure, Loading } from "../../display/page-state.tsx";
import { Elapsed } from "../../display/time/times.tsx";
import { healthQuery } from "../../live/queries.ts";
import { SettingsSection } from "./settings-section.tsx";

export function ServerFacts() {
  const health = useQuery(healthQuery);
  if (health.isError) return <Failure error={health.error} onAgain={() => void health.refetch()} />;
  const { data } = health;
  return (
    <SettingsSection title="Server">
      {!data ? (
        <Loading />
      ) : (
        <dl className="grid w-full grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
          <Fact name="Version">{data.version}</Fact>
          <Fact name="Folder">
            <code className="break-all font-mono text-xs">{data.folder}</code>
          </Fact>
          <Fact name="Default model">{data.model}</Fact>
          <Fact name="Process">
            {data.pid}, {workWords(data)}
          </Fact>
          <Fact name="Uptime">
            <span title={`since ${fullTime(data.startedAt)}`}>
              <Elapsed from={data.startedAt} />
            </span>
          </Fact>
          <Fact name="API">
            <a href="/docs" className="text-accent underline">
              {" "}
              reference
            </a>
          </Fact>
        </dl>
      )}
    </SettingsSection>
  );
}

function workWords({ isWorker, drives }: Health): string {
  if (isWorker) return "runs agents";
  return drives ? "leaves runs to other workers" : "runs no agents, and no worker is running";
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}
