import { useRouter } from "@tanstack/react-router";
import { Hand } from "lucide-react";
import type { ApprovalView } from "../../../../src/api/client/types.ts";
import { AgentName } from "../../display/agent/agent.tsx";
import { approvalTitle } from "../../display/approval-title.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { handleLinkClick } from "../../ui/link-click.ts";
import { useNarrow } from "../../ui/use-media.ts";
import { NoticeBar } from "./notice-bar.tsx";

export interface ApprovalsStripProps {
  items: readonly ApprovalView[];
  runId: string;
  onSelect(runId: string): void;
}

const SHOWN = 3;
const SHOWN_NARROW = 1;

/** Open requests of this tree. People answer them in the inbox, where the whole request is visible (A17). */
export function ApprovalsStrip({ items, runId, onSelect }: ApprovalsStripProps) {
  const shown = useNarrow() ? SHOWN_NARROW : SHOWN;
  const more = items.length - shown;
  return (
    <NoticeBar tone="warn">
      <span className="flex items-center gap-1.5 font-medium">
        <Hand size={14} aria-hidden /> Needs you
        {more > 0 && <span className="font-normal md:hidden">and {more} more</span>}
      </span>
      <ul className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1 max-sm:basis-full">
        {items.slice(0, shown).map((item) => (
          <li key={item.id} className="flex min-w-0 max-w-full items-center gap-2">
            <span className="min-w-0 truncate text-ink">
              {item.runId === runId ? (
                <AgentName agent={item.agent} />
              ) : (
                <button type="button" className="underline" onClick={() => onSelect(item.runId)}>
                  <AgentName agent={item.agent} />
                </button>
              )}
              : {item.kind === "outcome" && "Did it happen? "}
              <VisibleText text={approvalTitle(item)} />
            </span>
            <InboxLink id={item.id} />
          </li>
        ))}
        {more > 0 && <li className="max-md:hidden">and {more} more</li>}
      </ul>
    </NoticeBar>
  );
}

function InboxLink({ id }: { id: string }) {
  const { history } = useRouter();
  const href = `/inbox?item=${encodeURIComponent(id)}`;
  return (
    <a
      href={href}
      onClick={(event) => handleLinkClick(event, () => history.push(href))}
      className="inline-flex min-h-10 items-center whitespace-nowrap font-medium underline md:min-h-6"
    >
      Answer in the inbox
    </a>
  );
}
