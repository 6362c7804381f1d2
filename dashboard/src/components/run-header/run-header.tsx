// The header of a run's page, in one row: where the run is in its tree, its agent, task and status, what it took, and the actions.

import { ArrowLeft, Ellipsis } from "lucide-react";
import { lazy, type ReactNode, useState } from "react";
import { money, plural, shortCount } from "../../../../src/projections/words/format.ts";
import { patternRole } from "../../../../src/projections/words/pattern-role.ts";
import { AgentName, RoleIcon } from "../../display/agent/agent.tsx";
import { StatusBadge } from "../../display/status/status-badge.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { Badge } from "../../ui/badge.tsx";
import { IconButton } from "../../ui/button.tsx";
import { handleLinkClick } from "../../ui/link-click.ts";
import { OnClick } from "../../ui/on-click.tsx";
import { pathTo, rollUps, troubleIn } from "../run-tree/roll-up.ts";
import { ConnectionBadge } from "../shell/connection-badge.tsx";
import { statusText } from "./status-text.ts";

const MoreMenu = lazy(async () => ({ default: (await import("./more-menu.tsx")).MoreMenu }));

export interface RunHeaderProps {
  journal: TreeJournal;
  run: RunJournal;
  /** Buttons for the actions on the run. */
  actions: ReactNode;
  onSelect(runId: string): void;
  /** Shows or hides the slider that shows the past. */
  onTimeTravel(): void;
}

export function RunHeader({ journal, run, actions, onSelect, onTimeTravel }: RunHeaderProps) {
  const { row } = run;
  const [isTaskOpen, openTask] = useState(false);
  const part = patternRole(row);
  return (
    <header className="shrink-0 border-line border-b bg-surface px-3 py-1 md:px-4">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-0.5 xl:flex-nowrap">
        <div className="contents max-md:-order-2 max-md:flex max-md:min-w-0 max-md:flex-1 max-md:items-center max-md:gap-2">
          <Breadcrumbs journal={journal} run={run} onSelect={onSelect} />
          <h1 className="flex min-w-0 items-center gap-2 font-semibold text-base max-md:flex-1 md:max-w-72 md:shrink-0">
            <RoleIcon agent={row.agent} size={16} />
            <span className="truncate">
              <AgentName agent={row.agent} full />
            </span>
            {part !== undefined && <Badge tone="child">{part}</Badge>}
          </h1>
        </div>
        <button
          type="button"
          aria-expanded={isTaskOpen}
          title={isTaskOpen ? "Show one line of the task" : "Show the whole task"}
          onClick={() => openTask(!isTaskOpen)}
          className="flex min-h-8 min-w-0 flex-1 basis-40 items-center truncate text-left text-muted text-sm hover:text-ink max-md:order-last max-md:basis-full"
        >
          <span className="truncate" data-testid={isTaskOpen ? undefined : "task"}>
            <VisibleText text={row.task.slice(0, 400)} />
          </span>
        </button>
        <StatusBadge run={row} />
        <Trouble journal={journal} run={run} />
        <span className="md:hidden">
          <ConnectionBadge />
        </span>
        <StatusLine journal={journal} run={run} onSelect={onSelect} />
        <Totals journal={journal} run={run} />
        <div className="ml-auto flex shrink-0 items-center gap-1 max-md:-order-1">
          {actions}
          <OnClick
            button={(onClick) => <IconButton icon={Ellipsis} label="More" title="More" onClick={onClick} />}
          >
            <MoreMenu run={run} onTimeTravel={onTimeTravel} />
          </OnClick>
        </div>
      </div>
      {isTaskOpen && (
        <p
          className="max-h-60 overflow-auto whitespace-pre-wrap pb-1.5 text-sm [overflow-wrap:anywhere]"
          data-testid="task"
        >
          <VisibleText text={row.task} />
        </p>
      )}
    </header>
  );
}

/** Maximum number of links in the status line. The line only counts further links; the tree shows all of them. */
const NAMED = 3;

function StatusLine({ journal, run, onSelect }: Pick<RunHeaderProps, "journal" | "run" | "onSelect">) {
  const { text, links, toStart = 0 } = statusText(journal.runs, run);
  return (
    <p
      className="min-w-0 max-w-full text-muted text-xs xl:max-w-80 xl:shrink xl:truncate"
      title={text}
      data-testid="status-text"
    >
      <VisibleText text={text} />
      {links.slice(0, NAMED).map(({ runId, label }, index) => (
        <span key={runId}>
          {index === 0 ? ": " : ", "}
          <RunLink runId={runId} onSelect={onSelect} strong>
            {label}
          </RunLink>
        </span>
      ))}
      {links.length > NAMED && ` and ${links.length - NAMED} more`}
      {toStart > 0 && ` (${toStart} more to start)`}
    </p>
  );
}

/** Says in amber what went wrong in a completed run and below it. */
function Trouble({ journal, run: { row } }: Pick<RunHeaderProps, "journal" | "run">) {
  const sum = rollUps(journal.runs, row.id).get(row.id);
  const trouble = sum && troubleIn(row, sum);
  if (trouble === undefined) return null;
  return (
    <span title="In this run and the runs below it">
      <Badge tone="warn">{trouble}</Badge>
    </span>
  );
}

/** Cost and tokens of the run and everything below it. */
function Totals({ journal, run: { row } }: Pick<RunHeaderProps, "journal" | "run">) {
  const sum = rollUps(journal.runs, row.id).get(row.id);
  if (sum === undefined) return null;
  const below = sum.runs > 0 ? `, including ${plural(sum.runs, "run")} below` : "";
  return (
    <p
      className="flex shrink-0 gap-x-2.5 whitespace-nowrap text-muted text-xs tabular-nums"
      title={`Cost and tokens${below}`}
    >
      <span>{money(sum.cost, sum.unpriced)}</span>
      <span>{shortCount(sum.tokens)} tokens</span>
      {sum.runs > 0 && <span className="max-2xl:hidden">{plural(sum.runs, "run")} below</span>}
    </p>
  );
}

interface BreadcrumbsProps {
  journal: TreeJournal;
  run: RunJournal;
  onSelect(runId: string): void;
}

/** S0-78: links to all runs above this run, from the root down to its parent. */
function Breadcrumbs({ journal, run, onSelect }: BreadcrumbsProps) {
  const parent = run.row.parentRunId;
  if (parent === undefined) return null;
  const above = pathTo(journal.runs, run.row.id).slice(0, -1);
  return (
    <nav aria-label="Breadcrumbs" className="flex min-w-0 shrink-0 items-center gap-x-1 text-muted text-xs">
      <RunLink runId={parent} onSelect={onSelect} label="Back to parent run">
        <ArrowLeft size={14} aria-hidden />
      </RunLink>
      <ol className="flex min-w-0 max-w-64 items-center gap-x-1 overflow-hidden max-md:hidden">
        {above.map(({ row }) => (
          <li key={row.id} className="flex min-w-0 items-center gap-1">
            <RunLink runId={row.id} onSelect={onSelect}>
              <span className="truncate">
                <AgentName agent={row.agent} />
              </span>
            </RunLink>
            <span aria-hidden>›</span>
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface RunLinkProps {
  runId: string;
  strong?: boolean;
  /** The link's name, if it shows only an icon. */
  label?: string;
  onSelect(runId: string): void;
  children: ReactNode;
}

function RunLink({ runId, strong, label, onSelect, children }: RunLinkProps) {
  return (
    <a
      href={`/r/${runId}`}
      aria-label={label}
      title={label}
      onClick={(event) => handleLinkClick(event, () => onSelect(runId))}
      className={`inline-flex min-h-10 min-w-0 items-center gap-1 underline-offset-2 hover:underline md:min-h-5 ${strong ? "font-medium text-accent" : "hover:text-ink"}`}
    >
      {children}
    </a>
  );
}
