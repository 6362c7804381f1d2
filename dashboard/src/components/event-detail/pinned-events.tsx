// U15: two pinned events side by side, from any runs of the tree.

import { PinOff } from "lucide-react";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { IconButton } from "../../ui/button.tsx";
import { EventDetail } from "./event-detail.tsx";
import { type EventRef, formatEventRef } from "./event-ref.ts";

export interface PinnedEventsProps {
  journal: TreeJournal;
  pins: readonly EventRef[];
  onSelect(runId: string, seq?: number): void;
  onUnpin(ref: EventRef): void;
}

export function PinnedEvents({ journal, pins, onSelect, onUnpin }: PinnedEventsProps) {
  if (pins.length === 0) return null;
  return (
    <section
      aria-label="Pinned events"
      className="flex h-2/5 shrink-0 flex-col divide-line border-line border-t bg-surface max-sm:divide-y sm:flex-row sm:divide-x"
    >
      {pins.map((ref) => (
        <div key={formatEventRef(ref)} className="relative min-h-0 min-w-0 flex-1 overflow-auto">
          <IconButton
            icon={PinOff}
            label={`Unpin event ${ref.seq}`}
            className="absolute top-1 right-1 bg-surface"
            onClick={() => onUnpin(ref)}
          />
          <EventDetail journal={journal} eventRef={ref} onSelect={onSelect} />
        </div>
      ))}
    </section>
  );
}
