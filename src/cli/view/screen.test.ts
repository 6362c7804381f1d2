import { describe, expect, test } from "vitest";
import { cellsOf, createScreen, fitted } from "./screen.ts";
import { table } from "./table.ts";
import { visible } from "./visible.fixture.ts";
import { wrapText } from "./words.ts";

function terminal(env: Record<string, string> = {}, isTTY = true) {
  const pieces: string[] = [];
  const out = { isTTY, columns: 20, rows: 10, write: (text: string) => pieces.push(text) };
  const written = () => pieces.join("");
  return { screen: createScreen(out, env), written, seen: () => visible(written(), 20) };
}

describe("a screen", () => {
  test("[W2] the last lines are gone before anything else is written, and come again below it", () => {
    const { screen, written, seen } = terminal();
    screen.live(["busy"]);
    screen.line("done");
    expect(written()).toBe("busy\r\u001b[2Kdone\nbusy");
    screen.live(["one", "two"]);
    screen.line("more");
    expect(seen()).toEqual(["done", "more", "", "one", "two"]);
    screen.live([]);
    expect(seen()).toEqual(["done", "more", ""]);
  });

  test("[W2] what has not changed is not written again", () => {
    const { screen, written } = terminal();
    screen.live(["one", "two"]);
    const before = written();
    screen.live(["one", "two"]);
    screen.redraw();
    expect(written()).toBe(before);
  });

  test("[W2] lines that a narrower terminal has wrapped are taken away whole", () => {
    const pieces: string[] = [];
    const out = { isTTY: true, columns: 20, write: (text: string) => pieces.push(text) };
    const screen = createScreen(out, {});
    screen.live(["a".repeat(19), "b"]);
    out.columns = 10;
    screen.live([]);
    expect(pieces.at(-1)).toBe(`\r\u001b[2K${"\u001b[1A\u001b[2K".repeat(3)}`);
  });

  test("what goes on never interrupts a line that is open", () => {
    const { screen, seen } = terminal();
    screen.stream("half");
    screen.live(["busy"]);
    expect(seen()).toEqual(["half"]);
    screen.stream(" and");
    screen.line("next");
    expect(seen()).toEqual(["half and", "next", "busy"]);
  });

  test("a question stays below everything, says what is true now, and stays with its answer", () => {
    const { screen, seen } = terminal();
    let waiting = 1;
    screen.prompt({ text: () => `${waiting} well? `, above: 3 });
    screen.live(["one", "two"]);
    screen.line("news");
    expect(seen()).toEqual(["news", "one", "two", "1 well? "]);
    expect(screen.room).toBe(10 - 1 - 3 - 1);
    waiting = 2;
    screen.redraw();
    expect(seen().at(-1)).toBe("2 well? ");
    screen.answer("a");
    expect(seen()).toEqual(["news", "2 well? a", "", "one", "two"]);
    expect(screen.room).toBe(10 - 1 - 1);
  });

  test("without last lines a question is asked again below what was written after it, and only then", () => {
    const { screen, written } = terminal({ NO_COLOR: "1" });
    const question = { text: () => "well? ", above: 0 };
    screen.prompt(question);
    screen.redraw();
    screen.line("news");
    screen.redraw();
    expect(written()).toBe("well? \nnews\nwell? ");
    screen.prompt(undefined);
    screen.line("more");
    screen.redraw();
    expect(written()).toBe("well? \nnews\nwell? \nmore\n");
  });

  test("while somebody types, nothing is written; then all of it comes", () => {
    const { screen, seen, written } = terminal();
    screen.live(["busy"]);
    const release = screen.hold();
    const before = written();
    screen.line("news");
    screen.live(["busier"]);
    expect(written()).toBe(before);
    release();
    expect(seen()).toEqual(["news", "busier"]);
  });

  test.each([
    ["NO_COLOR", { NO_COLOR: "1" }, true],
    ["TERM=dumb", { TERM: "dumb" }, true],
    ["[U49] ACCESSIBLE", { ACCESSIBLE: "1" }, true],
    ["no terminal", {}, false],
  ])("plain lines only: %s", (_, env, isTTY) => {
    const { screen, written } = terminal(env, isTTY);
    screen.live(["busy"]);
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
