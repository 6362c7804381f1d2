// What stands below the lines that are there for good: the words that are being said, a picture of what goes on, the
// question with what it is about, and the status line. Pure: the same state and window are the same lines.
//  TV1  Never as tall as the window: what is taller cannot be drawn anew without clearing the screen.
//  TV2  A card is shown whole or not at all: one that does not fit is written as lines that stay (A17).

import { type Area, type Draw, type Question, visibleWidth } from "../screen.ts";
import { wrapText } from "../text/word-wrap.ts";

/** So much of the window is for the picture: the lines above it are to be read as well. */
const SHARE = 0.6;
const FEW = 8;

export interface FrameState {
  /** A line that has no end yet. */
  open: string;
  draw: Draw | undefined;
  question: Question | undefined;
  /** The question's card stands above, as lines. */
  isCardWritten: boolean;
}

export function renderFrame({ open, draw, question, isCardWritten }: FrameState, window: Area): string[] {
  const { columns } = window;
  const most = window.rows - 1;
  const asked = question ? askedLines(question, isCardWritten, columns) : [];
  const said = open === "" ? [] : [open];
  // Above the picture stands an empty line, below it the status.
  const free = Math.max(0, most - said.length - asked.length - 2);
  const room = Math.min(free, Math.max(FEW, Math.floor(window.rows * SHARE)));
  const { lines = [], status = "" } = draw?.({ columns, rows: room }) ?? {};
  const picture = lines.length === 0 || room === 0 ? [] : ["", ...lines.slice(0, room)];
  const last = status === "" ? [] : [status];
  return [...said, ...picture, ...asked, ...last].slice(-most);
}

/** A word that is wider than the window would be cut off in a frame; as a line that stays it goes on in the next row. */
export function fitsCard(question: Question, open: string, { columns, rows }: Area): boolean {
  const said = open === "" ? 0 : 1;
  const isTooWide = question.card().some((line) => visibleWidth(line) > columns);
  return !isTooWide && said + askedLines(question, false, columns).length + 1 < rows;
}

function askedLines(question: Question, isCardWritten: boolean, columns: number): string[] {
  const card = isCardWritten ? [] : question.card();
  return [...card, ...wrapText(question.text(), columns - 1).split("\n")];
}
