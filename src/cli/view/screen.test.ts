import { describe, expect, test } from "vitest";
import { cellWidth, createScreen, truncate } from "./screen.ts";
import { table } from "./text/table.ts";
import { wrapText } from "./text/word-wrap.ts";

function terminal(env: Record<string, string> = {}, { isTTY = true, isPlain = false } = {}) {
  const pieces: string[] = [];
  const out = { isTTY, columns: 20, rows: 10, write: (text: string) => pieces.push(text) };
  return { screen: createScreen(out, env, isPlain), written: () => pieces.join("") };
}

describe("a screen that only prints lines", () => {
  test("an unfinished line is ended before the next line is written", () => {
    const { screen, written } = terminal();
    screen.stream("half");
    screen.stream(" and");
    screen.line("next");
    screen.line();
    expect(written()).toBe("half and\nnext\n\n");
  });

  test("a question is shown with its card; if text is written below the question, the question is shown again", () => {
    const { screen, written } = terminal({ NO_COLOR: "1" });
    screen.prompt({ card: () => ["about"], text: () => "well? " });
    screen.redraw();
    screen.line("news");
    screen.redraw();
    expect(written()).toBe("about\nwell? \nnews\nwell? ");
    screen.prompt(undefined);
    screen.line("more");
    screen.redraw();
    expect(written()).toBe("about\nwell? \nnews\nwell? \nmore\n");
  });

  test.each([
    ["NO_COLOR", { NO_COLOR: "1" }, {}],
    ["TERM=dumb", { TERM: "dumb" }, {}],
    ["[U49] ACCESSIBLE", { ACCESSIBLE: "1" }, {}],
    ["CI", { CI: "true" }, {}],
    ["[U49] --plain", {}, { isPlain: true }],
    ["no terminal", {}, { isTTY: false }],
  ])("a screen prints only plain lines with %s", (_, env, how) => {
    const { screen, written } = terminal(env, how);
    expect(screen.rich).toBe(false);
    screen.line(screen.paint("red", "bad"));
    expect(written()).toBe("bad\n");
  });

  test.each([{}, { CI: "false" }, { TERM: "xterm" }])(
    "a terminal gets colours with the environment %j",
    (env) => {
      expect(terminal(env).screen.rich).toBe(true);
    },
  );
});

test("a wide character takes two cells, and a combining mark takes none", () => {
  expect(cellWidth("日本")).toBe(4);
  expect(cellWidth("e\u0301")).toBe(1);
  expect(truncate("日本語", 5)).toBe("日本…");
  expect(truncate("short", 5)).toBe("short");
});

test("text is wrapped between words; a word that is longer than a line is not split", () => {
  expect(wrapText("one two three four", 9)).toBe("one two\nthree\nfour");
  expect(wrapText("one two three", 7), "no space behind the last cell").toBe("one two\nthree");
  expect(wrapText("a\nverylongword b", 6)).toBe("a\nverylongword\nb");
  expect(wrapText("  in  two\n  x", 12)).toBe("  in  two\n  x");
});

test("a table aligns its columns, with or without colours, and truncates its last cell to fit the line", () => {
  const rows = [
    ["a", "\u001b[31mbad\u001b[39m", "first task"],
    ["long", "ok", "second task that is too long"],
  ];
  expect(table(rows, 24)).toEqual(["a     \u001b[31mbad\u001b[39m  first task", "long  ok   second task…"]);
  expect(table([], 24)).toEqual([]);
});
