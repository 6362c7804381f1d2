// A64: parses the output of a program into coloured spans. Only colour sequences are interpreted.
// Sequences that move the cursor or clear the screen are removed.
// All other sequences (titles, clipboard, links) stay in the text as visible characters.
// Hidden text is shown too, even if the program marks it as hidden.

export interface AnsiStyle {
  colour?: number;
  background?: number;
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
}

export interface AnsiSpan {
  text: string;
  style: AnsiStyle;
}

const CSI = /(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~])/g;

export function ansiSpans(output: string): AnsiSpan[] {
  const text = output.replace(/\r(?!\n)/g, "\n");
  const spans: AnsiSpan[] = [];
  let style: AnsiStyle = {};
  let at = 0;
  const take = (upTo: number) => {
    if (upTo > at) spans.push({ text: text.slice(at, upTo), style });
  };
  for (const { index, 0: sequence, 1: parameters = "", 2: final } of text.matchAll(CSI)) {
    take(index);
    at = index + sequence.length;
    if (final === "m") style = applyCodes(style, parameters);
  }
  take(text.length);
  return spans;
}

function applyCodes(before: AnsiStyle, parameters: string): AnsiStyle {
  const codes = parameters.split(/[;:]/).map(Number);
  let style = { ...before };
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index]!;
    if (code === 38 || code === 48) {
      const [colour, used] = wideColour(codes, index + 1);
      style = {
        ...style,
        ...(colour === undefined ? {} : { [code === 38 ? "colour" : "background"]: colour }),
      };
      index += used;
    } else style = withCode(style, code);
  }
  return style;
}

function withCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 0) return {};
  const [tens, ones] = [Math.floor(code / 10), code % 10];
  if (ones <= 7 && (tens === 3 || tens === 9)) return { ...style, colour: ones };
  if (ones <= 7 && (tens === 4 || tens === 10)) return { ...style, background: ones };
  const ended = ENDS[code];
  if (!ended) return { ...style, ...BEGINS[code] };
  const kept = { ...style };
  for (const name of ended) delete kept[name];
  return kept;
}

const BEGINS: Record<number, AnsiStyle> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
};

const ENDS: Record<number, (keyof AnsiStyle)[]> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  39: ["colour"],
  49: ["background"],
};

/** Maps `5;n` and `2;r;g;b` to the nearest of eight colours, and returns the number of codes used. */
function wideColour(codes: readonly number[], at: number): [colour: number | undefined, used: number] {
  if (codes[at] === 2) return [nearest(codes.slice(at + 1, at + 4)), 4];
  if (codes[at] !== 5) return [undefined, 0];
  const index = codes[at + 1] ?? 0;
  if (index < 16) return [index % 8, 2];
  if (index > 231) return [index < 244 ? 0 : 7, 2];
  const cube = index - 16;
  return [nearest([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((part) => part * 51)), 2];
}

const nearest = (rgb: readonly number[]): number =>
  rgb.reduce((bits, part, index) => bits + (part > 127 ? 2 ** index : 0), 0);
