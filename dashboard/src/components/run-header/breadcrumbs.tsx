import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { AgentName } from "../../display/agent/agent.tsx";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { handleLinkClick } from "../../ui/link-click.ts";
import { pathTo } from "../run-tree/roll-up.ts";

export interface BreadcrumbsProps {
  journal: TreeJournal;
  run: RunJournal;
  onSelect(runId: string): void;
}

/** S0-78: links to the parent run and to every run above it. */
export function Breadcrumbs({ journal, run, onSelect }: BreadcrumbsProps) {
  const parent = run.row.parentRunId;
  if (parent === undefined) return null;
  const path = pathTo(journal.runs, run.row.id);
  return (
    <nav aria-label="Breadcrumbs" className="mb-1 flex min-w-0 flex-wrap items-center gap-x-2 text-xs">
      <RunLink runId={parent} onSelect={onSelect} strong>
        <ArrowLeft size={12} aria-hidden /> Back to parent run
      </RunLink>
      <ol className="flex min-w-0 flex-wrap items-center gap-x-1 text-muted">
        {path.map(({ row }, index) => (
          <li key={row.id} className="flex items-center gap-1">
            <span aria-hidden>{index === 0 ? "·" : "›"}</span>
            {row.id === run.row.id ? (
              <span aria-current="page">
                <AgentName agent={row.agent} />
              </span>
            ) : (
              <RunLink runId={row.id} onSelect={onSelect}>
                <AgentName agent={row.agent} />
              </RunLink>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface RunLinkProps {
  runId: string;
  strong?: boolean;
  onSelect(runId: string): void;
  children: ReactNode;
}

export function RunLink({ runId, strong, onSelect, children }: RunLinkProps) {
  return (
    <a
      href={`/r/${runId}`}
      onClick={(event) => handleLinkClick(event, () => onSelect(runId))}
      className={`inline-flex min-h-10 items-center gap-1 underline-offset-2 hover:underline md:min-h-5 ${strong ? "font-medium text-accent" : "hover:text-ink"}`}
    >
      {children}
    </a>
  );
}
