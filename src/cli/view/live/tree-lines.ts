// Draws a running tree with one line per run. If space is short, ended runs are left out first, and runs that need a person last.

import { openItems } from "../../../projections/folds/approvals.ts";
import { totalTokens } from "../../../projections/usage/run-usage.ts";
import { describeCall } from "../../../projections/views/timeline.ts";
import { elapsed, plural, shortCost, shortCount } from "../../../projections/words/format.ts";
import { waitText } from "../../../projections/words/waits.ts";
import { cellWidth, type Paint, truncate } from "../screen.ts";
import { allNodes, branches, chooseShown } from "../text/branches.ts";
import { plainLine } from "../text/plain.ts";
import { todoText } from "./activity.ts";
import { hasEnded, type LiveRun, type Mark, markOf, needsPerson } from "./live-tree.ts";

export interface TreeLayout {
  now: number;
  columns: number;
  room: number;
  paint: Paint;
}

export interface TreePicture {
  lines: string[];
  /** Number of runs that did not fit into the drawing. */
  hidden: number;
}

export function treeLines(top: LiveRun, { now, columns, room, paint }: TreeLayout): TreePicture {
  const all = allNodes(top);
  if (room < SMALLEST) return { lines: [], hidden: 0 };
  const few = chooseShown(top, room, { hasEnded, urgency });
  const shown = branches(top, (run) => few.has(run));
  const width = Math.max(...shown.map(({ node, branch }) => cellWidth(branch) + cellWidth(node.name)));
  const facts = columnsOf(shown.map(({ node }) => factsOf(node, now, columns)));
  const lines = shown.map(({ node, branch }, index) => {
    const name = " ".repeat(width - cellWidth(branch) - cellWidth(node.name));
    const room = Math.max(8, columns - width - 6 - cellWidth(facts[index]!));
    const what = truncate(`${whatOf(node, now)}${hiddenBelow(node, few)}`, room);
    const task = taskOf(node, top, room - cellWidth(what));
    const gap = " ".repeat(room - cellWidth(what) - cellWidth(task) + 1);
    const mark = markOf(node);
    const [before, after] = [
      `${paint("dim", branch)}${paint(COLOURS[mark], mark)}`,
      paint("dim", facts[index]!),
    ];
    return `${before} ${paint("bold", node.name)}${name}  ${paint(COLOURS[mark], what)}${paint("dim", task)}${gap}${after}`;
  });
  return { lines, hidden: all.length - few.size };
}

/** Minimum number of rows. With fewer rows, nothing is drawn. */
const SMALLEST = 2;

const COLOURS: Record<Mark, Parameters<Paint>[0]> = {
  "✓": "green",
  "✗": "red",
  "?": "yellow",
  "●": "cyan",
  "○": "dim",
};

/** Ranks runs by urgency. Among ended runs, the run that ended last is the most urgent. */
const urgency = (run: LiveRun): number =>
  ["✓", "✗", "○", "●", "?"].indexOf(markOf(run)) + (run.state.end?.ts ?? 0) / FAR_FUTURE;

const FAR_FUTURE = 1e14;

function whatOf(run: LiveRun, now: number): string {
  const { state, activity } = run;
  if (state.end) return plainLine(state.end.summary);
  if (state.cancel) return "stopping";
  if (needsPerson(run)) return neededOf(run);
  if (state.waitingOn?.kind === "child_hitl") return `waiting for ${belowOf(run)}`;
  const current = activity.now(now);
  if (!current) return "about to start";
  const { what, time, output } = current;
  const isLong = state.status === "running" && current.ms >= 10_000;
  const more = [output, todoText(state)].filter((text) => text !== "");
  return [`${what}${isLong || current.isCountdown ? ` (${time})` : ""}`, ...more].join(" · ");
}

const belowOf = ({ state }: LiveRun): string => `${plural(state.waitingOn?.items?.length ?? 0, "run")} below`;

function neededOf({ state }: LiveRun): string {
  const [item] = openItems(state);
  if (item)
    return `needs you: ${plainLine(item.tool === undefined ? (item.detail ?? item.kind) : describeCall(item.tool, item.input))}`;
  const { waitingOn } = state;
  if (waitingOn?.kind === "paused") return waitingOn.frozen ? "frozen" : "paused";
  return `needs you: ${plainLine(waitText(waitingOn) ?? "an approval")}`;
}

/** Returns the task if there is room for it. The task distinguishes runs of the same agent. */
function taskOf(run: LiveRun, top: LiveRun, room: number): string {
  if (run === top || run.state.end || room < 12) return "";
  return truncate(` · ${plainLine(run.state.start?.task ?? "")}`, room);
}

function hiddenBelow(run: LiveRun, shown: ReadonlySet<LiveRun>): string {
  const hidden = allNodes(run).filter((below) => !shown.has(below)).length;
  return hasEnded(run) && hidden > 0 ? ` (+${hidden} below)` : "";
}

/** Formats turns, tokens, cost and time. On a narrow terminal it formats only the time. */
function factsOf({ state }: LiveRun, now: number, columns: number): string[] {
  const { turns, usage, end, createdAt } = state;
  const time = elapsed((end?.ts ?? now) - createdAt);
  if (columns < 60) return [time];
  const isWide = columns >= 100;
  const used = shortCount(totalTokens(usage));
  return [plural(turns, "turn"), isWide ? `${used} tokens` : `${used} tok`, shortCost(usage), time];
}

/** Aligns the turns, tokens, cost and time of all runs in columns. */
function columnsOf(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => cellWidth(row[column]!))));
  return rows.map((row) => row.map((fact, column) => fact.padStart(widths[column]!)).join(" · "));
}
