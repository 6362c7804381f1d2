import { plural } from "../../display/words.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";

/** While the journal is read; views show what is there. */
export function LoadingProgress({ journal }: { journal: TreeJournal }) {
  if (journal.loaded) return null;
  return (
    <span role="status" className="whitespace-nowrap text-muted text-xs tabular-nums">
      Reading… {plural(eventsIn(journal), "event")}
    </span>
  );
}

const eventsIn = ({ runs }: TreeJournal): number =>
  [...runs.values()].reduce((sum, { events }) => sum + events.length, 0);
