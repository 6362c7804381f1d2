// A screen with a frame that is redrawn at the bottom: the current activity and the open question.
// All other text is written permanently above the frame, so that people can scroll back to it.
//  W2   The frame is erased before other text is written, and then redrawn below that text. So no line overwrites another line.
//  W3   While the person types a line or uses an editor, output is held back. It is written when the person is done.
//  TV3  At most ten frames per second are drawn, and no frame if nothing has changed. A question is drawn immediately.

import { type Area, type Output, rowsTaken, type Screen } from "../screen.ts";
import { areaAbove, type FrameState, fitsCard, renderFrame } from "./frame.ts";
import type { Drawing, Keyboard } from "./ink.ts";

export interface LiveScreen {
  screen: Screen;
  /** Passes the person's keys to `press`, and draws what they type below everything else. Returns a function that stops this. */
  readKeys(composer: Composer): () => void;
  /** Removes the frame. The permanent lines stay. */
  close(): void;
}

export interface Composer {
  press: Keyboard;
  draw(room: Area): readonly string[];
}

export type Terminal = Output & NodeJS.WritableStream;

export async function openLiveScreen(
  screen: Screen,
  stdout: Terminal,
  stdin: NodeJS.ReadableStream = process.stdin,
): Promise<LiveScreen> {
  const { startDrawing } = await loadInk();
  const going: FrameState = { open: "", draw: undefined, question: undefined, isCardWritten: false };
  const drawing = startDrawing(stdout, stdin);
  const canvas = createCanvas(screen, stdout, { drawing, going });

  function stream(text: string): void {
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) canvas.write(going.open + text.slice(0, end));
    going.open = end > 0 ? text.slice(end) : going.open + text;
    canvas.soon();
  }

  const endLine = (): void => stream(going.open === "" ? "" : "\n");

  return {
    screen: {
      rich: true,
      paint: screen.paint,
      get columns() {
        return screen.columns;
      },
      get rows() {
        return screen.rows;
      },
      line(text) {
        if (text !== undefined) endLine();
        stream(`${text ?? ""}\n`);
      },
      stream,
      live(draw) {
        going.draw = draw;
        canvas.soon();
      },
      prompt(question) {
        Object.assign(going, { question, isCardWritten: false });
        canvas.now();
      },
      redraw: canvas.soon,
      answer() {
        const { question, isCardWritten } = going;
        going.question = undefined;
        endLine();
        if (question && !isCardWritten) canvas.write(linesOf(question.card()));
        canvas.now();
      },
      suspend: canvas.hold,
    },
    readKeys({ press, draw }) {
      going.composer = draw;
      drawing.listen(press);
      canvas.now();
      return () => {
        going.composer = undefined;
        drawing.listen(undefined);
        canvas.now();
      };
    },
    close: canvas.close,
  };
}

/** Sets NODE_ENV while React is imported. React's development build would keep a record of every frame. */
async function loadInk(): Promise<typeof import("./ink.ts")> {
  const before = process.env["NODE_ENV"];
  process.env["NODE_ENV"] = "production";
  try {
    return await import("./ink.ts");
  } finally {
    if (before === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = before;
  }
}

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

const PAUSE_MS = 100;

/** Limits the frame rate, and holds text back while the person types. */
function createCanvas(
  screen: Screen,
  stdout: Terminal,
  { drawing, going }: { drawing: Drawing; going: FrameState },
) {
  let unwritten = "";
  let drawn: readonly string[] = [];
  let drawnAt = -PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let is: "open" | "held" | "closed" = "open";

  function now(): void {
    clearTimeout(timer);
    timer = undefined;
    if (is !== "open") return;
    const { question, open, isCardWritten } = going;
    if (question && !isCardWritten && !fitsCard(question, open, areaAbove(going, screen))) {
      unwritten += linesOf(question.card());
      going.isCardWritten = true;
    }
    const text = unwritten;
    unwritten = "";
    drawn = renderFrame(going, screen);
    drawing.draw(drawn);
    if (text !== "") drawing.write(text);
    drawnAt = performance.now();
  }

  function soon(): void {
    const wait = drawnAt + PAUSE_MS - performance.now();
    if (wait <= 0) now();
    else timer ??= setTimeout(now, wait);
  }

  /** Runs before Ink's own handler. If a narrower terminal has wrapped lines, Ink would erase only one row of each line. */
  function handleResize(): void {
    if (is !== "open") return;
    const broken = drawn.reduce((sum, line) => sum + rowsTaken(line, screen.columns) - 1, 0);
    stdout.write("\u001B[1A\u001B[2K".repeat(broken));
    drawing.clear();
    now();
  }

  stdout.prependListener("resize", handleResize);
  return {
    now,
    soon,
    write(text: string): void {
      if (is === "closed") stdout.write(text);
      else unwritten += text;
    },
    hold(): () => void {
      now();
      is = "held";
      const suspended = drawing.suspend();
      return () =>
        void suspended.then((resume) => {
          if (is !== "held") return;
          resume();
          is = "open";
          now();
        });
    },
    close(): void {
      if (going.open !== "") unwritten += `${going.open}\n`;
      going.open = "";
      now();
      is = "closed";
      stdout.off("resize", handleResize);
      drawing.end();
      stdout.write(unwritten);
    },
  };
}
