// The left side of the inbox: a confirmation of the last answer, the open requests, and the runs to resume.

import { Link } from "@tanstack/react-router";
import {
  Bot,
  CircleHelp,
  Coffee,
  Coins,
  FilePen,
  Globe,
  Plug,
  Repeat,
  SquareTerminal,
  TriangleAlert,
  Wrench,
} from "lucide-react";
import { useEffect, useRef } from "react";
import type { ApprovalView, RunSummary } from "../../../../../src/api/client/types.ts";
import { describeWait } from "../../../../../src/projections/words/waits.ts";
import { AgentName } from "../../../display/agent/agent.tsx";
import { approvalTitle } from "../../../display/approval-title.ts";
import { CommandTitle } from "../../../display/command/command-text.tsx";
import { isWaitingForResume } from "../../../display/status/status.ts";
import { StatusBadge } from "../../../display/status/status-badge.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { client } from "../../../live/client.ts";
import { useRefusal } from "../../../live/me.ts";
import { queryClient } from "../../../live/query-client.ts";
import { useAction } from "../../../live/use-action.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { findDangers } from "../cards/dangers.ts";
import { changesFile } from "../request/request-view.tsx";
import type { Queue, QueueRow } from "./queue.ts";
import { ExpiryBadge, WaitingBadge } from "./wait-badges.tsx";

export interface QueuePaneProps {
  queue: Queue;
  runs: readonly RunSummary[];
  current: string | undefined;
  confirmation: string | undefined;
  /** The item that was answered last. Its run can disappear from every list on this page, so the pane links to the run. */
  last: ApprovalView | undefined;
}

export function QueuePane({ queue, runs, current, confirmation, last }: QueuePaneProps) {
  const toResume = runs.filter(needsResume);
  const isEmpty = queue.rows.length === 0 && toResume.length === 0;
  return (
    <>
      <p
        role="status"
        className={classNames("truncate px-3 text-good text-xs", confirmation !== undefined && "py-1.5")}
      >
        {confirmation}
      </p>
      {last && (
        <p className="truncate px-3 pb-1.5 text-xs">
          <Link
            to="/r/$runId"
            params={{ runId: last.runId }}
            className="inline-block py-1 text-accent underline"
          >
            Follow this run
          </Link>
        </p>
      )}
      {isEmpty ? <NothingWaits running={runs} /> : <QueueList queue={queue} current={current} />}
      <RunsToResume runs={toResume} />
    </>
  );
}

/** U20: one queue for all trees. Each row is a link, so people can open it in a new tab and share it. */
function QueueList({ queue, current }: { queue: Queue; current: string | undefined }) {
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

const KIND_ICONS = { question: CircleHelp, outcome: TriangleAlert, budget: Coins, loop: Repeat } as const;

/** The icon of a request. For a tool call, the icon depends on the call's target and on what the call can reach. */
function approvalIcon(item: ApprovalView): typeof Bot {
  const { kind, tool, target, reaches = [] } = item;
  if (kind !== "tool") return KIND_ICONS[kind];
  if (tool?.startsWith("mcp__")) return Plug;
  if (target?.kind === "command") return SquareTerminal;
  if (changesFile(item)) return FilePen;
  if (reaches.join() === "runtime") return Bot;
  return reaches.join() === "network" ? Globe : Wrench;
}

const LISTED = 5;

/** The empty inbox. It lists the active runs. */
function NothingWaits({ running }: { running: readonly RunSummary[] }) {
  const roots = running.filter(({ parentRunId }) => parentRunId === undefined).slice(0, LISTED);
  return (
    <EmptyState icon={<Coffee size={28} aria-hidden />} title="Nothing is waiting for you">
      <p>Requests from any run appear here automatically.</p>
      {roots.length > 0 && (
        <ul className="w-full text-left">
          {roots.map((run) => (
            <li key={run.id}>
              <Link
                to="/r/$runId"
                params={{ runId: run.id }}
                className="flex items-center gap-2 rounded-md px-2 py-2 hover:bg-raised"
              >
                <StatusBadge run={run} />
                <span className="truncate text-ink text-sm">
                  <VisibleText text={run.task} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </EmptyState>
  );
}

/** True if the run waits until a person resumes it, for example because it is paused or quarantined. Such a run has no open question. */
const needsResume = ({ waitingOn, status }: RunSummary): boolean =>
  status === "suspended" && isWaitingForResume(waitingOn);

function RunsToResume({ runs }: { runs: readonly RunSummary[] }) {
  if (runs.length === 0) return null;
  return (
    <section aria-labelledby="to-resume" className="border-line border-b">
      <h2 id="to-resume" className="px-3 pt-3 pb-1 font-medium text-muted text-xs">
        Waiting to be resumed
      </h2>
      <ul>
        {runs.map((run) => (
          <RunToResume key={run.id} run={run} />
        ))}
      </ul>
    </section>
  );
}

function RunToResume({ run: { id, agent, task, waitingOn } }: { run: RunSummary }) {
  const { busy, problem, perform } = useAction();
  const mayResume = useRefusal("operator") === undefined;
  const resume = async () => {
    await perform(() => client.post("/api/runs/{id}/resume", { id }));
    await queryClient.invalidateQueries({ queryKey: ["runs"] });
  };
  const { kind, detail } = waitingOn ?? {};
  return (
    <li className="flex items-center gap-2 px-3 py-2">
      <Link to="/r/$runId" params={{ runId: id }} className="flex min-w-0 flex-1 flex-col hover:underline">
        <span className="truncate text-sm">
          <VisibleText text={`${agent}: ${task}`} />
        </span>
        <span className="truncate text-muted text-xs">
          <VisibleText text={problem ?? detail ?? (waitingOn ? describeWait(waitingOn).title : "")} />
        </span>
      </Link>
      {mayResume && kind !== "storage" && (
        <Button
          size="small"
          disabled={busy}
          aria-label={`Resume ${agent}`}
          className="max-md:h-10"
          onClick={() => void resume()}
        >
          Resume
        </Button>
      )}
    </li>
  );
}
