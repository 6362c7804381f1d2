import { VisibleText } from "../../display/visible-text.tsx";
import type { Tip } from "./bars.tsx";

const WIDTH = 320;

/** A tooltip for the span under the pointer or keyboard focus. */
export function SpanTip({ tip }: { tip: Tip | undefined }) {
  if (!tip) return null;
  const left = Math.max(8, Math.min(tip.x + 12, innerWidth - WIDTH - 8));
  const above = tip.y > innerHeight - 120;
  return (
    <div
      data-testid="span-tip"
      className="pointer-events-none fixed z-50 w-fit rounded-md border border-line bg-surface px-2 py-1 text-xs shadow-lg"
      style={{
        left,
        maxWidth: WIDTH,
        ...(above ? { bottom: innerHeight - tip.y + 12 } : { top: tip.y + 14 }),
      }}
    >
      <p className="font-semibold">{tip.words}</p>
      <p className="line-clamp-3 text-muted wrap-anywhere">
        <VisibleText text={tip.label} />
      </p>
    </div>
  );
}
