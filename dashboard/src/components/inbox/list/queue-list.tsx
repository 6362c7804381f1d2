// U20: one queue over all trees. Each row is a link, so it can be opened with Enter or in a new tab, and shared.

import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { AgentName } from "../../../display/agent/agent.tsx";
import { approvalTitle } from "../../../display/approval-title.ts";
import { CommandTitle } from "../../../display/command/command-text.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { findDangers } from "../cards/dangers.ts";
import { approvalIcon } from "../cards/kinds.ts";
import type { Queue, QueueRow } from "./use-queue.ts";
import { ExpiryBadge, WaitingBadge } from "./wait-badges.tsx";

export function QueueList({ queue, current }: { queue: Queue; current: string | undefined }) {
  return (
    <ul aria-label="Waiting for you" {...queue.pointerHandlers}>
      {queue.rows.map((row) => (
        <Row key={row.item.id} row={row} isCurrent={row.item.id === current} />
      ))}
    </ul>
  );
}

function Row({ row: { item, isClosed }, isCurrent }: { row: QueueRow; isCurrent: boolean }) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent) link.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  const Icon = approvalIcon(item);
  return (
    <li className={classNames("border-line border-b", isClosed && "opacity-60")}>
      <Link
        ref={link}
        to="/inbox"
        search={{ item: item.id }}
        aria-current={isCurrent ? "true" : undefined}
        className={classNames(
          "flex gap-2.5 border-l-2 px-3 py-2.5",
          isCurrent
            ? "border-transparent md:border-accent md:bg-accent-soft"
            : "border-transparent hover:bg-raised",
        )}
      >
        <Icon size={16} aria-hidden className="mt-0.5 shrink-0 text-muted" />
        <span className="flex min-w-0 flex-1 flex-col gap-1">
          <span className={classNames("truncate font-medium text-sm", isClosed && "line-through")}>
            <CommandTitle text={approvalTitle(item)} />
          </span>
          <span className="truncate text-muted text-xs">
            {item.path.map((agent, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a path does not change, and an agent may occur in it twice
              <span key={at}>
                {at > 0 && " › "}
                <AgentName agent={agent} />
              </span>
            ))}
          </span>
          <span className="flex flex-wrap gap-1">
            {isClosed ? <Badge>decided</Badge> : <WaitingBadge item={item} />}
            {!isClosed && <ExpiryBadge at={item.expiresAt} />}
            {!isClosed && item.asked && (
              <Badge tone="info">
                for <VisibleText text={item.asked.person} />
              </Badge>
            )}
            {!isClosed && findDangers(item).length > 0 && <Badge tone="bad">check carefully</Badge>}
          </span>
        </span>
      </Link>
    </li>
  );
}
