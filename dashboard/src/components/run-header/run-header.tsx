// The header of a run's page: agent, status, task, totals and breadcrumbs.

import { ArrowLeft, ChevronDown, ChevronUp, Pin, PinOff, Terminal } from "lucide-react";
import { type ReactNode, useState } from "react";
import { money, plural, shortCount } from "../../../../src/projections/words/format.ts";
import { patternRole } from "../../../../src/projections/words/pattern-role.ts";
import { AgentName, RoleIcon } from "../../display/agent/agent.tsx";
import { useCommand } from "../../display/command/command.tsx";
import { StatusBadge } from "../../display/status/status-badge.tsx";
import { Elapsed } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Copyable, CopyButton } from "../../ui/copy-button.tsx";
import { handleLinkClick } from "../../ui/link-click.ts";
import { pathTo, rollUps } from "../run-tree/roll-up.ts";
import { ConnectionBadge } from "../shell/connection-badge.tsx";
import { usePinnedRun } from "./pinned-run.tsx";
import { statusText } from "./status-text.ts";

export interface RunHeaderProps {
  journal: TreeJournal;
  run: RunJournal;
  /** Buttons for the actions on the run. */
  actions: ReactNode;
  onSelect(runId: string): void;
}

export function RunHeader({ journal, run, actions, onSelect }: RunHeaderProps) {
  const { row } = run;
  const part = patternRole(row);
  return (
    <header className="shrink-0 border-line border-b bg-surface px-4 py-1.5 md:py-2">
      <Breadcrumbs journal={journal} run={run} onSelect={onSelect} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="flex min-w-0 items-center gap-2 font-semibold text-lg">
          <RoleIcon agent={row.agent} size={18} />
          <span className="truncate">
            <AgentName agent={row.agent} full />
          </span>
          {part !== undefined && <Badge tone="child">{part}</Badge>}
        </h1>
        <StatusBadge run={row} />
        <span className="ml-auto md:hidden">
          <ConnectionBadge />
        </span>
        <StatusLine journal={journal} run={run} onSelect={onSelect} />
        <div className="ml-auto flex items-center gap-1.5">
          <PinButton runId={row.id} />
          {actions}
        </div>
      </div>
      <Task text={row.task} />
      <RunFacts journal={journal} run={run} />
    </header>
  );
}

/** Maximum number of links in the status line. The line only counts further links; the tree shows all of them. */
const NAMED = 3;

function StatusLine({ journal, run, onSelect }: Omit<RunHeaderProps, "actions">) {
  const { text, links, toStart = 0 } = statusText(journal.runs, run);
  return (
    <p className="min-w-0 text-muted text-sm max-md:flex-1 max-md:basis-36" data-testid="status-text">
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

function PinButton({ runId }: { runId: string }) {
  const [pinned, pin] = usePinnedRun();
  const isPinned = pinned === runId;
  return (
    <Button
      look="quiet"
      size="small"
      className="min-h-10 md:min-h-0"
      aria-pressed={isPinned}
      title="A pinned run stays visible on every page"
      onClick={() => pin(isPinned ? undefined : runId)}
    >
      {isPinned ? <PinOff size={14} aria-hidden /> : <Pin size={14} aria-hidden />}
      <span className="max-sm:sr-only">{isPinned ? "Unpin" : "Pin"}</span>
    </Button>
  );
}

const SHORT = 140;

function Task({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const isLong = text.length > SHORT || text.includes("\n");
  return (
    <div className="mt-1 flex items-start gap-1">
      <p
        className={
          open
            ? "max-h-60 min-w-0 overflow-auto whitespace-pre-wrap text-sm [overflow-wrap:anywhere]"
            : "min-w-0 truncate text-sm"
        }
        data-testid="task"
      >
        <VisibleText text={text} />
      </p>
      {isLong && (
        <IconButton
          icon={open ? ChevronUp : ChevronDown}
          label={open ? "Collapse the task" : "Expand the task"}
          aria-expanded={open}
          className="-my-0.5 h-6"
          onClick={() => setOpen(!open)}
        />
      )}
    </div>
  );
}

const SHORT_ID = 12;

/** Time, cost and tokens of the run, and its id for use in a terminal. */
function RunFacts({ journal, run }: { journal: TreeJournal; run: RunJournal }) {
  const { row } = run;
  const command = useCommand()(`show ${row.id.slice(0, SHORT_ID)}`);
  const sum = rollUps(journal.runs, row.id).get(row.id);
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs">
      <span>
        <Elapsed from={row.createdAt} to={row.endedAt} />
      </span>
      <span title="Model cost, including all runs below it">{money(sum?.cost ?? 0, sum?.unpriced ?? 0)}</span>
      <span>{plural(row.turns, "turn")}</span>
      <span title="Tokens read and written, including all runs below it">
        {shortCount(sum?.tokens ?? 0)} tokens
      </span>
      {sum !== undefined && sum.runs > 0 && <span>{plural(sum.runs, "run")} below</span>}
      <span className="max-sm:hidden">
        <Copyable text={row.id.slice(0, SHORT_ID)} label="Copy the run's short id" />
      </span>
      <span className="hidden min-w-0 sm:inline">
        <CopyButton text={command} label={`Copy as command: ${command}`} icon={<Terminal size={12} />}>
          Copy as command
        </CopyButton>
      </span>
    </div>
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

function RunLink({ runId, strong, onSelect, children }: RunLinkProps) {
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
