import { Terminal } from "lucide-react";
import { Elapsed } from "../../display/time/elapsed.tsx";
import { count, money, plural } from "../../display/words.ts";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { useCommand } from "../../live/use-command.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Copyable } from "../../ui/copyable.tsx";
import { rollUps } from "../run-tree/roll-up.ts";

const SHORT_ID = 12;

/** How long, how much, and its name for the terminal. */
export function RunFacts({ journal, run }: { journal: TreeJournal; run: RunJournal }) {
  const { row } = run;
  const command = useCommand()(`show ${row.id.slice(0, SHORT_ID)}`);
  const sum = rollUps(journal.runs, row.id).get(row.id);
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs">
      <span>
        <Elapsed from={row.createdAt} to={row.endedAt} />
      </span>
      <span title="What its models cost, with all runs below it">
        {money(sum?.cost ?? 0, sum?.unpriced ?? 0)}
      </span>
      <span>{plural(row.turns, "turn")}</span>
      <span title="What its models read and wrote, with all runs below it">
        {count(sum?.tokens ?? 0)} tokens
      </span>
      {sum !== undefined && sum.runs > 0 && <span>{plural(sum.runs, "run")} below</span>}
      <span className="max-sm:hidden">
        <Copyable text={row.id.slice(0, SHORT_ID)} label="Copy the run's short id" />
      </span>
      <span className="hidden min-w-0 sm:inline">
        <CopyButton text={command} label={`Copy as command: ${command}`} icon={<Terminal size={12} />}>
          Copy as command
        </CopyButton>
      </span>
    </div>
  );
}
