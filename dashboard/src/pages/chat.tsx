import { useParams } from "@tanstack/react-router";
import { NewConversation } from "../components/chat/new-conversation.tsx";
import { SessionList } from "../components/chat/session-list.tsx";
import { Thread } from "../components/chat/thread.tsx";
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
