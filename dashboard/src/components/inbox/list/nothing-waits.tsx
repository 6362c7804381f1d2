import { Link } from "@tanstack/react-router";
import { Coffee } from "lucide-react";
import type { RunSummary } from "../../../../../src/api/client/types.ts";
import { StatusBadge } from "../../../display/status/status-badge.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";

const LISTED = 5;

/** The empty inbox, with the runs under way. */
export function NothingWaits({ running }: { running: readonly RunSummary[] }) {
  const roots = running.filter(({ parentRunId }) => parentRunId === undefined).slice(0, LISTED);
  return (
    <EmptyState icon={<Coffee size={28} aria-hidden />} title="Nothing is waiting for you">
      <p>Requests from any run appear here on their own.</p>
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
