import { activityShares, type PathPiece } from "../../../../src/projections/views/critical-path.ts";
import { duration } from "../../../../src/projections/words/format.ts";
import { LOOKS } from "./activities.ts";

/** U09: where the time went, in one sentence. The shares are along the critical path, so they add up to the total. */
export function TimeSummary({ path, isOver }: { path: readonly PathPiece[]; isOver: boolean }) {
  const shares = activityShares(path);
  const total = shares.reduce((sum, { ms }) => sum + ms, 0);
  const parts = shares.map(({ activity, share }) => `${percent(share)} ${LOOKS[activity].share}`);
  return (
    <p className="min-w-0 flex-1 basis-64 px-3 text-sm md:px-4" data-testid="took">
      <span className="font-semibold">
        {isOver ? "Took" : "So far"} {duration(total)}
      </span>
      {parts.length > 0 && `: ${parts.join(", ")}`}
    </p>
  );
}

const percent = (share: number): string =>
  share < 0.01 ? "under\u00a01\u00a0%" : `${Math.round(share * 100)}\u00a0%`;
