import { type RunStatusLabel, statusLabel } from "../../display/status/status.ts";
import { StatusIcon } from "../../display/status/status-icon.tsx";
import type { RunJournal } from "../../live/run-journal.ts";

/** Where a run stands, where there is no room for more than a mark: another form for each, and the word for who cannot see it. */
export function StatusMark({ row }: { row: RunJournal["row"] }) {
  const { word: standing, tone } = statusLabel(row);
  const word = row.waitingOn?.kind === "child_hitl" && !row.answered ? "waiting for child" : standing;
  return (
    <span className={`shrink-0 ${LOOKS[tone]}`} title={word}>
      <StatusIcon word={word} size={14} />
      <span className="sr-only">{word}</span>
    </span>
  );
}

const LOOKS: Record<RunStatusLabel["tone"], string> = {
  good: "text-good",
  muted: "text-muted",
  bad: "text-bad",
  warn: "text-warn",
  info: "text-info",
};
