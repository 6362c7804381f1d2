// The page of one run: its path in the tree, what happened, the tree below it, and its result.

import type { RunDetail, RunTree } from "../../api/client/types.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { summarizeTodos } from "../../projections/folds/todos.ts";
import { fold } from "../../projections/projection.ts";
import {
  describeForkOrigin,
  type TimelineEntry,
  timelineProjection,
} from "../../projections/views/timeline.ts";
import { clockTime, fullTime } from "../../projections/words/format.ts";
import { type ShownStatus, shownStatus } from "../../projections/words/statuses.ts";
import type { CommandLine } from "../command-line.ts";
import { paintEntry } from "./live/event-lines.ts";
import { modelLabel } from "./live/live-view.ts";
import { type Paint, type Screen, visibleWidth } from "./screen.ts";
import { summaryLines } from "./summary.ts";
import { fitLine, fitLines, type Page } from "./text/fit.ts";
import { plain, plainLine } from "./text/plain.ts";
import { treeTable } from "./tree-table.ts";

export interface RunPage {
  run: RunDetail;
  tree: RunTree;
  events: readonly JournalEvent[];
  statuses: ReadonlyMap<string, ShownStatus>;
}

export function runPageLines(
  { run, tree, events, statuses }: RunPage,
  { screen, commandLine, now }: { screen: Screen; commandLine: CommandLine; now: number },
): string[] {
  const { paint } = screen;
  const width = screen.rich ? screen.columns : undefined;
  const below = tree.children.length === 0 ? [] : ["", ...treeTable(tree, { now, paint, statuses, width })];
  return [
    ...headLines(run, events, paint),
    ...pathLines(run, events[0], { paint, commandLine }),
    ...fitLines([plain(run.task)], screen),
    "",
    ...fold(timelineProjection, withoutRepeats(events)).entries.flatMap((entry) =>
      timelineLines(entry, screen),
    ),
    ...below,
    ...todoLines(run, screen),
    ...summaryLines(run, screen, { status: statuses.get(run.id) ?? shownStatus(run) }),
  ];
}

function headLines(run: RunDetail, events: readonly JournalEvent[], paint: Paint): string[] {
  const models = events.flatMap((event) =>
    event.type === "MODEL_CALL_STARTED" ? [event.payload.model] : [],
  );
  const [first] = events;
  const before =
    first?.type === "RUN_STARTED" && first.payload.continues
      ? [
          paint(
            "dim",
            describeForkOrigin(first.payload).trim() || `continues run ${first.payload.continues.runId}`,
          ),
        ]
      : [];
  const started = fullTime(run.createdAt);
  return [
    `${paint("bold", plainLine(run.agent))} ${paint("dim", `· run ${run.id} · ${started}`)}`,
    ...(run.worker === undefined ? [] : [paint("dim", `driven by ${plainLine(run.worker)}`)]),
    ...[...new Set(models)].map((model) => paint("dim", `model ${modelLabel(model)}`)),
    ...before,
  ];
}

/** For a child run: the path from the root, and the command that shows its parent. */
function pathLines(
  { agent, parentRunId }: RunDetail,
  first: JournalEvent | undefined,
  { paint, commandLine }: { paint: Paint; commandLine: CommandLine },
): string[] {
  if (parentRunId === undefined || first?.type !== "RUN_STARTED") return [];
  const path = [...(first.payload.ancestors ?? []).map((above) => above.agent), agent];
  return [
    paint("dim", `path ${plainLine(path.join(" › "))}`),
    paint("dim", `started by: ${commandLine(`show ${parentRunId}`)}`),
  ];
}

/** The agent's to-do list and its progress. */
function todoLines({ todos = [] }: RunDetail, page: Page): string[] {
  if (todos.length === 0) return [];
  const lines = todos.flatMap(({ content, status }) =>
    fitLine({ head: `  ${TODO_MARKS[status]} `, text: plainLine(content) }, page),
  );
  return ["", ...fitLines([`To do: ${plainLine(summarizeTodos(todos))}`], page), ...lines];
}

const TODO_MARKS = { completed: "✓", in_progress: "●", pending: "○" } as const;

/** Leaves out repeated waits: a run that waits for several children suspends again after each of them. */
function withoutRepeats(events: readonly JournalEvent[]): JournalEvent[] {
  let last: string | undefined;
  return events.filter((event) => {
    if (event.type === "CHILD_RUN_COMPLETED") return true;
    const kind = event.type === "RUN_SUSPENDED" ? event.payload.waitingOn.kind : undefined;
    const isRepeated = kind !== undefined && BELOW.has(kind) && (kind === last || last === "child_hitl");
    if (!isRepeated) last = kind;
    return !isRepeated;
  });
}

const BELOW: ReadonlySet<string> = new Set(["child", "child_hitl"]);

function timelineLines(entry: TimelineEntry, page: Page): string[] {
  const head = `${page.paint("dim", clockTime(entry.ts))}  `;
  const line = fitLine({ head, text: paintEntry(entry, page.paint) }, page);
  // The detail of a call says that it ran as approved.
  if (entry.kind !== "tool" || entry.detail === undefined) return line;
  const under = " ".repeat(visibleWidth(head));
  return [...line, ...fitLine({ head: under, text: page.paint("dim", plainLine(entry.detail)) }, page)];
}
