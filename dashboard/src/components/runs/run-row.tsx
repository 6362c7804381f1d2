import { Link } from "@tanstack/react-router";
import { Network } from "lucide-react";
import type { ListedRun } from "../../../../src/api/client/types.ts";
import { totalTokens } from "../../../../src/projections/usage/run-usage.ts";
import { money, plural, shortCount } from "../../../../src/projections/words/format.ts";
import { AgentName, RoleIcon } from "../../display/agent/agent.tsx";
import { StatusBadge } from "../../display/status/status-badge.tsx";
import { Elapsed, When } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { Badge } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { waitingFor } from "./waiting-for.ts";

export const COLUMNS = [
  { name: "select", label: "", className: "w-9" },
  { name: "status", label: "Status", className: "w-26" },
  { name: "agent", label: "Agent", className: "w-26 xl:w-32" },
  { name: "task", label: "Task", className: "" },
  { name: "waiting", label: "Waiting for", className: "w-36 xl:w-40" },
  { name: "start", label: "Started", className: "w-22" },
  { name: "duration", label: "Took", className: "w-27 text-right" },
  { name: "cost", label: "Cost", className: "w-19 text-right" },
  { name: "tokens", label: "Tokens", className: "w-17 text-right max-xl:hidden" },
] as const;

export interface RunRowProps {
  run: ListedRun;
  index: number;
  isGone: boolean;
  isSelected: boolean;
  onSelect(range: boolean): void;
}

export function RunRow({ run, index, isGone, isSelected, onSelect }: RunRowProps) {
  const usage = run.tree?.usage ?? run.usage;
  const cost = money(usage.cost, usage.unpriced);
  const look = classNames(
    "relative h-[84px] border-line border-b hover:bg-raised has-[a:focus-visible]:bg-raised md:h-[41px]",
    isSelected && "bg-accent-soft",
    isGone && "opacity-60",
  );
  return (
    <tr data-run={run.id} aria-rowindex={index + 2} className={look}>
      <td className="relative z-1 w-9 px-2">
        <SelectBox task={run.task} isSelected={isSelected} onSelect={onSelect} />
      </td>
      <td className="hidden px-2 md:table-cell">
        <StatusBadge run={run} />
      </td>
      <td className="hidden px-2 md:table-cell">
        <Agent run={run} />
      </td>
      <td className="py-1 pr-3 md:px-2">
        <div className="mb-1 flex min-w-0 items-center gap-2 md:hidden">
          <StatusBadge run={run} />
          <Agent run={run} />
          <span className="ml-auto shrink-0 text-muted text-xs">
            <When ts={run.createdAt} />
          </span>
        </div>
        <Task run={run} />
        <div className="mt-1 flex min-w-0 items-center gap-2 text-muted text-xs md:hidden">
          <Waiting run={run} />
          <span className="ml-auto shrink-0">
            <Elapsed from={run.createdAt} to={run.endedAt} /> · {cost}
          </span>
        </div>
      </td>
      <td className="hidden px-2 md:table-cell">
        <Waiting run={run} />
      </td>
      <td className="hidden px-2 text-muted md:table-cell">
        <When ts={run.createdAt} />
      </td>
      <td className="hidden whitespace-nowrap px-2 text-right text-muted md:table-cell">
        <Elapsed from={run.createdAt} to={run.endedAt} />
      </td>
      <td className="hidden px-2 text-right tabular-nums md:table-cell">{cost}</td>
      <td className="hidden px-2 text-right text-muted tabular-nums xl:table-cell">
        {shortCount(totalTokens(usage))}
      </td>
    </tr>
  );
}

function SelectBox({
  task,
  isSelected,
  onSelect,
}: { task: string } & Pick<RunRowProps, "isSelected" | "onSelect">) {
  return (
    <label className="-m-2 flex min-h-10 cursor-pointer items-center justify-center p-2 md:min-h-0">
      <input
        type="checkbox"
        aria-label={`Select ${task.slice(0, 60)}`}
        className="size-3.5 accent-accent"
        checked={isSelected}
        onChange={(event) => onSelect((event.nativeEvent as MouseEvent).shiftKey === true)}
      />
    </label>
  );
}

function Agent({ run: { agent } }: { run: ListedRun }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5" title={agent}>
      <RoleIcon agent={agent} />
      <span className="truncate">
        <AgentName agent={agent} />
      </span>
    </span>
  );
}

/** The run's task as a link that covers the whole row. */
function Task({ run }: { run: ListedRun }) {
  const below = (run.tree?.runs ?? 1) - 1;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Link
        to="/r/$runId"
        params={{ runId: run.id }}
        {...(run.hit === undefined ? {} : { hash: String(run.hit) })}
        className="min-w-0 truncate font-medium outline-offset-[-2px] after:absolute after:inset-0"
        title={run.task}
      >
        <VisibleText text={firstLine(run.task)} />
      </Link>
      {below > 0 && (
        <span
          className="flex shrink-0 items-center gap-1 text-muted text-xs"
          title={`${plural(below, "run")} below it`}
        >
          <Network size={12} aria-hidden /> {below}
          <span className="sr-only"> below it</span>
        </span>
      )}
      {run.parentRunId !== undefined && <Badge tone="child">child run</Badge>}
      {run.hit !== undefined && <Badge tone="accent">found at #{run.hit}</Badge>}
    </span>
  );
}

function Waiting({ run }: { run: ListedRun }) {
  const waiting = waitingFor(run);
  if (!waiting) return <span className="text-muted max-md:hidden">–</span>;
  return (
    <span className="block truncate text-muted" title={waiting.you ? `you: ${waiting.text}` : waiting.text}>
      {waiting.you && <strong className="font-semibold text-warn">you</strong>}
      {waiting.you && ": "}
      <VisibleText text={waiting.text} />
    </span>
  );
}

const firstLine = (text: string): string => text.trim().split("\n", 1)[0]!.slice(0, 300);
