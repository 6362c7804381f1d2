import type { Ref } from "react";
import type { Comparison } from "../../../../src/api/client/types.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { Badge } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";

type Row = Comparison["nodes"][number]["rows"][number];
type Step = NonNullable<Row["a"]>;

export interface StepRowProps {
  row: Row;
  isFirst: boolean;
  place?: Ref<HTMLLIElement>;
}

/** One step of both runs side by side; on a phone A is above B. */
export function StepRow({ row: { a, b, same }, isFirst, place }: StepRowProps) {
  return (
    <li
      ref={place}
      className={classNames("rounded-md", isFirst && "outline-2 outline-warn")}
      {...(isFirst ? { "data-testid": "first-divergence" } : {})}
    >
      {isFirst && (
        <p className="px-2 py-1">
          <Badge tone="warn">First divergence</Badge>
        </p>
      )}
      <div className="grid gap-1 md:grid-cols-2">
        <StepCell side="A" step={a} same={same} />
        <StepCell side="B" step={b} same={same} />
      </div>
    </li>
  );
}

function StepCell({ side, step, same }: { side: "A" | "B"; step: Step | undefined; same: boolean }) {
  if (!step)
    return (
      <p className="rounded-md border border-line border-dashed px-2 py-1 text-muted text-xs">
        {side}: no step here
      </p>
    );
  const hasOutcome = step.kind === "call" || step.kind === "child";
  return (
    <div
      className={classNames(
        "min-w-0 rounded-md border px-2 py-1 text-sm",
        same ? "border-line text-muted max-md:odd:hidden" : "border-edge bg-surface",
      )}
    >
      <p className="flex min-w-0 items-baseline gap-2">
        <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
          <VisibleText text={step.title} />
        </span>
        {!same && <span className="shrink-0 text-warn text-xs">≠ {side}</span>}
        <a
          href={`/r/${step.runId}#${step.seq}`}
          className="inline-flex min-h-10 shrink-0 items-center text-accent text-xs hover:underline md:min-h-5"
        >
          #{step.seq}
        </a>
      </p>
      {hasOutcome && step.detail !== "" && (
        <p className="line-clamp-2 font-mono text-muted text-xs [overflow-wrap:anywhere]">
          <VisibleText text={step.detail} />
        </p>
      )}
      {step.recorded && <p className="text-info text-xs">Not repeated: result taken from the recording</p>}
    </div>
  );
}
