// Tests the live screen as a person sees it: Ink draws into a stream, and a small terminal emulator reads the stream.

import { PassThrough } from "node:stream";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createScreen, type Draw } from "../screen.ts";
import { visible } from "../visible.fixture.ts";
import { type LiveScreen, openLiveScreen } from "./live-screen.ts";

const opened: LiveScreen[] = [];
afterEach(() => {
  for (const live of opened.splice(0)) live.close();
});

async function terminal(size: { columns: number; rows: number } = { columns: 30, rows: 10 }) {
  const out = Object.assign(new PassThrough().setEncoding("utf8"), { isTTY: true, ...size });
  let raw = "";
  out.on("data", (text: string) => {
    raw += text;
  });
  const live = await openLiveScreen(createScreen(out, {}), out);
  opened.push(live);
  const seen = () => visible(raw, out.columns).map((line) => line.trimEnd());
  return {
    ...live,
    out,
    raw: () => raw,
    seen,
    sees: (lines: string[]) => vi.waitFor(() => expect(seen()).toEqual(lines)),
  };
}

const drawing =
  (lines: string[], status: string): Draw =>
  () => ({ lines, status });

describe("a live screen", () => {
  test("[W2] lines are written above the frame, and the frame is redrawn below them", async () => {
    const { screen, sees, close } = await terminal();
    screen.live(drawing([], "busy"));
    screen.line("done");
    await sees(["done", "busy", ""]);
    screen.live(drawing(["one", "two"], "busier"));
    screen.line("more");
    await sees(["done", "more", "", "one", "two", "busier", ""]);
    close();
    await sees(["done", "more", ""]);
  });

  test("[TV3] an unchanged frame is not redrawn, and many quick changes cause only a few frames", async () => {
    const { screen, raw, sees } = await terminal();
    screen.live(drawing([], "busy"));
    await sees(["busy", ""]);
    const before = raw();
    for (let i = 0; i < 5; i++) screen.live(drawing([], "busy"));
    screen.redraw();
    screen.line("news");
    await sees(["news", "busy", ""]);
    expect(raw().slice(before.length).match(/busy/g)).toHaveLength(1);
    for (let i = 0; i < 200; i++) screen.live(drawing([], `busy ${i}`));
    await sees(["news", "busy 199", ""]);
    expect(
      raw()
        .slice(before.length)
        .match(/busy \d+/g)!.length,
    ).toBeLessThan(4);
  });

  test("streamed text is written above the frame and stays on the screen", async () => {
    const { screen, sees } = await terminal();
    screen.live(drawing([], "busy"));
    screen.stream("half");
    await sees(["half", "busy", ""]);
    screen.stream(" and\nnext");
    await sees(["half and", "next", "busy", ""]);
    screen.line("last");
    await sees(["half and", "next", "last", "busy", ""]);
  });

  test("closing the live screen removes the frame and keeps all written text, even an unfinished line", async () => {
    const { screen, seen, close } = await terminal();
    screen.live(drawing([], "busy"));
    screen.stream("half");
    close();
    await vi.waitFor(() => expect(seen().join("\n")).toMatch(/^half\n+$/));
  });

  test("a question and its card stay below all lines; after the answer, only the card stays", async () => {
    const { screen, sees } = await terminal();
    let waiting = 1;
    screen.live(drawing(["tree"], "busy"));
    screen.prompt({ card: () => ["rm x"], text: () => `${waiting} well?` });
    screen.line("news");
    await sees(["news", "", "tree", "rm x", "1 well?", "busy", ""]);
    waiting = 2;
    screen.redraw();
    await sees(["news", "", "tree", "rm x", "2 well?", "busy", ""]);
    screen.answer("a");
    await sees(["news", "rm x", "", "tree", "busy", ""]);
  });

  test("a question that was decided elsewhere is removed with its card", async () => {
    const { screen, sees } = await terminal();
    screen.prompt({ card: () => ["rm x"], text: () => "well?" });
    await sees(["rm x", "well?", ""]);
    screen.prompt(undefined);
    screen.line("Approved by ann");
    await sees(["Approved by ann", "", ""]);
  });

  test("[TV2] a card taller than the window is written once, as permanent lines", async () => {
    const { screen, sees } = await terminal({ columns: 30, rows: 5 });
    const card = ["one", "two", "three", "four", "five"];
    screen.live(drawing(["tree"], "busy"));
    screen.prompt({ card: () => card, text: () => "well?" });
    await sees([...card, "", "tree", "well?", "busy", ""]);
    screen.answer("a");
    await sees([...card, "", "tree", "busy", ""]);
  });

  test("[W2] after the window gets narrower, wrapped lines are erased completely, and the frame is redrawn", async () => {
    const { screen, out, raw, sees } = await terminal();
    screen.live(({ columns }) => ({ lines: ["a".repeat(columns - 1)], status: "b" }));
    await sees(["", "a".repeat(29), "b", ""]);
    const before = raw().length;
    out.columns = 10;
    out.emit("resize");
    await vi.waitFor(() => expect(raw().slice(before)).toContain("a".repeat(9)));
    // First erases the two extra rows that wrapping created, then the four rows of the frame.
    expect(raw().slice(before).startsWith("\u001b[1A\u001b[2K".repeat(2))).toBe(true);
    expect(raw().slice(before)).not.toContain("a".repeat(10));
  });

  test("[W3] text that arrives while the person types is written after the person is done", async () => {
    const { screen, raw, sees } = await terminal();
    screen.live(drawing([], "busy"));
    await sees(["busy", ""]);
    const release = screen.suspend();
    await sees([""]);
    const before = raw();
    screen.line("news");
    screen.live(drawing([], "busier"));
    // This is longer than the pause between two frames.
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(raw()).toBe(before);
    release();
    screen.line("more");
    await sees(["news", "more", "busier", ""]);
  });

  test("drawing never clears the screen, and closing the live screen restores the cursor", async () => {
    const { screen, raw, out, close } = await terminal({ columns: 30, rows: 6 });
    screen.live(({ rows }) => ({ lines: Array.from({ length: rows }, () => "run"), status: "busy" }));
    for (const rows of [12, 4, 8, 6]) {
      out.rows = rows;
      out.emit("resize");
    }
    for (let i = 0; i < 50; i++) screen.line(`line ${i}`);
    close();
    await vi.waitFor(() => expect(raw()).toContain("line 49"));
    for (const order of ["\u001b[2J", "\u001b[3J", "\u001bc", "\u001b[?1049h", "\u001b[1;1H"])
      expect(raw()).not.toContain(order);
    expect(raw().lastIndexOf("\u001b[?25h")).toBeGreaterThan(raw().lastIndexOf("\u001b[?25l"));
  });
});
