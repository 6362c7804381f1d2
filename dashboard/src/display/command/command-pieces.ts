// A17: splits a command into pieces so that nothing in it can hide.
// Invisible characters are spelled out, look-alike letters are marked, and many blanks in a row collapse to a count.

import { revealHidden } from "../../../../src/journal/visible.ts";

export interface Piece {
  kind: "plain" | "hidden" | "alike" | "fold";
  text: string;
}

const FOLDED = /((?:[ \t]*\r?\n){5,}| {41,})/;
const BLANKS = /[\p{Z}--[\x20\u2028\u2029]]/gv;
const SPELLED = /(⟦U\+[0-9A-F]{4,6}⟧)/;

export function commandPieces(text: string): Piece[] {
  return text
    .split(FOLDED)
    .flatMap((part, at): Piece[] => (at % 2 === 1 ? foldOf(part) : spellOut(part)))
    .filter((piece) => piece.text !== "");
}

/** Whether the text contains anything that could mislead a reader. */
export function hasTricks(text: string): boolean {
  return commandPieces(text).some(({ kind }) => kind !== "plain");
}

function foldOf(blanks: string): Piece[] {
  const lines = blanks.split("\n").length - 1;
  const count = (lines || blanks.length).toLocaleString("en");
  const fold: Piece = { kind: "fold", text: `⟦${count} ${lines ? "empty lines" : "spaces"}⟧` };
  const newline: Piece = { kind: "plain", text: "\n" };
  return lines ? [newline, fold, newline] : [fold];
}

function spellOut(text: string): Piece[] {
  const shown = revealHidden(text).replace(BLANKS, codeOf);
  return shown
    .split(SPELLED)
    .flatMap((part, at): Piece[] => (at % 2 === 1 ? [{ kind: "hidden", text: part }] : letters(part)));
}

/** Marks look-alike letters word by word. A word in one alphabet gets no marks, unless all its letters look like Latin letters. */
function letters(text: string): Piece[] {
  return text.split(/([\p{L}\p{M}\p{N}]+)/u).flatMap((part, at): Piece[] => {
    if (at % 2 === 0 || !isDisguised(part)) return [{ kind: "plain", text: part }];
    return Array.from(
      part,
      (letter): Piece =>
        isAlike(letter)
          ? { kind: "alike", text: `${letter}${codeOf(letter)}` }
          : { kind: "plain", text: letter },
    );
  });
}

function isDisguised(word: string): boolean {
  const all = Array.from(word).filter((letter) => /\p{L}/u.test(letter));
  if (!all.some(isAlike)) return false;
  return all.some((letter) => /[a-z]/i.test(letter) || FORMS.test(letter)) || all.every(isAlike);
}

/** Full-width and mathematical letters. No normal word uses them. */
const FORMS = /[\uff01-\uff5e\u{1d400}-\u{1d7ff}]/u;
const ALIKE = new Set("асеорхуіјѕһԁԛԝґАВЕКМНОРСТУХІЈЅԌονραικτυΑΒΕΖΗΙΚΜΝΟΡΤΥΧօոսցհ");

const isAlike = (letter: string): boolean => ALIKE.has(letter) || FORMS.test(letter);

const codeOf = (character: string): string =>
  `⟦U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟧`;
