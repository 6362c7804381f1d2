import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { History, KeyRound } from "lucide-react";
import { useState } from "react";
import { GrantsDialog } from "../components/grants/grants.tsx";
import { Inbox } from "../components/inbox/inbox.tsx";
import { PageHeader } from "../components/shell/page-header.tsx";
import { Failure, Loading } from "../display/page-state.tsx";
import { approvalsQuery, runsQuery } from "../live/queries.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";

const NOT_ENDED = runsQuery({ status: ["pending", "running", "waiting", "suspended"] });

export function InboxPage() {
  const approvals = useQuery(approvalsQuery);
  const runs = useInfiniteQuery(NOT_ENDED);
  const [grants, setGrants] = useState(false);
  return (
    <>
      <PageHeader title="Inbox">
        {approvals.data && approvals.data.length > 0 && <Badge tone="warn">{approvals.data.length}</Badge>}
        <Link
          to="/decisions"
          className="ml-auto inline-flex min-h-10 items-center gap-1 rounded-md px-2 font-medium text-muted text-xs hover:bg-raised hover:text-ink md:min-h-7"
        >
          <History size={13} aria-hidden /> Decisions
        </Link>
        <Button size="small" look="quiet" className="max-md:h-10" onClick={() => setGrants(true)}>
          <KeyRound size={13} aria-hidden /> Allowed without asking
        </Button>
      </PageHeader>
      {approvals.data ? (
        <Inbox items={approvals.data} runs={runs.data?.pages.flatMap((page) => page.runs) ?? []} />
      ) : approvals.isError ? (
        <Failure error={approvals.error} onAgain={() => void approvals.refetch()} />
      ) : (
        <Loading what="Loading the inbox" />
      )}
      <GrantsDialog open={grants} onOpenChange={setGrants} />
    </>
  );
}
