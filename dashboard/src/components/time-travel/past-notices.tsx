import { Hand } from "lucide-react";
import { openItems } from "../../../../src/projections/folds/approvals.ts";
import { approvalTitle } from "../../display/approval-title.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { runStateOf } from "../../live/folds.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { NoticeBar } from "../run-actions/notice-bar.tsx";

export interface PastNoticesProps {
  journal: TreeJournal;
  onSelect(runId: string): void;
}

/** The requests that were open at the selected moment. They cannot be answered here. */
export function PastNotices({ journal, onSelect }: PastNoticesProps) {
  const items = [...journal.runs.values()].flatMap((run) => openItems(runStateOf(run.events)));
  if (items.length === 0) return null;
  return (
    <NoticeBar tone="muted">
      <span className="flex items-center gap-1.5 font-medium">
        <Hand size={14} aria-hidden /> Was waiting for a person
      </span>
      <ul className="flex min-w-0 flex-1 flex-wrap gap-x-4 gap-y-1">
        {items.map((item) => (
          <li key={item.id} className="min-w-0 truncate">
            <button
              type="button"
              className="min-h-10 underline md:min-h-5"
              onClick={() => onSelect(item.runId)}
            >
              {item.agent}
            </button>
            : <VisibleText text={approvalTitle(item)} />
          </li>
        ))}
      </ul>
    </NoticeBar>
  );
}
