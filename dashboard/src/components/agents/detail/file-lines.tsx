import { OctagonX, TriangleAlert } from "lucide-react";
import { useEffect, useRef } from "react";
import { VisibleText } from "../../../display/visible-text.tsx";
import { classNames } from "../../../ui/class-names.ts";
import type { Problem } from "../problem-list.tsx";

export interface FileLinesProps {
  text: string;
  problems: readonly Problem[];
  /** Highlighted and scrolled into view. */
  line: number | undefined;
}

/** A file with line numbers and each problem below its line. */
export function FileLines({ text, problems, line }: FileLinesProps) {
  const looked = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the line changes
  useEffect(() => {
    // In braces because newer browsers return a promise, which an effect must not return.
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
