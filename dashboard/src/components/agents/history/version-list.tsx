// U53: the versions of an agent.
// Each run records the definition that it started with. The hash of the definition is the version.

import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { createTwoFilesPatch } from "diff";
import { GitCompare } from "lucide-react";
import { useState } from "react";
import type { AgentDetail, AgentVersions } from "../../../../../src/api/client/types.ts";
import { money, plural, shortCount } from "../../../../../src/projections/words/format.ts";
import { Diff } from "../../../display/diff/diff.tsx";
import { Failure, Loading } from "../../../display/page-state.tsx";
import { When } from "../../../display/time/times.tsx";
import { definitionQuery } from "../../../live/queries.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { DataTable } from "../../../ui/data-table.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Panel } from "../../../ui/panel.tsx";

export interface VersionListProps {
  name: string;
  data: AgentVersions;
  /** The version whose runs the page lists. */
  selected: string | undefined;
}

export function VersionList({ name, data, selected }: VersionListProps) {
  const [compared, setCompared] = useState<{ older: string; newer: string }>();
  const { versions, runs, more } = data;
  const note = more ? `in its latest ${runs} runs` : plural(runs, "run");
  return (
    <Panel title="Versions" note={note}>
      <DataTable
        label="Results of each version"
        head={[
          "Version",
          "Last used",
          "Runs",
          "Success",
          "Turns per run",
          "Tokens per run",
          "Cost per run",
          "Compare",
        ]}
        words={2}
        rows={versions.map((version, index) => {
          const { definition, successRate, turns, tokens, cost, unpriced, lastAt } = version;
          const older = versions[index + 1]?.definition;
          return {
            key: definition,
            isChosen: definition === selected,
            cells: [
              <VersionLink key="version" name={name} version={version} isChosen={definition === selected} />,
              <When key="last" ts={lastAt} />,
              version.runs,
              successRate === null ? "–" : `${Math.round(successRate * 100)} %`,
              (turns / version.runs).toFixed(1),
              shortCount(Math.round(tokens / version.runs)),
              money(cost / version.runs, unpriced),
              older !== undefined && (
                <Button
                  key="compare"
                  size="small"
                  look="quiet"
                  onClick={() => setCompared({ older, newer: definition })}
                >
                  <GitCompare size={13} aria-hidden />
                  What changed
                </Button>
              ),
            ],
          };
        })}
      />
      {compared && <VersionDiff {...compared} onClose={() => setCompared(undefined)} />}
    </Panel>
  );
}

interface VersionLinkProps {
  name: string;
  version: AgentVersions["versions"][number];
  isChosen: boolean;
}

function VersionLink({ name, version: { definition, sameFile }, isChosen }: VersionLinkProps) {
  return (
    <>
      <Link
        to="/agents/$name"
        params={{ name }}
        search={{ tab: "runs", ...(isChosen ? {} : { version: definition }) }}
        title={isChosen ? "Show the runs of all versions" : "Show only the runs of this version"}
        className="font-mono text-accent text-xs underline"
      >
        {definition.slice(0, 10)}
      </Link>{" "}
      {sameFile && <Badge tone="good">current file</Badge>}
    </>
  );
}

interface VersionDiffProps {
  older: string;
  newer: string;
  onClose(): void;
}

/** The differences between two versions: keys first, then the prompt. */
function VersionDiff({ older, newer, onClose }: VersionDiffProps) {
  const [before, after] = useQueries({ queries: [definitionQuery(older), definitionQuery(newer)] });
  const error = before.error ?? after.error;
  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => !open && onClose()}
      title="What changed"
      description={`From ${older.slice(0, 10)} to ${newer.slice(0, 10)}`}
    >
      <div className="min-h-0 overflow-auto p-4">
        {error ? (
          <Failure error={error} />
        ) : before.data && after.data ? (
          <Diff patch={patchOf(definitionText(before.data), definitionText(after.data))} />
        ) : (
          <Loading />
        )}
      </div>
    </Dialog>
  );
}

function patchOf(before: string, after: string): string {
  const lines = createTwoFilesPatch("", "", before, after, "", "", { context: 3 }).split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@"));
  return first === -1 ? "Only the file name or the time it was read differs." : lines.slice(first).join("\n");
}

/** A definition as text for a diff: one key per line, then the prompt. */
function definitionText({ prompt, ...keys }: NonNullable<AgentDetail["definition"]>): string {
  const lines = Object.entries(keys)
    .filter(([key]) => key !== "source")
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [...lines, "---", prompt, ""].join("\n");
}
