// An agent's file: formatted for reading, or as source with each problem marked at its line.

import { OctagonX, TriangleAlert } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { AgentDetail } from "../../../../../src/api/client/types.ts";
import { Markdown } from "../../../display/markdown/markdown.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Panel } from "../../../ui/panel.tsx";
import { ToggleGroup } from "../../../ui/toggle-group.tsx";
import type { Problem } from "../problem-list.tsx";

/** If `line` is given, the tab opens the file's source and scrolls to that line. */
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
      <ToggleGroup
        label="View of the file"
        choices={{ formatted: "Formatted", source: "Source" }}
        value={raw ? "source" : "formatted"}
        onChange={(view) => setRaw(view === "source")}
      />
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

/** A value from the front matter. Lists are joined with commas; mappings are shown line by line, up to three levels deep. */
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

interface FileLinesProps {
  text: string;
  problems: readonly Problem[];
  /** The line that is highlighted and scrolled into view. */
  line: number | undefined;
}

/** Shows a file with line numbers, and each problem below its line. */
function FileLines({ text, problems, line }: FileLinesProps) {
  const looked = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the line changes
  useEffect(() => {
    // `scrollIntoView` returns a promise in newer browsers. The braces discard the promise, because an effect must not return it.
    looked.current?.scrollIntoView({ block: "center" });
  }, [line]);
  const byLine = Map.groupBy(problems, (problem) => problem.line);
  let at = 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section aria-label="File" tabIndex={0} className="overflow-x-auto py-2 font-mono text-xs">
      {text.split("\n").map((content) => {
        const number = ++at;
        return (
          <div key={number} ref={number === line ? looked : undefined}>
            <div className={classNames("flex", number === line && "bg-accent-soft")}>
              <span className="w-12 shrink-0 select-none pr-3 text-right text-muted">{number}</span>
              <span className="whitespace-pre pr-4">
                <VisibleText text={content} />
              </span>
            </div>
            {byLine.get(number)?.map((problem) => (
              <LineProblem key={`${problem.code} ${problem.message}`} problem={problem} />
            ))}
          </div>
        );
      })}
    </section>
  );
}

function LineProblem({ problem }: { problem: Problem }) {
  const isError = problem.severity === "error";
  const Icon = isError ? OctagonX : TriangleAlert;
  const { message, suggestion, code, column } = problem;
  return (
    <p
      className={classNames(
        "flex gap-1.5 py-0.5 pr-4 pl-12 font-sans",
        isError ? "bg-bad-soft text-bad" : "bg-warn-soft text-warn",
      )}
    >
      <Icon size={13} className="mt-0.5 shrink-0" role="img" aria-label={problem.severity} />
      <span>
        <VisibleText text={suggestion === undefined ? message : `${message}: ${suggestion}`} /> (column{" "}
        {column}, {code})
      </span>
    </p>
  );
}
