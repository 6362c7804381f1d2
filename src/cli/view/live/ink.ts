// The only file that uses Ink. It draws the lines of a frame, and erases them before other text is written.
// This file is imported only when a frame is drawn.

import { Box, render, Text, useApp, useStdout } from "ink";
import { createElement as h, type ReactNode } from "react";

export interface Drawing {
  /** Replaces the drawn lines. */
  draw(lines: readonly string[]): void;
  /** Removes the drawn lines. The next frame is drawn in the same place. */
  clear(): void;
  /** Writes permanent text above the drawn lines. */
  write(text: string): void;
  /** Removes the drawn lines. Nothing more is written until the returned function is called. */
  suspend(): Promise<() => void>;
  /** Removes the drawn lines and stops drawing. */
  end(): void;
}

/** Frames per second for Ink. It is effectively unlimited, because the caller of `draw` limits the frame rate. */
const FPS = 1_000;

export function startDrawing(stdout: NodeJS.WritableStream): Drawing {
  // React draws the first frame later if the machine is busy.
  let terminal: Terminal | undefined;
  const first = Promise.withResolvers<Terminal>();
  const page = (lines: readonly string[]): ReactNode =>
    h(Page, {
      lines,
      use: (own) => {
        terminal = own;
        first.resolve(own);
      },
    });
  const heard = mutable(stdout);
  const ink = render(page([]), {
    stdout: heard.stdout,
    interactive: true,
    patchConsole: false,
    exitOnCtrlC: false,
    maxFps: FPS,
  });
  return {
    draw: (lines) => ink.rerender(page(lines)),
    clear: ink.clear,
    write: (text) => void (terminal ?? stdout).write(text),
    async suspend() {
      const suspension = await (await first.promise).suspendTerminal();
      return () => void suspension.resume();
    },
    end() {
      // Draws an empty frame first. Otherwise Ink would draw its pending frame once more and leave an empty line.
      ink.rerender(page([]));
      ink.clear();
      heard.mute();
      ink.unmount();
      stdout.write(SHOW_CURSOR);
    },
  };
}

const SHOW_CURSOR = "\u001b[?25h";

/** Returns a copy of the stream. After `mute` was called, the copy writes nothing. */
function mutable<T extends NodeJS.WritableStream>(stdout: T): { stdout: T; mute(): void } {
  let isMuted = false;
  const write = (text: string, ...more: (string | (() => void))[]): boolean => {
    if (!isMuted) return Reflect.apply(stdout.write, stdout, [text, ...more]) as boolean;
    for (const done of more) if (typeof done === "function") queueMicrotask(done);
    return true;
  };
  const get = (target: T, key: string | symbol): unknown => {
    if (key === "write") return write;
    const value: unknown = Reflect.get(target, key);
    return typeof value === "function" ? value.bind(target) : value;
  };
  return {
    stdout: new Proxy(stdout, { get }),
    mute() {
      isMuted = true;
    },
  };
}

type Terminal = Pick<ReturnType<typeof useStdout>, "write"> &
  Pick<ReturnType<typeof useApp>, "suspendTerminal">;

interface PageProps {
  lines: readonly string[];
  use(terminal: Terminal): void;
}

function Page({ lines, use }: PageProps): ReactNode {
  const { write } = useStdout();
  const { suspendTerminal } = useApp();
  use({ write, suspendTerminal });
  const row = (line: string, index: number): ReactNode =>
    h(Text, { key: index, wrap: "truncate" }, line === "" ? " " : line);
  return h(Box, { flexDirection: "column" }, lines.map(row));
}
