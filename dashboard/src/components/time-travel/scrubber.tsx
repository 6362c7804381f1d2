// U38: a slider that shows the whole tree at any past moment. The last position of the slider shows the present.

import { GitFork, History, SkipForward, StepBack, StepForward } from "lucide-react";
import { fullTime } from "../../../../src/projections/words/format.ts";
import { useRefusal } from "../../live/me.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { useHotkeys } from "../../ui/hotkeys.ts";
import type { ShownMoment } from "./use-moment.ts";

export interface ScrubberProps {
  moment: ShownMoment;
  /** Whether to show the slider in the present, too. The keys work without it. */
  isShown: boolean;
  /** `at` is a journal position; undefined means the present. */
  onChange(at: number | undefined): void;
  /** Forks the run at the shown moment. Undefined if the run had not started at that moment. */
  onFork: (() => void) | undefined;
}

export function Scrubber({ moment, isShown, onChange, onFork }: ScrubberProps) {
  const mayFork = useRefusal("operator") === undefined;
  const { event, place, count, positionAt } = moment;
  const isPast = event !== undefined;
  const go = (wanted: number) => onChange(positionAt(Math.min(count, Math.max(1, wanted))));
  useHotkeys([
    { keys: ",", label: "One event back in time", run: () => go(place - 1) },
    { keys: ".", label: "One event forward in time", run: () => go(place + 1) },
    ...(isPast ? [{ keys: ";", label: "Back to now", run: () => onChange(undefined) }] : []),
  ]);
  if (!isPast && !isShown) return null;
  const words = isPast ? `${fullTime(event.ts)}, event ${place} of ${count}` : `Now, ${count} events`;
  return (
    <section
      aria-label="Moment"
      className={classNames(
        "flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-line border-b px-4 text-xs md:py-1",
        isPast ? "bg-info-soft text-info" : "bg-surface text-muted",
      )}
    >
      <History size={14} aria-hidden className="max-sm:hidden" />
      <IconButton
        icon={StepBack}
        label="One event back"
        disabled={place <= 1}
        onClick={() => go(place - 1)}
      />
      <input
        type="range"
        aria-label="Moment of the tree"
        aria-valuetext={words}
        min={1}
        max={count}
        value={place}
        onChange={({ target }) => go(Number(target.value))}
        className="h-10 min-w-24 flex-1 cursor-pointer accent-accent md:h-6"
      />
      <IconButton
        icon={StepForward}
        label="One event forward"
        disabled={!isPast}
        onClick={() => go(place + 1)}
      />
      <span role="status" className="tabular-nums" data-testid="moment">
        {isPast ? (
          <>
            <strong>The past</strong>: {words}
          </>
        ) : (
          words
        )}
      </span>
      {isPast && (
        <span className="ml-auto flex gap-1.5">
          {mayFork && onFork && (
            <Button size="small" className="max-md:h-10" onClick={onFork}>
              <GitFork size={13} aria-hidden /> Fork from here
            </Button>
          )}
          <Button size="small" look="main" className="max-md:h-10" onClick={() => onChange(undefined)}>
            <SkipForward size={13} aria-hidden /> Back to now
          </Button>
        </span>
      )}
    </section>
  );
}
