import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { plural } from "../../../src/projections/words/format.ts";
import { NewConversation } from "../components/chat/new-conversation.tsx";
import { Thread } from "../components/chat/thread.tsx";
import { AgentName, RoleIcon } from "../display/agent/agent.tsx";
import { Failure, Loading } from "../display/page-state.tsx";
import { StatusBadge } from "../display/status/status-badge.tsx";
import { When } from "../display/time/times.tsx";
import { VisibleText } from "../display/visible-text.tsx";
import { sessionsQuery } from "../live/queries.ts";
import { Badge } from "../ui/badge.tsx";
import { classNames } from "../ui/class-names.ts";

export function ChatPage() {
  const { sessionId } = useParams({ strict: false });
  return (
    <div className="flex min-h-0 flex-1 flex-col md:flex-row">
      <div
        className={classNames(
          "flex max-h-56 min-h-0 shrink-0 flex-col border-line border-b bg-surface md:max-h-none md:w-60 md:border-r md:border-b-0",
          sessionId !== undefined && "max-md:hidden",
        )}
      >
        <SessionList />
      </div>
      {sessionId === undefined ? <NewConversation /> : <Thread sessionId={sessionId} />}
    </div>
  );
}

/** S1-63: all conversations, latest first, each with its agent and status. */
function SessionList() {
  const sessions = useQuery(sessionsQuery);
  if (sessions.isError) return <Failure error={sessions.error} onAgain={() => void sessions.refetch()} />;
  return (
    <nav aria-label="Conversations" className="flex min-h-0 flex-1 flex-col">
      <Link
        to="/chat"
        activeOptions={{ exact: true }}
        className="m-2 flex h-10 items-center gap-2 rounded-md border border-line px-3 text-sm hover:bg-raised md:h-8 [&.active]:border-accent [&.active]:text-accent"
      >
        <Plus size={15} aria-hidden /> New conversation
      </Link>
      {sessions.isPending && <Loading />}
      {sessions.data?.sessions.length === 0 && (
        <p className="px-4 py-2 text-muted text-sm">
          Your conversations will appear here. Choose an agent and write what you need.
        </p>
      )}
      <ul className="min-h-0 flex-1 overflow-auto px-2 pb-2">
        {sessions.data?.sessions.map(({ id, runs, last }) => (
          <li key={id}>
            <Link
              to="/chat/$sessionId"
              params={{ sessionId: id }}
              className="block rounded-md px-2 py-2 hover:bg-raised [&.active]:bg-accent-soft"
            >
              <span className="flex items-center gap-1.5">
                <Badge tone="muted">
                  <RoleIcon agent={last.agent} size={11} /> <AgentName agent={last.agent} />
                </Badge>
                <StatusBadge run={last} />
              </span>
              <VisibleText text={last.task} className="mt-1 line-clamp-2 text-sm" />
              <span className="text-2xs text-muted">
                <When ts={last.updatedAt} /> · {plural(runs, "run")}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
