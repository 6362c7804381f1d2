// The text that the person is typing: a small editor with a history. It does not depend on the terminal.

import type { KeyPress } from "../view/live/ink.ts";
import { type Area, cellWidth, type Paint } from "../view/screen.ts";
import { plain } from "../view/text/plain.ts";

export interface Composer {
  text(): string;
  set(text: string): void;
  insert(text: string): void;
  /** Handles a key that edits the text. Returns false if the key edits nothing. */
  press(key: KeyPress): boolean;
  /** Empties the editor and returns its text, which becomes the latest entry of the history. */
  take(): string;
  /** Draws the text with its cursor. The label precedes the first line. */
  draw(label: string, area: Area, paint: Paint): string[];
}

export function createComposer(history: string[] = []): Composer {
  let text = "";
  let cursor = 0;
  /** Position in the history. The text that was being typed is kept after the last entry. */
  let at = history.length;
  let draft = "";

  function set(next: string): void {
    text = next;
    cursor = next.length;
  }

  function insert(piece: string): void {
    const added = plain(piece.replaceAll("\r\n", "\n").replaceAll("\r", "\n")).replaceAll("\t", "  ");
    text = text.slice(0, cursor) + added + text.slice(cursor);
    cursor += added.length;
  }

  function remove(from: number, to: number): void {
    text = text.slice(0, from) + text.slice(to);
    cursor = from;
  }

  function recall(step: number): void {
    const next = at + step;
    if (next < 0 || next > history.length) return;
    if (at === history.length) draft = text;
    at = next;
    set(at === history.length ? draft : history[at]!);
  }

  const lineStart = (): number => text.lastIndexOf("\n", cursor - 1) + 1;
  const lineEnd = (): number => `${text}\n`.indexOf("\n", cursor);
  const before = (): number => cursor - (Array.from(text.slice(0, cursor)).at(-1)?.length ?? 0);
  const after = (): number => cursor + (Array.from(text.slice(cursor))[0]?.length ?? 0);
  const wordStart = (): number => /\S*\s*$/.exec(text.slice(0, cursor))!.index;

  /** Moves to the line above or below. Beyond the first and the last line, moves through the history. */
  function moveLine(step: -1 | 1): void {
    const lines = text.split("\n");
    const row = text.slice(0, cursor).split("\n").length - 1;
    const target = lines[row + step];
    const start = lines.slice(0, row + step).reduce((sum, line) => sum + line.length + 1, 0);
    if (target === undefined) recall(step);
    else moveTo(start + Math.min(cursor - lineStart(), target.length));
  }

  function moveTo(position: number): void {
    cursor = position;
  }

  const keys: Partial<Record<string, () => void>> = {
    up: () => moveLine(-1),
    down: () => moveLine(1),
    left: () => moveTo(before()),
    right: () => moveTo(after()),
    home: () => moveTo(lineStart()),
    end: () => moveTo(lineEnd()),
    backspace: () => remove(before(), cursor),
    delete: () => remove(cursor, after()),
    "ctrl-a": () => moveTo(lineStart()),
    "ctrl-e": () => moveTo(lineEnd()),
    "ctrl-u": () => remove(lineStart(), cursor),
    "ctrl-k": () => remove(cursor, lineEnd()),
    "ctrl-w": () => remove(wordStart(), cursor),
    "ctrl-p": () => recall(-1),
    "ctrl-n": () => recall(1),
    "ctrl-j": () => insert("\n"),
    "alt-return": () => insert("\n"),
  };

  return {
    text: () => text,
    set,
    insert,
    press({ name, text: typed, ctrl, alt }) {
      const id = `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${name ?? (ctrl ? typed : "")}`;
      const edit = keys[id];
      if (edit) edit();
      else if (name === undefined && !ctrl && !alt && typed !== "") insert(typed);
      else return false;
      return true;
    },
    take() {
      const taken = text.trim();
      if (taken !== "" && history.at(-1) !== taken) history.push(taken);
      at = history.length;
      draft = "";
      set("");
      return taken;
    },
    draw: (label, area, paint) => drawText({ text, cursor, label }, area, paint),
  };
}

/** Draws the rows around the cursor. The cursor is a character in inverse video, because Ink hides the cursor of the terminal. */
function drawText(
  { text, cursor, label }: { text: string; cursor: number; label: string },
  { columns, rows }: Area,
  paint: Paint,
): string[] {
  const indent = " ".repeat(cellWidth(label));
  const width = Math.max(4, columns - cellWidth(label) - 1);
  const lines = [""];
  let [cells, index, cursorRow] = [0, 0, 0];
  for (const character of `${text} `) {
    const isCursor = index === cursor;
    index += character.length;
    const size = character === "\n" ? 1 : cellWidth(character);
    if (cells + size > width) {
      lines.push("");
      cells = 0;
    }
    if (isCursor) cursorRow = lines.length - 1;
    const shown = character === "\n" ? " " : character;
    if (isCursor) lines[lines.length - 1] += paint("inverse", shown);
    else if (character !== "\n") lines[lines.length - 1] += shown;
    cells += size;
    if (character !== "\n") continue;
    lines.push("");
    cells = 0;
  }
  const from = Math.max(0, Math.min(cursorRow - rows + 1, lines.length - rows));
  return lines.slice(from, from + rows).map((line, row) => (from + row === 0 ? label : indent) + line);
}
