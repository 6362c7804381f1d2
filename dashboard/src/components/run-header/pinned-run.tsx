// S4-60: the pinned run, in a bar at the bottom of every other page.

import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { Pin, X } from "lucide-react";
import { StatusBadge } from "../../display/status/status-badge.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { runQuery } from "../../live/queries.ts";
import { IconButton } from "../../ui/button.tsx";
import { useLocalStorage } from "../../ui/local-storage.ts";

export function PinnedRun() {
  const [runId, pin] = usePinnedRun();
  const { pathname } = useLocation();
  if (runId === undefined || pathname === `/r/${runId}`) return null;
  return <Bar runId={runId} onUnpin={() => pin(undefined)} />;
}

function Bar({ runId, onUnpin }: { runId: string; onUnpin(): void }) {
  const run = useQuery(runQuery(runId));
  return (
    <aside
      aria-label="Pinned run"
      className="flex h-10 shrink-0 items-center gap-2 border-line border-t bg-surface pr-1 pl-4 text-sm"
    >
      <Pin size={13} aria-hidden className="shrink-0 text-muted" />
      {run.data && <StatusBadge run={run.data} />}
      <Link to="/r/$runId" params={{ runId }} className="min-w-0 flex-1 truncate hover:underline">
        <span className="font-medium">{run.data?.agent ?? runId}</span>{" "}
        <span className="text-muted">{run.data && <VisibleText text={run.data.task} />}</span>
      </Link>
      <IconButton icon={X} label="Unpin" className="min-h-10 min-w-10" onClick={onUnpin} />
    </aside>
  );
}

/** The id of the pinned run, and a function to change it. */
export const usePinnedRun = (): ReturnType<typeof useLocalStorage> => useLocalStorage("cadre.pinned-run");
