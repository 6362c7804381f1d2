import { describe, expect, test } from "vitest";
import type { Draw } from "../screen.ts";
import { type FrameState, fitsCard, renderFrame } from "./frame.ts";

const nothing: FrameState = { open: "", draw: undefined, question: undefined, isCardWritten: false };
const tall: Draw = ({ rows }) => ({
  lines: Array.from({ length: rows }, (_, row) => `run ${row}`),
  status: "status",
});
const question = { card: () => ["", "pen wants this", "  rm x", ""], text: () => "[a]pprove  [r]eject" };
const window = { columns: 40, rows: 12 };

describe("the frame", () => {
  test("a frame shows, from top to bottom: the streamed text, the drawing, the question, and the status line", () => {
    const draw: Draw = () => ({ lines: ["● lead", "└─ ● pen"], status: "status" });
    expect(renderFrame({ ...nothing, open: "I look at", draw, question }, window)).toEqual([
      "I look at",
      "",
      "● lead",
      "└─ ● pen",
      "",
      "pen wants this",
      "  rm x",
      "",
      "[a]pprove  [r]eject",
      "status",
    ]);
    expect(renderFrame(nothing, window)).toEqual([]);
  });

  test.each([3, 6, 8, 12, 24, 60])(
    "[TV1] a frame is shorter than a window of %d rows, even if there is too much to draw",
    (rows) => {
      for (const going of [
        { ...nothing, draw: tall },
        { ...nothing, draw: tall, open: "word" },
        { ...nothing, draw: tall, open: "word", question },
      ]) {
        const lines = renderFrame(going, { columns: 40, rows });
        expect(lines.length).toBeLessThan(rows);
        expect(lines.at(-1)).toBe("status");
      }
    },
  );

  test("[TV2] [A17] a frame shows a card in full or not at all", () => {
    expect(fitsCard(question, "", { columns: 40, rows: 7 })).toBe(true);
    expect(fitsCard(question, "", { columns: 40, rows: 6 })).toBe(false);
    expect(fitsCard(question, "", { columns: 12, rows: 7 })).toBe(false);
    const wide = { ...question, card: () => ["x".repeat(41)] };
    expect(fitsCard(wide, "", { columns: 41, rows: 24 })).toBe(true);
    expect(fitsCard(wide, "", { columns: 40, rows: 24 })).toBe(false);
    const lines = renderFrame(
      { ...nothing, draw: tall, question, isCardWritten: true },
      { columns: 40, rows: 6 },
    );
    expect(lines).toEqual(["", "run 0", "run 1", "[a]pprove  [r]eject", "status"]);
  });

  test("a frame wraps possible answers that are too long for one line", () => {
    const lines = renderFrame({ ...nothing, question, isCardWritten: true }, { columns: 12, rows: 12 });
    expect(lines).toEqual(["[a]pprove", "[r]eject"]);
  });
});
