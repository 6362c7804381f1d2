import type { ConversationMessage } from "../../../../src/projections/views/conversation.ts";
import { talkOf } from "../../live/folds.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { AnswerMessage } from "./answer-message.tsx";
import { IncomingMessageRow } from "./incoming-message.tsx";
import {
  isFiltered,
  matchesActivity,
  matchesFinalText,
  matchesIncoming,
  NO_FILTER,
  type TalkFilter,
} from "./talk-filter.ts";

export interface RunMessagesProps {
  journal: TreeJournal;
  runId: string;
  /** Nesting level below the outermost run. */
  depth?: number;
  filter?: TalkFilter;
  /** Sequence number of the selected event. */
  seq?: number | undefined;
  onSelect?: ((runId: string, seq?: number) => void) | undefined;
}

/** The conversation of a run with its children nested inside, for the run's page and the chat. */
export function RunMessages({
  journal,
  runId,
  depth = 0,
  filter = NO_FILTER,
  seq,
  onSelect,
}: RunMessagesProps) {
  const run = journal.runs.get(runId);
  if (!run) return null;
  const messages = talkOf(run.events).messages.filter((message) => {
    if (depth > 0 && isInHeader(message)) return false;
    if (!isFiltered(filter)) return true;
    if (message.kind === "heard") return matchesIncoming(message, filter);
    return (
      matchesFinalText(message, filter) || message.activity.some((each) => matchesActivity(each, filter))
    );
  });
  if (messages.length === 0)
    return <p className="p-4 text-center text-muted text-sm">No message matches the filter.</p>;
  return (
    <div className="flex flex-col gap-4">
      {messages.map((message) =>
        message.kind === "heard" ? (
          <IncomingMessageRow key={message.seq} heard={message} selected={message.seq === seq} />
        ) : (
          <AnswerMessage
            key={message.seq}
            answer={message}
            run={run}
            journal={journal}
            depth={depth}
            filter={filter}
            seq={seq}
            onSelect={onSelect}
            renderRun={(id) => (
              <RunMessages
                journal={journal}
                runId={id}
                depth={depth + 1}
                filter={filter}
                onSelect={onSelect}
              />
            )}
          />
        ),
      )}
    </div>
  );
}

/** The header of the child's box already shows a short task. */
const isInHeader = (message: ConversationMessage): boolean =>
  message.kind === "heard" &&
  message.source === "task" &&
  message.text.length <= 60 &&
  message.untrusted.length === 0;
