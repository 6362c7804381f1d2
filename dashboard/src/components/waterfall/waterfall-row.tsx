import { ChevronRight } from "lucide-react";
import { duration } from "../../../../src/projections/words/format.ts";
import { AgentName } from "../../display/agent/agent-name.tsx";
import { RoleIcon } from "../../display/agent/role-icon.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Bars, type Tip } from "./bars.tsx";
import type { TreeRow } from "./tree-rows.ts";
import type { Zoom } from "./use-zoom.ts";

export interface WaterfallRowProps {
  row: TreeRow;
  zoom: Zoom;
  isSelected: boolean;
  isFolded: boolean;
  onFold(runId: string): void;
  onSelect(runId: string, seq?: number): void;
  onHover(tip: Tip | undefined): void;
}

/** Width of the name column; the axis leaves the same space. */
export const NAME_COLUMN = "w-28 shrink-0 md:w-56";

export function WaterfallRow({
  row,
  zoom,
  isSelected,
  isFolded,
  onFold,
  onSelect,
  onHover,
}: WaterfallRowProps) {
  const { run, depth, life } = row;
  const { id, agent, task } = run.row;
  return (
    <div
      className={classNames("flex h-full items-center border-line border-b", isSelected && "bg-accent-soft")}
    >
      <div className={classNames(NAME_COLUMN, "flex h-full items-center gap-1 pr-1 pl-1")}>
        <span style={{ width: Math.min(depth, 8) * 10 }} className="shrink-0" />
        {run.children.length > 0 ? (
          <button
            type="button"
            aria-expanded={!isFolded}
            aria-label={`Children of ${agent}`}
            onClick={() => onFold(id)}
            className="flex h-full w-5 shrink-0 items-center justify-center rounded hover:bg-raised"
          >
            <ChevronRight size={12} aria-hidden className={isFolded ? undefined : "rotate-90"} />
          </button>
        ) : (
          <span className="w-5 shrink-0" />
        )}
        <button
          type="button"
          title={task}
          onClick={() => onSelect(id)}
          className="flex h-full min-w-0 flex-1 items-center gap-1.5 rounded px-1 text-left text-sm hover:bg-raised"
        >
          <span className="max-md:hidden">
            <RoleIcon agent={agent} size={13} />
          </span>
          <span className="min-w-0 flex-1 truncate">
            <AgentName agent={agent} />
          </span>
          <span className="shrink-0 text-muted text-xs tabular-nums max-md:hidden">
            {duration(life.to - life.from)}
          </span>
        </button>
      </div>
      <div className="min-w-0 flex-1 overflow-hidden pr-2">
        <Bars
          row={row}
          window={zoom.window}
          width={zoom.width}
          onHover={onHover}
          onPick={(seq) => onSelect(id, seq)}
        />
      </div>
    </div>
  );
}
