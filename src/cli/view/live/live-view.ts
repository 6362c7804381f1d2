// The live view of a tree: a drawing of all runs that is updated in place, and permanent lines above the drawing.
// The style `tree` prints the text of the top run, and only important events of the other runs.
// The style `lines` prints a line for every event of every run. If there are several runs, each line names its run.
// If there is no terminal, both styles print a line for every event.

import type { Delta } from "../../../journal/deltas.ts";
import type { EventOf, JournalEvent } from "../../../journal/events.ts";
import { textOf } from "../../../journal/message.ts";
import type { TimelineEntry } from "../../../projections/views/timeline.ts";
import { type Area, type Screen, truncate } from "../screen.ts";
import { fitLine } from "../text/fit.ts";
import { jsonLine, plain, plainLine } from "../text/plain.ts";
import { createStreamedWords } from "../text/word-wrap.ts";
import { eventLines, isNews, isShownByTree, isShownElsewhere } from "./event-lines.ts";
import { createLiveTree, type LiveRun, type LiveTree, pathText } from "./live-tree.ts";
import { statusLine } from "./status-line.ts";
import { type TreeLayout, type TreePicture, treeLines } from "./tree-lines.ts";

export interface LiveView {
  readonly tree: LiveTree;
  event(event: JournalEvent): void;
  delta(delta: Delta): void;
  /** Redraws the current activity. Must be called regularly. */
  tick(now: number): void;
  /** Removes the drawing. */
  clear(): void;
  /** Returns the final drawing of the tree. Returns no lines if the printed lines have already shown everything. */
  drawing(now: number): string[];
  /** Returns the last text of the top run. The summary must not repeat this text. */
  lastWords(): string;
}

/** A view that shows nothing. It only knows the state of the tree. */
export function createSilentView(): LiveView {
  const tree = createLiveTree();
  return {
    tree,
    event: (event) => void tree.apply(event),
    delta: () => {},
    tick: () => {},
    clear: () => {},
    drawing: () => [],
    lastWords: () => "",
  };
}

export interface LiveViewOptions {
  style: "tree" | "lines";
  /** The permission preset for runs that set none. */
  preset: string;
  /** The models that were named before, if the view continues a conversation. It then begins without the run's headline. */
  named?: Set<string>;
}

export function createLiveView(screen: Screen, { style, preset, named }: LiveViewOptions): LiveView {
  const tree = createLiveTree();
  const draws = screen.rich && style === "tree";
  const isAlone = (): boolean => tree.runs.size === 1;
  const show = createShow(screen, tree, { draws, named });
  const picture = ({ columns, rows }: Area, now: number) => {
    const { paint } = screen;
    if (!tree.top) return { lines: [], status: "" };
    const place = { now, columns, room: rows, paint };
    const { lines, hidden } = isAlone() ? latestOutput(tree.top, place) : treeLines(tree.top, place);
    const status = statusLine([...tree.runs.values()], { now, preset, hidden }, columns - 1);
    return { lines, status: paint("dim", status) };
  };
  return {
    tree,
    event(event) {
      const { run, entry } = tree.apply(event);
      show.event(run, event, entry);
    },
    delta(delta) {
      const run = tree.runs.get(delta.runId);
      if (delta.type === "text.delta" && isAlone() && run) show.piece(delta);
      else if (delta.type !== "reasoning.delta") run?.activity.output(delta.text);
    },
    tick(now) {
      screen.live((room) => picture(room, now));
    },
    clear: () => screen.live(undefined),
    drawing(now) {
      if (!draws || isAlone()) return [];
      const { lines, status } = picture({ columns: screen.columns, rows: screen.rows - 2 }, now);
      return [...lines, status];
    },
    lastWords: show.lastWords,
  };
}

function createShow(
  screen: Screen,
  tree: LiveTree,
  { draws, named }: { draws: boolean; named: Set<string> | undefined },
) {
  const words = createStreamedWords(screen);
  const models = named ?? new Set<string>();
  let last = "";
  const isTop = (run: LiveRun): boolean => run === tree.top;

  /** Writes the name of the run in front of its lines, unless it is clear which run they belong to. */
  function say(run: LiveRun, lines: readonly string[]): void {
    const isClear = tree.runs.size === 1 || (draws && isTop(run));
    const who = isClear ? "" : `${screen.paint("dim", pathText(run))}  `;
    for (const line of lines.flatMap((text) => fitLine({ head: who, text, next: "  " }, screen)))
      screen.line(line);
  }

  function thought(run: LiveRun, { payload }: EventOf<"AGENT_THOUGHT">): void {
    const text = textOf(payload.content).trim();
    const isSpoken = screen.rich && isTop(run) && (draws || tree.runs.size === 1);
    if (isSpoken) words.finish(text);
    else if (text !== "") say(run, plain(text).split("\n"));
    if (isTop(run) && text !== "") last = text;
  }

  function modelCall(run: LiveRun, { payload }: EventOf<"MODEL_CALL_STARTED">): void {
    const { callId, attempt = 1, model } = payload;
    if (isTop(run)) words.expect(callId, attempt);
    if (models.has(model)) return;
    models.add(model);
    say(run, [screen.paint("dim", `model ${modelLabel(model)}`)]);
  }

  return {
    event(run: LiveRun, event: JournalEvent, entry: TimelineEntry | undefined): void {
      if (event.type === "MODEL_CALL_STARTED") modelCall(run, event);
      else if (named && isTop(run) && event.type === "RUN_STARTED") return;
      else if (draws && (isTop(run) ? isShownByTree(event) : !isNews(event))) return;
      else if (event.type === "AGENT_THOUGHT") thought(run, event);
      else if (entry && !isShownElsewhere(event)) say(run, eventLines({ run, event, entry, tree }, screen));
    },
    piece: words.piece,
    lastWords: () => last,
  };
}

/** Draws the latest output of a single run. If there are several runs, the tree shows the output next to each run's activity. */
function latestOutput({ activity }: LiveRun, { now, columns, paint }: TreeLayout): TreePicture {
  const output = activity.now(now)?.output ?? "";
  return { lines: output === "" ? [] : [paint("dim", truncate(`  ${output}`, columns - 1))], hidden: 0 };
}

/** Formats a model's name for people, and marks a scripted model. */
export function modelLabel(model: string): string {
  const name = plainLine(model);
  return name.startsWith("scripted/") ? `${name} (scripted)` : name;
}

export function createJsonView(print: (line: string) => void): LiveView {
  const tree = createLiveTree();
  return {
    tree,
    event(event) {
      tree.apply(event);
      print(jsonLine(event));
    },
    delta() {},
    tick() {},
    clear() {},
    drawing: () => [],
    lastWords: () => "",
  };
}
