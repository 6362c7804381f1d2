// The open requests of a tree, decided where the user is: in the chat and on a run's page. The same cards as in the inbox.

import { X } from "lucide-react";
import { useState } from "react";
import type { ApprovalView } from "../../../../src/api/client/types.ts";
import { approvalTitle } from "../../display/approval-title.ts";
import { IconButton } from "../../ui/button.tsx";
import { showToast } from "../notices/toasts.tsx";
import { Card } from "./cards/card.tsx";
import { confirmationText } from "./decision/decide.tsx";

export interface DecideHereProps {
  items: readonly ApprovalView[];
  onClose?(): void;
}

export function DecideHere({ items, onClose }: DecideHereProps) {
  /** The list can still contain a decided item for a moment. */
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const open = items.filter(({ id }) => !decided.has(id));
  const [item] = open;
  if (!item) return null;
  return (
    <section
      aria-label="Decide here"
      className="flex max-h-[min(70vh,36rem)] min-h-0 shrink-0 flex-col border-warn border-y bg-surface"
    >
      <div className="flex items-center gap-2 bg-warn-soft px-4 py-0.5 text-warn text-xs">
        <span className="font-medium">Needs you</span>
        {open.length > 1 && <span>1 of {open.length}</span>}
        {onClose && (
          <IconButton icon={X} label="Close the request" className="ml-auto text-warn!" onClick={onClose} />
        )}
      </div>
      <Card
        key={item.id}
        item={item}
        takesFocus={decided.size > 0}
        onDecided={(word) => {
          setDecided(new Set([...decided, item.id]));
          showToast(`${confirmationText(word)}: ${approvalTitle(item)}`);
          if (open.length === 1) onClose?.();
        }}
      />
    </section>
  );
}
