// U38: links from a fork to its origin, and from a run to its forks and retries.

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { GitFork } from "lucide-react";
import type { ReactNode } from "react";
import type { EventOf } from "../../../../src/journal/events.ts";
import { StatusBadge } from "../../display/status/status-badge.tsx";
import { When } from "../../display/time/times.tsx";
import { branchesQuery } from "../../live/queries.ts";
import type { RunJournal } from "../../live/tree-journal.ts";
import { handleLinkClick } from "../../ui/link-click.ts";

const SHOWN = 4;
const BRANCHES: ReadonlySet<string> = new Set(["fork", "retry"]);

export function Branches({ root }: { root: RunJournal }) {
  const { data = [] } = useQuery(branchesQuery(root.row.id));
  const branches = data.filter(({ trigger }) => BRANCHES.has(trigger));
  const { payload } = root.events[0] as EventOf<"RUN_STARTED">;
  const origin = payload.trigger === "fork" && payload.fork ? payload.continues : undefined;
  if (!origin && branches.length === 0) return null;
  return (
    <nav
      aria-label="Branches"
      className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-line border-b bg-surface px-4 py-1 text-muted text-xs"
    >
      <GitFork size={13} aria-hidden />
      {origin && (
        <span className="flex flex-wrap items-center gap-x-2">
          Fork of
          <PageLink href={`/r/${origin.runId}#${payload.fork!.at}`}>
            {origin.runId.slice(0, 12)} at event {payload.fork!.at}
          </PageLink>
          {(payload.fork!.edited ?? []).map((each) => (
            <span key={each}>changed {each}</span>
          ))}
          <PageLink href={`/compare?a=${origin.runId}&b=${root.row.id}`}>
            Compare with the original run
          </PageLink>
        </span>
      )}
      {branches.slice(0, SHOWN).map((branch) => (
        <span key={branch.id} className="flex items-center gap-x-2">
          <PageLink href={`/r/${branch.id}`}>
            {branch.trigger === "fork" ? "Fork" : "Retry"} {branch.id.slice(0, 12)}
          </PageLink>
          <StatusBadge run={branch} />
          <When ts={branch.createdAt} />
          <PageLink href={`/compare?a=${root.row.id}&b=${branch.id}`}>Compare</PageLink>
        </span>
      ))}
      {branches.length > SHOWN && <span>and {branches.length - SHOWN} more</span>}
    </nav>
  );
}

function PageLink({ href, children }: { href: string; children: ReactNode }) {
  const { history } = useRouter();
  return (
    <a
      href={href}
      onClick={(event) => handleLinkClick(event, () => history.push(href))}
      className="inline-flex min-h-10 items-center font-medium text-accent underline-offset-2 hover:underline md:min-h-6"
    >
      {children}
    </a>
  );
}
