import { describe, expect, test } from "vitest";
import { cellsOf, createScreen, fitted } from "./screen.ts";
import { table } from "./table.ts";
import { wrapText } from "./words.ts";

function terminal(env: Record<string, string> = {}, isTTY = true) {
  const pieces: string[] = [];
  const out = { isTTY, columns: 20, write: (text: string) => pieces.push(text) };
  return { screen: createScreen(out, env), written: () => pieces.join("") };
}

describe("a screen", () => {
  test("V2: the status line is gone before anything else is written", () => {
    const { screen, written } = terminal();
    screen.status("busy");
    screen.line("done");
    expect(written()).toBe("\u001b[2mbusy\u001b[22m\r\u001b[2Kdone\n");
  });

  test("a status line never wraps, and never interrupts a line that is open", () => {
    const { screen, written } = terminal();
    screen.status("x".repeat(50));
    expect(written()).toContain(`${"x".repeat(18)}…`);
    screen.stream("half");
    const before = written();
    screen.status("busy");
    expect(written()).toBe(before);
    screen.line("next");
    expect(written().endsWith("half\nnext\n")).toBe(true);
  });

  test("a question is asked again below what was written after it, and only then", () => {
    const { screen, written } = terminal({ NO_COLOR: "1" });
    screen.prompt("well? ");
    screen.redraw();
    screen.line("news");
    screen.redraw();
    expect(written()).toBe("well? \nnews\nwell? ");
    screen.prompt(undefined);
    screen.line("more");
    screen.redraw();
    expect(written()).toBe("well? \nnews\nwell? \nmore\n");
  });

  test.each([
    ["NO_COLOR", { NO_COLOR: "1" }, true],
    ["TERM=dumb", { TERM: "dumb" }, true],
    ["[U49] ACCESSIBLE", { ACCESSIBLE: "1" }, true],
    ["no terminal", {}, false],
  ])("plain lines only: %s", (_, env, isTTY) => {
    const { screen, written } = terminal(env, isTTY);
    screen.status("busy");
    screen.line(screen.paint("red", "bad"));
    expect(written()).toBe("bad\n");
  });
});

test("wide characters count as two cells, marks as none", () => {
  expect(cellsOf("日本")).toBe(4);
  expect(cellsOf("e\u0301")).toBe(1);
  expect(fitted("日本語", 5)).toBe("日本…");
  expect(fitted("short", 5)).toBe("short");
});

test("text is broken between words; a word that is longer than a line stays whole", () => {
  expect(wrapText("one two three four", 9)).toBe("one two \nthree \nfour");
  expect(wrapText("a\nverylongword b", 6)).toBe("a\nverylongword \nb");
});

test("a table aligns its columns, colours or not, and fits its last cell to the line", () => {
  const rows = [
    ["a", "\u001b[31mbad\u001b[39m", "first task"],
    ["long", "ok", "second task that is too long"],
  ];
  expect(table(rows, 24)).toEqual(["a     \u001b[31mbad\u001b[39m  first task", "long  ok   second task…"]);
  expect(table([], 24)).toEqual([]);
});
