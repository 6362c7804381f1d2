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
import { useNarrow } from "../../ui/use-media.ts";
import type { Column, ColumnName } from "./columns.ts";
import { waitingFor } from "./waiting-for.ts";

export interface RunRowProps {
  run: ListedRun;
  index: number;
  columns: readonly Column[];
  isGone: boolean;
  isSelected: boolean;
  onSelect(range: boolean): void;
}

/** Height of a row in pixels. A search hit needs a line for its passage. */
export const rowHeight = ({ excerpt }: ListedRun, isNarrow: boolean): number =>
  (isNarrow ? 84 : 41) + (excerpt ? 22 : 0);

export function RunRow({ run, index, columns, isGone, isSelected, onSelect }: RunRowProps) {
  const { cost } = amountsOf(run);
  const isNarrow = useNarrow();
  const look = classNames(
    "relative border-line border-b hover:bg-raised has-[a:focus-visible]:bg-raised",
    isSelected && "bg-accent-soft",
    isGone && "opacity-60",
  );
  return (
    <tr
      data-run={run.id}
      aria-rowindex={index + 2}
      className={look}
      style={{ height: rowHeight(run, isNarrow) }}
    >
      <td className="relative z-1 w-9 px-2">
        <SelectBox task={run.task} isSelected={isSelected} onSelect={onSelect} />
      </td>
      {columns.map(({ name, className }) =>
        name === "task" ? (
          <td key={name} className="py-1 pr-3 md:px-2">
            <div className="mb-1 flex min-w-0 items-center gap-2 md:hidden">
              <StatusBadge run={run} />
              <Agent run={run} />
              <span className="ml-auto shrink-0 text-muted text-xs">
                <When ts={run.createdAt} />
              </span>
            </div>
            <Task run={run} />
            <Excerpt run={run} />
            <div className="mt-1 flex min-w-0 items-center gap-2 text-muted text-xs md:hidden">
              <Waiting run={run} />
              <span className="ml-auto shrink-0">
                <Elapsed from={run.createdAt} to={run.endedAt} /> · {cost}
              </span>
            </div>
          </td>
        ) : (
          <td key={name} className={`hidden whitespace-nowrap px-2 md:table-cell ${className}`}>
            <Cell name={name} run={run} />
          </td>
        ),
      )}
    </tr>
  );
}

function amountsOf(run: ListedRun): { cost: string; tokens: string } {
  const usage = run.tree?.usage ?? run.usage;
  return { cost: money(usage.cost, usage.unpriced), tokens: shortCount(totalTokens(usage)) };
}

const MUTED = "text-muted tabular-nums";

function Cell({ name, run }: { name: Exclude<ColumnName, "task">; run: ListedRun }) {
  switch (name) {
    case "status":
      return <StatusBadge run={run} />;
    case "agent":
      return <Agent run={run} />;
    case "user":
      return run.userId === undefined ? (
        <span className="text-muted">–</span>
      ) : (
        <span className="block truncate" title={run.userId}>
          <VisibleText text={run.userId} />
        </span>
      );
    case "waiting":
      return <Waiting run={run} />;
    case "start":
      return (
        <span className={MUTED}>
          <When ts={run.createdAt} />
        </span>
      );
    case "duration":
      return (
        <span className={MUTED}>
          <Elapsed from={run.createdAt} to={run.endedAt} />
        </span>
      );
    case "cost":
      return <span className="tabular-nums">{amountsOf(run).cost}</span>;
    case "tokens":
      return <span className={MUTED}>{amountsOf(run).tokens}</span>;
  }
}

/** The passage of a search hit, with the words marked. */
function Excerpt({ run: { excerpt } }: { run: ListedRun }) {
  if (!excerpt) return null;
  return (
    <p className="truncate text-muted text-xs" data-testid="excerpt">
      <span className="font-medium">{HIT_WORDS[excerpt.kind]}</span>{" "}
      {excerpt.parts.map(({ text, isMatch }, index) =>
        isMatch ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces never change their order
          <mark key={index} className="rounded-xs bg-warn-soft text-ink">
            <VisibleText text={text} />
          </mark>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces never change their order
          <VisibleText key={index} text={text} />
        ),
      )}
    </p>
  );
}

const HIT_WORDS: Record<NonNullable<ListedRun["excerpt"]>["kind"], string> = {
  task: "Task:",
  message: "Message:",
  agent: "Agent:",
  tool: "Output of a tool:",
  decision: "Decision:",
  error: "Error:",
  result: "Result:",
};

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
      {run.hit !== undefined && run.excerpt === undefined && <Badge tone="accent">found at #{run.hit}</Badge>}
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
