// U20, U30, U34: the queue and the selected card. A card stays selected until the user answers it, even if new items arrive.
// On a phone the card fills the screen.

import { useNavigate, useSearch } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { ApprovalView, RunSummary } from "../../../../src/api/client/types.ts";
import { approvalTitle } from "../../display/approval-title.ts";
import { classNames } from "../../ui/class-names.ts";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { BatchButton, BatchCard } from "./cards/batch-card.tsx";
import { Card } from "./cards/card.tsx";
import { ClosedCard } from "./cards/closed-card.tsx";
import { confirmationText } from "./decision/decide.tsx";
import { similarItems, useQueue } from "./list/queue.ts";
import { QueuePane } from "./list/queue-pane.tsx";

export interface InboxProps {
  items: readonly ApprovalView[];
  /** The runs that have not ended. */
  runs: readonly RunSummary[];
}

export function Inbox({ items, runs }: InboxProps) {
  const { item: wanted, together } = useSearch({ from: "/inbox" });
  const navigate = useNavigate({ from: "/inbox" });
  const shown = useRef<string>(undefined);
  const queue = useQueue(items, shown.current);
  const order = queue.rows.filter(({ isClosed }) => !isClosed).map(({ item }) => item);
  const { current, forget } = useCurrent(wanted, order);
  shown.current = current;
  const [confirmation, setConfirmation] = useState<string>();
  const [last, setLast] = useState<ApprovalView>();
  const [answered, setAnswered] = useState(0);
  const item = items.find(({ id }) => id === current);
  const open = (next: ApprovalView | undefined) =>
    void navigate({ search: next ? { item: next.id } : {}, replace: true });
  const step = (by: 1 | -1) => open(neighbourItem(queue.rows, order, current, by));
  const finish = (words: string, those: readonly ApprovalView[], after?: ApprovalView) => {
    setConfirmation(words);
    setLast(those[0]);
    setAnswered(answered + 1);
    forget(those);
    open(after);
  };
  useHotkeys([
    { keys: "j", label: "Next item", run: () => step(1) },
    { keys: "k", label: "Previous item", run: () => step(-1) },
    {
      keys: ".",
      label: "Next item that blocks a root run",
      run: () => open(nextBlockingRoot(order, current)),
    },
  ]);
  // If the queue is empty and no card is open, the empty queue fills the page.
  const alone = queue.rows.length === 0 && current === undefined;
  const similar = item ? similarItems(item, order) : [];
  return (
    <div className="flex min-h-0 flex-1">
      <div
        className={classNames(
          "w-full shrink-0 overflow-y-auto border-line",
          !alone && "md:w-80 md:border-r",
          wanted !== undefined && "max-md:hidden",
        )}
      >
        <QueuePane {...{ queue, runs, current, confirmation, last }} />
      </div>
      <div className={classNames("flex min-w-0 flex-1 flex-col", wanted === undefined && "max-md:hidden")}>
        {together && similar.length > 1 ? (
          <BatchCard
            items={similar}
            onDone={(words) => finish(words, similar)}
            onFailed={setConfirmation}
            onBack={() => open(item)}
          />
        ) : item ? (
          <Card
            key={item.id}
            item={item}
            takesFocus={answered > 0}
            onDecided={(word) =>
              finish(
                `${confirmationText(word)}: ${approvalTitle(item)}`,
                [item],
                neighbourItem(queue.rows, order, item.id, 1),
              )
            }
          >
            {similar.length > 1 && <BatchButton count={similar.length - 1} id={item.id} />}
          </Card>
        ) : (
          current !== undefined && (
            <ClosedCard key={current} id={current} onNext={order.length > 0 ? () => step(1) : undefined} />
          )
        )}
      </div>
    </div>
  );
}

/** The id of the item in the URL, or else of the first item. The item stays selected after another person answers it. */
function useCurrent(wanted: string | undefined, order: readonly ApprovalView[]) {
  const pinned = useRef<string>(undefined);
  /** Items that were answered in this tab. The list might still contain them for a moment. */
  const answered = useRef(new Set<string>());
  const isOpen = (id: string | undefined): boolean => id !== undefined && !answered.current.has(id);
  const kept = isOpen(pinned.current) ? pinned.current : undefined;
  pinned.current = wanted ?? kept ?? order.find(({ id }) => isOpen(id))?.id;
  return {
    current: pinned.current,
    forget: (items: readonly ApprovalView[]) => {
      for (const { id } of items) answered.current.add(id);
    },
  };
}

/** The next or previous open item. If the current item is no longer listed, the search starts at its old position. */
function neighbourItem(
  rows: readonly { item: ApprovalView }[],
  order: readonly ApprovalView[],
  current: string | undefined,
  by: 1 | -1,
): ApprovalView | undefined {
  const others = order.filter(({ id }) => id !== current);
  if (others.length === 0) return undefined;
  const at = rows.findIndex(({ item }) => item.id === current);
  const before = rows.slice(0, Math.max(0, at)).filter(({ item }) => others.includes(item)).length;
  const index = by === 1 ? before : before - 1;
  return others[(index + others.length) % others.length];
}

function nextBlockingRoot(
  order: readonly ApprovalView[],
  current: string | undefined,
): ApprovalView | undefined {
  const at = order.findIndex(({ id }) => id === current);
  const round = [...order.slice(at + 1), ...order.slice(0, at + 1)];
  return round.find(({ blocks }) => blocks.root) ?? round[0];
}
