// An agent's file: formatted for reading, or as source with each problem marked at its line.

import { useState } from "react";
import type { AgentDetail } from "../../../../../src/api/client/types.ts";
import { Markdown } from "../../../display/markdown/markdown.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { Button } from "../../../ui/button.tsx";
import { Panel } from "../../../ui/panel.tsx";
import { FileLines } from "./file-lines.tsx";

/** With a `line`, the file opens as source, scrolled to that line. */
export function AgentFile({ agent, line }: { agent: AgentDetail; line: number | undefined }) {
  const { source } = agent;
  const [raw, setRaw] = useState(line !== undefined || agent.kind === undefined);
  if (!source)
    return (
      <p className="p-4 text-muted text-sm">
        This agent has no file: it is a role in cadre.yaml, or its file was deleted.
      </p>
    );
  const problems = agent.problems.filter(({ file }) => file === agent.file);
  return (
    <>
      <fieldset className="flex gap-1">
        <legend className="sr-only">View of the file</legend>
        <Button look={raw ? "quiet" : "plain"} aria-pressed={!raw} onClick={() => setRaw(false)}>
          {" "}
          Formatted{" "}
        </Button>
        <Button look={raw ? "plain" : "quiet"} aria-pressed={raw} onClick={() => setRaw(true)}>
          {" "}
          Source{" "}
        </Button>
      </fieldset>
      {raw ? (
        <Panel title={agent.file}>
          <FileLines text={source.text} problems={problems} line={line} />
        </Panel>
      ) : (
        <>
          <Panel title="Front matter">
            <FrontMatter keys={source.frontmatter} />
          </Panel>
          <Panel title="Prompt">
            <div className="max-w-3xl p-4">
              {source.body === "" ? (
                <p className="text-muted">The file has no prompt.</p>
              ) : (
                <Markdown text={source.body} />
              )}
            </div>
          </Panel>
        </>
      )}
    </>
  );
}

function FrontMatter({ keys }: { keys: Record<string, unknown> }) {
  const entries = Object.entries(keys);
  if (entries.length === 0)
    return <p className="p-4 text-muted text-sm">The front matter could not be parsed: see “Source”.</p>;
  return (
    <table className="w-full text-sm">
      <caption className="sr-only">Front matter keys</caption>
      <tbody className="divide-y divide-line">
        {entries.map(([key, value]) => (
          <tr key={key} className="align-top">
            <th
              scope="row"
              className="w-px whitespace-nowrap px-4 py-1.5 text-left font-medium font-mono text-xs"
            >
              <VisibleText text={key} />
            </th>
            <td className="px-2 py-1.5">
              <Value value={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Lists are joined with commas and mappings go line by line, three levels deep. */
function Value({ value, depth = 0 }: { value: unknown; depth?: number }) {
  if (Array.isArray(value) && value.every((each) => typeof each !== "object"))
    return <VisibleText text={value.length === 0 ? "none" : value.join(", ")} />;
  if (typeof value === "object" && value !== null && depth < 3)
    return (
      <dl className="grid grid-cols-[auto_1fr] gap-x-3">
        {Object.entries(value).map(([key, inner]) => (
          <div key={key} className="contents">
            <dt className="text-muted">
              <VisibleText text={key} />
            </dt>
            <dd>
              <Value value={inner} depth={depth + 1} />
            </dd>
          </div>
        ))}
      </dl>
    );
  if (typeof value === "object" && value !== null) return <VisibleText text={JSON.stringify(value)} />;
  return <VisibleText text={String(value)} />;
}
