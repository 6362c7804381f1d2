// The right-hand pane shows the selected event, or the run if no event is selected.
// On small screens the pane covers the page, so it opens only when the user selects an event or presses the pane's button.

import { PanelRightClose, PanelRightOpen, Pin } from "lucide-react";
import { lazy, Suspense } from "react";
import { Loading } from "../../display/page-state.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { type PaneSize, Splitter, usePaneWidth } from "../../ui/splitter.tsx";
import type { RunPanelProps } from "../run-panel/run-panel.tsx";
import { EventDetail } from "./event-detail.tsx";
import { type EventRef, isSameEvent } from "./event-ref.ts";

const RunPanel = lazy(async () => ({ default: (await import("../run-panel/run-panel.tsx")).RunPanel }));

export interface DetailsPaneProps extends RunPanelProps {
  selected: EventRef | undefined;
  pins: readonly EventRef[];
  closed: boolean;
  onToggle(): void;
  /** Shows the run instead of the selected event. */
  onDeselect(): void;
  onPin(ref: EventRef): void;
  onFork(ref: EventRef): void;
}

const SIZE: PaneSize = { initial: 420, min: 260, max: 900 };

export function DetailsPane(props: DetailsPaneProps) {
  const { selected, closed, onToggle } = props;
  const [width, setWidth] = usePaneWidth("cadre.details-width", SIZE);
  if (closed)
    return (
      <div className="hidden shrink-0 border-line border-l bg-surface p-1 md:block">
        <IconButton icon={PanelRightOpen} label="Show details" onClick={onToggle} />
      </div>
    );
  return (
    <>
      <span className="hidden lg:flex">
        <Splitter
          label="Width of the details pane"
          {...SIZE}
          width={width}
          pane="right"
          onChange={setWidth}
        />
      </span>
      <section
        aria-label="Details"
        className={classNames(
          "min-h-0 flex-col bg-surface lg:flex lg:w-(--details) lg:shrink-0",
          "max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-30 max-lg:max-h-[75vh] max-lg:border-line max-lg:border-t max-lg:shadow-2xl",
          selected ? "flex" : "max-lg:hidden",
        )}
        style={{ "--details": `${width}px` } as React.CSSProperties}
      >
        <Bar {...props} />
        <div className="min-h-0 flex-1 overflow-auto">
          <Content {...props} />
        </div>
      </section>
    </>
  );
}

function Bar({ selected, pins, onToggle, onDeselect, onPin }: DetailsPaneProps) {
  const isPinned = pins.some((pin) => isSameEvent(pin, selected));
  return (
    <div className="flex shrink-0 items-center gap-1 border-line border-b py-1 pr-1 pl-3">
      <span className="text-muted text-xs">{selected ? `Event #${selected.seq}` : "Run"}</span>
      <span className="ml-auto flex gap-1">
        {selected && (
          <>
            <Button
              look="quiet"
              size="small"
              className="max-md:h-10"
              aria-pressed={isPinned}
              onClick={() => onPin(selected)}
            >
              <Pin size={13} aria-hidden /> {isPinned ? "Unpin" : "Pin"}
            </Button>
            <Button look="quiet" size="small" className="max-md:h-10" onClick={onDeselect}>
              Show the run
            </Button>
          </>
        )}
        <IconButton icon={PanelRightClose} label="Close details" onClick={onToggle} />
      </span>
    </div>
  );
}

function Content(props: DetailsPaneProps) {
  const { journal, runId, seq, selected, onSelect, onFork, tab, onTab } = props;
  if (selected)
    return <EventDetail {...{ journal, onSelect }} eventRef={selected} onFork={() => onFork(selected)} />;
  return (
    <Suspense fallback={<Loading />}>
      <RunPanel {...{ journal, runId, seq, onSelect, tab, onTab }} />
    </Suspense>
  );
}
