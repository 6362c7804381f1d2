import fc from "fast-check";
import { expect, test } from "vitest";
import { ansiSpans } from "./ansi-spans.ts";

const ESC = "\u001b";

test("[A64] a colour code sets the style of the text until the reset code", () => {
  expect(ansiSpans(`a${ESC}[1;31mb${ESC}[22mc${ESC}[0md`)).toEqual([
    { text: "a", style: {} },
    { text: "b", style: { bold: true, colour: 1 } },
    { text: "c", style: { colour: 1 } },
    { text: "d", style: {} },
  ]);
});

test("[A64] 256-colour and RGB codes map to the nearest of eight colours", () => {
  expect(
    ansiSpans(`${ESC}[38;5;196mx${ESC}[38;2;0;200;0my${ESC}[48;5;21mz`).map(({ style }) => style),
  ).toEqual([{ colour: 1 }, { colour: 2 }, { colour: 2, background: 4 }]);
});

test("[A64] a colour code can start with the CSI character U+009B instead of ESC and [", () => {
  expect(ansiSpans("\u009b31mx")).toEqual([{ text: "x", style: { colour: 1 } }]);
});

test("[A64] cursor and clear sequences are removed; title, link and clipboard sequences stay visible", () => {
  expect(ansiSpans(`a${ESC}[2J${ESC}[1Ab`).map(({ text }) => text)).toEqual(["a", "b"]);
  expect(ansiSpans(`${ESC}]52;c;ZXZpbA==\u0007`)).toEqual([
    { text: `${ESC}]52;c;ZXZpbA==\u0007`, style: {} },
  ]);
});

test("[A64] hidden text and text overwritten by a carriage return are shown", () => {
  expect(ansiSpans(`${ESC}[8msecret`)).toEqual([{ text: "secret", style: {} }]);
  expect(ansiSpans("rm -rf /\rls")).toEqual([{ text: "rm -rf /\nls", style: {} }]);
});

test("[A64] a text without control sequences stays unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      fc.pre(!/[\u001b\u009b\r]/.test(text));
      expect(
        ansiSpans(text)
          .map((span) => span.text)
          .join(""),
      ).toBe(text);
    }),
  );
});
