// Errors and warnings in agent files. Each of them links to its line in the file.

import { Link } from "@tanstack/react-router";
import { CircleCheckBig, OctagonX, TriangleAlert } from "lucide-react";
import type { AgentView } from "../../../../src/api/client/types.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";

export type Problem = AgentView["problems"][number];

export interface ProblemListProps {
  problems: readonly Problem[];
  /** The agent that the file defines; undefined if the file could not be read as an agent. */
  agentOf(problem: Problem): string | undefined;
}

export function ProblemList({ problems, agentOf }: ProblemListProps) {
  if (problems.length === 0)
    return (
      <EmptyState icon={<CircleCheckBig size={28} aria-hidden />} title="No problems">
        <p>All agent files are readable, and all references between agents are valid.</p>
      </EmptyState>
    );
  const sorted = problems.toSorted(
    (a, b) => severity(a) - severity(b) || (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line),
  );
  return (
    <ul className="divide-y divide-line">
      {sorted.map((problem) => (
        <ProblemRow key={keyOf(problem)} problem={problem} agent={agentOf(problem)} />
      ))}
    </ul>
  );
}

const severity = (problem: Problem): number => (problem.severity === "error" ? 0 : 1);

const keyOf = ({ file, line, column, code, message }: Problem): string =>
  [file, line, column, code, message].join(":");

function ProblemRow({ problem, agent }: { problem: Problem; agent: string | undefined }) {
  const { file, line, column, code, message, suggestion } = problem;
  const isError = problem.severity === "error";
  const Icon = isError ? OctagonX : TriangleAlert;
  const place = `${file}:${line}:${column}`;
  return (
    <li className="flex gap-2.5 px-4 py-2.5 text-sm">
      <Icon
        size={15}
        role="img"
        aria-label={problem.severity}
        className={isError ? "mt-0.5 shrink-0 text-bad" : "mt-0.5 shrink-0 text-warn"}
      />
      <div className="min-w-0">
        <p>
          <VisibleText text={message} />
        </p>
        {suggestion !== undefined && (
          <p className="text-muted">
            <VisibleText text={suggestion} />
          </p>
        )}
        <p className="flex flex-wrap gap-x-3 break-all font-mono text-muted text-xs">
          {agent === undefined ? (
            <VisibleText text={place} />
          ) : (
            <Link
              to="/agents/$name"
              params={{ name: agent }}
              search={{ tab: "file", line }}
              className="text-accent underline"
            >
              <VisibleText text={place} />
            </Link>
          )}
          <span>{code}</span>
        </p>
      </div>
    </li>
  );
}
