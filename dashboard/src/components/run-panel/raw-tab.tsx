// All events of a run as recorded. Only visible rows are rendered.

import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { JournalEvent } from "../../../../src/journal/events.ts";
import { clockTime } from "../../../../src/projections/words/format.ts";
import { JsonView } from "../../display/json-view.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import type { RunJournal } from "../../live/tree-journal.ts";
import { classNames } from "../../ui/class-names.ts";
import { CopyButton } from "../../ui/copy-button.tsx";

export function RawTab({ run, seq }: { run: RunJournal; seq: number | undefined }) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: run.events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 34,
    overscan: 10,
  });
  useEffect(() => {
    const index = seq === undefined ? -1 : run.events.findIndex((event) => event.seq === seq);
    if (index >= 0) virtual.scrollToIndex(index, { align: "center" });
  }, [seq, virtual, run]);
  return (
    <div ref={scroller} className="max-h-dvh min-h-0 flex-1 overflow-y-auto">
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            data-index={index}
            ref={virtual.measureElement}
            className="absolute inset-x-0"
            style={{ top: start }}
          >
            <EventRow event={run.events[index]!} isSelected={seq === run.events[index]?.seq} />
          </div>
        ))}
      </div>
    </div>
  );
}

function EventRow({ event, isSelected }: { event: JournalEvent; isSelected: boolean }) {
  const [open, setOpen] = useState(isSelected);
  return (
    <div className={classNames("border-line border-b", isSelected && "bg-accent-soft")}>
      <div className="flex items-center gap-1 pr-2">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-h-8 min-w-0 flex-1 items-center gap-2 px-2 text-left font-mono text-xs hover:bg-raised max-md:min-h-10"
        >
          <ChevronRight size={12} aria-hidden className={open ? "shrink-0 rotate-90" : "shrink-0"} />
          <span className="w-8 shrink-0 text-right text-muted">{event.seq}</span>
          <span className="shrink-0">{event.type}</span>
          <span className="min-w-0 flex-1 truncate text-muted">
            <VisibleText text={event.key.slice(0, 200)} />
          </span>
          <span className="shrink-0 text-muted max-md:hidden">{clockTime(event.ts)}</span>
        </button>
        <CopyButton text={JSON.stringify(event, null, 2)} label={`Copy event ${event.seq} as JSON`} />
      </div>
      {open && (
        <div className="px-2 pb-2">
          <JsonView value={event.payload} />
        </div>
      )}
    </div>
  );
}
