// Renders the frame below the permanent lines. It shows the streamed text, the current activity, the question with its card, and the status line.
// The functions are pure: the same state and window size always produce the same lines.
//  TV1  A frame is always shorter than the window. A taller frame could not be redrawn without clearing the screen.
//  TV2  A card is shown in full or not at all. A card that is too tall for the frame is written as permanent lines (A17).

import { type Area, type Draw, type Question, visibleWidth } from "../screen.ts";
import { wrapText } from "../text/word-wrap.ts";

/** The largest share of the window's rows that the drawing can use. The other rows are for the lines above the drawing. */
const SHARE = 0.6;
const FEW = 8;

export interface FrameState {
  /** The unfinished last line of the streamed text. */
  open: string;
  draw: Draw | undefined;
  question: Question | undefined;
  /** True if the question's card was written as permanent lines. */
  isCardWritten: boolean;
  /** Draws the text that the person is typing. It is always the last part of the frame. */
  composer?: ((room: Area) => readonly string[]) | undefined;
}

export function renderFrame(state: FrameState, window: Area): string[] {
  const { open, draw, question, isCardWritten } = state;
  const { columns } = window;
  const typed = composerLines(state, window);
  const most = window.rows - 1 - typed.length;
  const asked = question ? askedLines(question, isCardWritten, columns) : [];
  const said = open === "" ? [] : [open];
  // Two rows are reserved: the empty line above the drawing, and the status line below the drawing.
  const free = Math.max(0, most - said.length - asked.length - 2);
  const room = Math.min(free, Math.max(FEW, Math.floor(window.rows * SHARE)));
  const { lines = [], status = "" } = draw?.({ columns, rows: room }) ?? {};
  const picture = lines.length === 0 || room === 0 ? [] : ["", ...lines.slice(0, room)];
  const last = status === "" ? [] : [status];
  return [...[...said, ...picture, ...asked, ...last].slice(-most), ...typed];
}

/** The part of the window that the composer leaves free. */
export const areaAbove = (state: FrameState, { columns, rows }: Area): Area => ({
  columns,
  rows: rows - composerLines(state, { columns, rows }).length,
});

/** The composer gets at most half of the window, so that the question above it stays visible. */
const composerLines = ({ composer }: FrameState, { columns, rows }: Area): readonly string[] =>
  composer?.({ columns, rows: Math.floor(rows / 2) }) ?? [];

/** Whether the card fits into the frame. A frame would cut off a word that is wider than the window, but permanent lines wrap the word. */
export function fitsCard(question: Question, open: string, { columns, rows }: Area): boolean {
  const said = open === "" ? 0 : 1;
  const isTooWide = question.card().some((line) => visibleWidth(line) > columns);
  return !isTooWide && said + askedLines(question, false, columns).length + 1 < rows;
}

function askedLines(question: Question, isCardWritten: boolean, columns: number): string[] {
  const card = isCardWritten ? [] : question.card();
  return [...card, ...wrapText(question.text(), columns - 1).split("\n")];
}
