import { Clock } from "lucide-react";
import { VisibleText } from "../../display/visible-text.tsx";
import type { RunJournal } from "../../live/tree-journal.ts";
import { agentActivity } from "./agent-activity.ts";

/** S4-43: what was said and is not read yet, in its order. */
export function UnreadMessages({ run }: { run: RunJournal }) {
  const { queue } = agentActivity(run);
  if (queue.length === 0) return null;
  return (
    <section aria-label="Waits to be read" className="border-line border-t bg-surface px-4 py-2">
      <h2 className="flex items-center gap-1.5 text-muted text-xs">
        <Clock size={12} aria-hidden /> Waits for the agent's next turn
      </h2>
      <ol className="pt-1">
        {queue.map(({ id, from, text }) => (
          <li key={id} className="truncate text-sm">
            {from !== undefined && <span className="text-muted">{from}: </span>}
            <VisibleText text={text} />
          </li>
        ))}
      </ol>
    </section>
  );
}
