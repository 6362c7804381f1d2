// A tree of runs as it happens. `tree`: what the top does, line by line, words as they stream, and below it a drawing of
// all runs that changes in its place. `lines`, and wherever there is no terminal: one line for each thing that happens
// anywhere, and as soon as there is more than one run each line says whose it is.
// Folds the same journals with the same words as every other reader.

import type { Delta } from "../../journal/deltas.ts";
import type { EventOf, JournalEvent } from "../../journal/events.ts";
import { textOf } from "../../journal/message.ts";
import type { TimelineEntry } from "../../projections/timeline.ts";
import { todoText, turnOf } from "./doing.ts";
import { fitLine } from "./fit.ts";
import { isNews, isToldByTree, isToldOtherwise, linesOf } from "./lines.ts";
import { createLiveTree, type LiveRun, type LiveTree, pathText } from "./live-tree.ts";
import { plain, plainLine } from "./plain.ts";
import { fitted, type Screen } from "./screen.ts";
import { treeLines } from "./tree-lines.ts";
import { createWords } from "./words.ts";

export interface LiveView {
  readonly tree: LiveTree;
  event(event: JournalEvent): void;
  delta(delta: Delta): void;
  /** Draws anew what goes on right now; call it now and then. */
  tick(now: number): void;
  /** Takes that away. */
  rest(): void;
  /** The tree as it stands, to stay on the screen; nothing where lines have told of it. */
  drawing(now: number): string[];
  /** The words of the top that were shown last, so that an end does not say them twice. */
  lastWords(): string;
}

export function createLiveView(screen: Screen, style: "tree" | "lines" = "tree"): LiveView {
  const tree = createLiveTree();
  const draws = screen.rich && style === "tree";
  const isAlone = (): boolean => tree.runs.size === 1;
  const show = createShow(screen, tree, draws);
  const drawing = (now: number): string[] => {
    const { columns, room, paint } = screen;
    return draws && tree.top && !isAlone() ? treeLines(tree.top, { now, columns, room, paint }) : [];
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
      else if (delta.type !== "reasoning.delta") run?.doing.output(delta.text);
    },
    tick(now) {
      if (!screen.rich) return;
      const status = draws && !isAlone() ? undefined : statusOf(tree, now);
      const line = status === undefined ? [] : [screen.paint("dim", fitted(status, screen.columns - 1))];
      screen.live([...drawing(now), ...line]);
    },
    rest: () => screen.live([]),
    drawing,
    lastWords: show.lastWords,
  };
}

function createShow(screen: Screen, tree: LiveTree, draws: boolean) {
  const words = createWords(screen);
  const models = new Set<string>();
  let last = "";
  const isTop = (run: LiveRun): boolean => run === tree.top;

  /** Every line says whose it is, unless it can only be one's. */
  function say(run: LiveRun, lines: readonly string[]): void {
    const isClear = tree.runs.size === 1 || (draws && isTop(run));
    const who = isClear ? "" : `${screen.paint("dim", pathText(run))}  `;
    for (const line of lines.flatMap((text) => fitLine({ head: who, text, next: "  " }, screen)))
      screen.line(line);
  }

  function thought(run: LiveRun, { payload }: EventOf<"AGENT_THOUGHT">): void {
    const text = textOf(payload.content).trim();
    const isSpoken = screen.rich && isTop(run) && (draws || tree.runs.size === 1);
    if (isSpoken) words.settle(text);
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
      else if (draws && (isTop(run) ? isToldByTree(event) : !isNews(event))) return;
      else if (event.type === "AGENT_THOUGHT") thought(run, event);
      else if (entry && !isToldOtherwise(event)) say(run, linesOf({ run, event, entry, tree }, screen));
    },
    piece: words.piece,
    lastWords: () => last,
  };
}

/** Who does what, in which turn, for how long; with several at work, the one that was heard of last. */
function statusOf({ runs }: LiveTree, now: number): string | undefined {
  const busy = [...runs.values()]
    .filter(({ state, doing }) => state.waitingOn?.kind !== "child" && doing.now(now) !== undefined)
    .sort((left, right) => right.state.updatedAt - left.state.updatedAt);
  const [run, ...others] = busy;
  if (!run) return undefined;
  const { what, time, output } = run.doing.now(now)!;
  const more = others.length === 0 ? [] : [`${others.length} more at work`];
  const told = [output, todoText(run.state)].filter((text) => text !== "");
  return [pathText(run), turnOf(run.state), what, time, ...told, ...more].join(" · ");
}

/** What a model is called wherever its words are shown. */
export function modelLabel(model: string): string {
  const name = plainLine(model);
  return name.startsWith("scripted/") ? `${name} (scripted)` : name;
}
