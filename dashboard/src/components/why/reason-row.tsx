import type { Reason } from "../../../../src/projections/views/reasons.ts";
import { clockTime } from "../../../../src/projections/words/format.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { TextWithCode } from "./with-code.tsx";

export interface ReasonRowProps {
  reason: Reason;
  onSelect(runId: string, seq?: number): void;
}

/** One step of the chain: what happened and why, with a link to the event. */
export function ReasonRow({ reason, onSelect }: ReasonRowProps) {
  const { runId, agent, seq, ts, what, because } = reason;
  return (
    <li className="flex gap-2 py-1 text-sm">
      <time className="shrink-0 pt-0.5 text-muted text-xs tabular-nums max-sm:hidden">{clockTime(ts)}</time>
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <button
          type="button"
          title={`Event ${seq} of run ${runId}`}
          className="min-h-10 text-left underline-offset-2 hover:underline md:min-h-5"
          onClick={() => onSelect(runId, seq)}
        >
          <span className="text-muted">{agent}: </span>
          <VisibleText text={what} />
        </button>
        {because !== undefined && (
          <p className="text-muted text-xs">
            because <TextWithCode text={because} />
          </p>
        )}
      </div>
      <span className="shrink-0 pt-0.5 font-mono text-muted text-xs">#{seq}</span>
    </li>
  );
}
