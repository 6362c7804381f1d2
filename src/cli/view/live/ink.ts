// The only file that uses Ink. It draws the lines of a frame, and erases them before other text is written.
// This file is imported only when a frame is drawn.

import { Box, type Key, render, Text, useApp, useInput, usePaste, useStdout } from "ink";
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
  /** Passes each key to the keyboard. Undefined stops reading keys. */
  listen(keyboard: Keyboard | undefined): void;
  /** Removes the drawn lines and stops drawing. */
  end(): void;
}

/** A key with a name, or typed text. Pasted text arrives in one piece. */
export interface KeyPress {
  name?:
    | "up"
    | "down"
    | "left"
    | "right"
    | "home"
    | "end"
    | "return"
    | "escape"
    | "tab"
    | "backspace"
    | "delete";
  /** The typed text. With `ctrl` it is the letter of the key. */
  text: string;
  ctrl: boolean;
  /** Whether Alt was held down. */
  alt: boolean;
}

/** Handles a key, or a text that was typed or pasted in one piece. */
export type Keyboard = (key: KeyPress) => void;

/** Frames per second for Ink. It is effectively unlimited, because the caller of `draw` limits the frame rate. */
const FPS = 1_000;

export function startDrawing(stdout: NodeJS.WritableStream, stdin: NodeJS.ReadableStream): Drawing {
  // React draws the first frame later if the machine is busy.
  let terminal: Terminal | undefined;
  const first = Promise.withResolvers<Terminal>();
  let keyboard: Keyboard | undefined;
  let drawn: readonly string[] = [];
  const page = (lines: readonly string[]): ReactNode => {
    drawn = lines;
    return h(Page, {
      lines,
      keyboard,
      use: (own) => {
        terminal = own;
        first.resolve(own);
      },
    });
  };
  const heard = mutable(stdout);
  const ink = render(page([]), {
    stdout: heard.stdout,
    stdin,
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
    listen(next) {
      keyboard = next;
      ink.rerender(page(drawn));
    },
    end() {
      keyboard = undefined;
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
  keyboard: Keyboard | undefined;
  use(terminal: Terminal): void;
}

function Page({ lines, keyboard, use }: PageProps): ReactNode {
  const { write } = useStdout();
  const { suspendTerminal } = useApp();
  use({ write, suspendTerminal });
  const isActive = keyboard !== undefined;
  const pressAll = (text: string, key: Key): void => {
    for (const press of keysOf(text, key)) keyboard?.(press);
  };
  useInput(pressAll, { isActive });
  usePaste((text) => keyboard?.({ text, ctrl: false, alt: false }), { isActive });
  const row = (line: string, index: number): ReactNode =>
    h(Text, { key: index, wrap: "truncate" }, line === "" ? " " : line);
  return h(Box, { flexDirection: "column" }, lines.map(row));
}

/** Splits text that arrived together with other keys, because a fast typist or a slow connection sends them in one piece. */
function keysOf(text: string, key: Key): KeyPress[] {
  const { ctrl, meta: alt } = key;
  const name = NAMES.find(([flag]) => key[flag])?.[1];
  if (name !== undefined) return [{ name, text: "", ctrl, alt }];
  if (text.length < 2) return [{ text, ctrl, alt }];
  return text
    .split(/(\p{Cc})/u)
    .filter((piece) => piece !== "")
    .map(keyOf);
}

function keyOf(piece: string): KeyPress {
  const name = CONTROLS[piece];
  const isControl = /^\p{Cc}$/u.test(piece);
  if (name !== undefined) return { name, text: "", ctrl: false, alt: false };
  return {
    text: isControl ? String.fromCharCode(piece.charCodeAt(0) + LETTERS) : piece,
    ctrl: isControl,
    alt: false,
  };
}

/** Distance between a control character and its letter: Ctrl-A is 1, and `a` is 97. */
const LETTERS = 96;

const CONTROLS: Readonly<Record<string, KeyPress["name"]>> = {
  "\r": "return",
  "\n": "return",
  "\t": "tab",
  "\u007f": "backspace",
};

const NAMES = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["home", "home"],
  ["end", "end"],
  ["return", "return"],
  ["escape", "escape"],
  ["tab", "tab"],
  ["backspace", "backspace"],
  ["delete", "delete"],
] as const satisfies readonly (readonly [keyof Key, KeyPress["name"]])[];
