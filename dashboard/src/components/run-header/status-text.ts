// S0-64, S2-83, S4-65: the status of a run as a sentence, with links to the runs it mentions.

import { childrenToStart } from "../../../../src/projections/folds/approvals.ts";
import type { RunRow } from "../../../../src/projections/folds/run-row.ts";
import { clockTime, duration, plural } from "../../../../src/projections/words/format.ts";
import { describeEnding, shownStatus } from "../../../../src/projections/words/statuses.ts";
import { describeStop } from "../../../../src/projections/words/stop-reasons.ts";
import { describeWait } from "../../../../src/projections/words/waits.ts";
import { runStateOf } from "../../live/folds.ts";
import type { RunJournal } from "../../live/run-journal.ts";

export interface StatusText {
  text: string;
  /** Links to runs that the user will probably open next. */
  links: { runId: string; label: string }[];
  /** Number of children that have not started yet. */
  toStart?: number;
}

/** `cadre why` prints the same words. */
export const ANSWERED = "Answered, but not continued yet";

type Runs = ReadonlyMap<string, RunJournal>;

export function statusText(runs: Runs, run: RunJournal): StatusText {
  const { row } = run;
  if (row.endedAt !== undefined) return { text: endText(run), links: [] };
  if (row.cancelRequested) return { text: "Stopping…", links: [] };
  if (row.answered) return { text: ANSWERED, links: [] };
  const { waitingOn } = row;
  switch (waitingOn?.kind) {
    case undefined:
      return { text: row.status === "pending" ? "Queued" : doing(run), links: [] };
    case "child":
    case "handoff":
      return {
        text: `Delegating to ${agentsOf(runs, waitingOn.items)}…`,
        links: [],
        toStart: childrenToStart(runStateOf(run.events)),
      };
    case "child_hitl":
      return {
        text: "Waiting for child approval",
        links: (waitingOn.blockers ?? []).map((id) => ({ runId: id, label: runs.get(id)?.row.agent ?? id })),
        toStart: childrenToStart(runStateOf(run.events)),
      };
    default:
      return { text: waitText(row), links: [] };
  }
}

function endText({ row, events }: RunJournal): string {
  const time = duration(row.endedAt! - row.createdAt);
  const turns = `(${plural(row.turns, "turn")})`;
  const cancel = events.findLast((event) => event.type === "CANCEL_REQUESTED");
  if (row.stopReason === "user" && cancel) return `Cancelled by ${cancel.payload.by} after ${time} ${turns}`;
  const ended = `${describeEnding(row, time)} ${turns}`;
  if (shownStatus(row) === "completed" || row.stopReason === undefined) return ended;
  return `${ended}. ${describeStop(row.stopReason, row.status).why}`;
}

/** Describes what the run is doing, based on the last entry of its timeline. */
function doing({ timeline, row, events }: RunJournal): string {
  const last = timeline.entries.at(-1);
  if (last?.kind === "model") return `Thinking (turn ${row.turns}${attemptOf(events)})`;
  if (last?.kind === "tool") return last.title;
  return `Working (turn ${row.turns})`;
}

function attemptOf(events: RunJournal["events"]): string {
  const last = events.at(-1);
  const attempt = last?.type === "MODEL_CALL_STARTED" ? (last.payload.attempt ?? 1) : 1;
  return attempt > 1 ? `, attempt ${attempt}` : "";
}

function agentsOf(runs: Runs, ids: readonly string[] = []): string {
  const open = ids
    .map((id) => runs.get(id)?.row)
    .filter((row) => row !== undefined && row.endedAt === undefined);
  const names = [...new Set(open.map((row) => row!.agent))];
  if (names.length === 0) return "its children";
  const [first, ...others] = names;
  if (open.length === 1) return `${first} agent`;
  return others.length === 0
    ? `${open.length} ${first} agents`
    : `${open.length} agents: ${names.join(", ")}`;
}

function waitText({ waitingOn }: RunRow): string {
  const { kind, until, detail } = waitingOn!;
  const time = until === undefined ? "" : ` until ${clockTime(until)}`;
  const why = detail === undefined || kind === "paused" ? "" : ` (${detail})`;
  return `${describeWait(waitingOn!).title}${time}${why}`;
}
