// U53: versions of an agent. Each run pins the definition it started with, and the hash of that definition is the
// version.

import { Link } from "@tanstack/react-router";
import { GitCompare } from "lucide-react";
import { useState } from "react";
import type { AgentVersions } from "../../../../../src/api/client/types.ts";
import { money, plural, shortCount } from "../../../../../src/projections/words/format.ts";
import { When } from "../../../display/time/times.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Panel } from "../../../ui/panel.tsx";
import { VersionDiff } from "./version-diff.tsx";

type Version = AgentVersions["versions"][number];

export interface VersionListProps {
  name: string;
  data: AgentVersions;
  /** The version whose runs are listed below. */
  selected: string | undefined;
}

export function VersionList({ name, data, selected }: VersionListProps) {
  const [compared, setCompared] = useState<{ older: string; newer: string }>();
  const { versions, runs, more } = data;
  const note = more ? `in its latest ${runs} runs` : plural(runs, "run");
  return (
    <Panel title="Versions" note={note}>
      <div className="overflow-x-auto">
        <table className="w-full text-sm">
          <thead>
            <tr className="text-left text-2xs text-muted uppercase tracking-wide">
              <th className="px-4 py-2 font-medium">Version</th>
              <th className="px-2 py-2 text-right font-medium">Runs</th>
              <th className="px-2 py-2 text-right font-medium">Success</th>
              <th className="px-2 py-2 text-right font-medium">Turns per run</th>
              <th className="px-2 py-2 text-right font-medium">Tokens per run</th>
              <th className="px-2 py-2 text-right font-medium">Cost per run</th>
              <th className="px-2 py-2 font-medium">Last used</th>
              <th className="px-2 py-2">
                <span className="sr-only">Compare</span>
              </th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {versions.map((version, index) => {
              const older = versions[index + 1]?.definition;
              return (
                <Row
                  key={version.definition}
                  name={name}
                  version={version}
                  chosen={selected === version.definition}
                >
                  {older !== undefined && (
                    <Button
                      size="small"
                      look="quiet"
                      onClick={() => setCompared({ older, newer: version.definition })}
                    >
                      <GitCompare size={13} aria-hidden />
                      What changed
                    </Button>
                  )}
                </Row>
              );
            })}
          </tbody>
        </table>
      </div>
      {compared && <VersionDiff {...compared} onClose={() => setCompared(undefined)} />}
    </Panel>
  );
}

interface RowProps {
  name: string;
  version: Version;
  chosen: boolean;
  children: React.ReactNode;
}

function Row({ name, version, chosen, children }: RowProps) {
  const { definition, runs, successRate, turns, tokens, cost, unpriced, lastAt, sameFile } = version;
  return (
    <tr className={classNames("tabular-nums", chosen && "bg-accent-soft")}>
      <td className="whitespace-nowrap px-4 py-1.5">
        <Link
          to="/agents/$name"
          params={{ name }}
          search={{ tab: "runs", ...(chosen ? {} : { version: definition }) }}
          title={chosen ? "Show the runs of all versions" : "Show only the runs of this version"}
          className="font-mono text-accent text-xs underline"
        >
          {definition.slice(0, 10)}
        </Link>{" "}
        {sameFile && <Badge tone="good">current file</Badge>}
      </td>
      <td className="px-2 py-1.5 text-right">{runs}</td>
      <td className="px-2 py-1.5 text-right">
        {successRate === null ? "–" : `${Math.round(successRate * 100)} %`}
      </td>
      <td className="px-2 py-1.5 text-right">{(turns / runs).toFixed(1)}</td>
      <td className="px-2 py-1.5 text-right">{shortCount(Math.round(tokens / runs))}</td>
      <td className="px-2 py-1.5 text-right">{money(cost / runs, unpriced)}</td>
      <td className="whitespace-nowrap px-2 py-1.5 text-muted">
        <When ts={lastAt} />
      </td>
      <td className="px-2 py-1 text-right">{children}</td>
    </tr>
  );
}
