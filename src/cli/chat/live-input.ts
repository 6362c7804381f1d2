// Reads a conversation's keys from a live screen. The keys edit the message, or answer the question that is shown.
//  - A question takes keys only if the person was not typing when it appeared. Tab moves between the question and the message.

import { CadreError } from "../../errors.ts";
import type { Keys } from "../terminal/keys.ts";
import type { KeyPress } from "../view/live/ink.ts";
import type { LiveScreen } from "../view/live/live-screen.ts";
import { type Area, truncate } from "../view/screen.ts";
import { plainLine } from "../view/text/plain.ts";
import { type Composer, createComposer } from "./composer.ts";
import { type ChatInput, createWishes, type Phase } from "./input.ts";

interface LiveInputOptions {
  live: LiveScreen;
  history: string[];
  /** Completes the path or the command at the end of the text. */
  complete(text: string): string;
}

/** Ignores keys for this long after a question appears: the user typed them for something else. */
const SETTLE_MS = 300;

type Asked =
  | { type: "key"; since: number; resolve(key: string): void }
  | {
      type: "line";
      label: string;
      line: Composer;
      resolve(text: string): void;
      reject(error: unknown): void;
    };

export function createLiveInput({ live, history, complete }: LiveInputOptions): ChatInput {
  const { paint, redraw } = live.screen;
  const message = createComposer(history);
  const wishes = createWishes();
  let asked: Asked | undefined;
  let focus: "question" | "message" = "message";
  let typedAt = -SETTLE_MS;
  let phase: Phase = "idle";
  let queued: readonly string[] = [];

  function submit(steers: boolean): void {
    wishes.add({ type: "text", text: message.take(), steers });
    typedAt = -SETTLE_MS;
    if (asked) focus = "question";
  }

  function pressLine(key: KeyPress, { line, resolve, reject }: Extract<Asked, { type: "line" }>): void {
    if (key.name === "escape") reject(new CadreError("USAGE", "Nothing was decided."));
    else if (key.name === "return" && !key.alt) resolve(line.take());
    else line.press(key);
  }

  function pressMessage(key: KeyPress): void {
    if (key.name === "escape") wishes.add({ type: "interrupt" });
    else if (key.name === "return" && !key.alt) submit(false);
    else if (key.ctrl && key.text === "s") submit(true);
    else if (key.name === "tab" && asked) focus = "question";
    else if (key.name === "tab") message.set(complete(message.text()));
    else message.press(key);
  }

  function pressQuestion(key: KeyPress, { since, resolve }: Extract<Asked, { type: "key" }>): void {
    if (key.name === "tab" || key.name === "escape") focus = "message";
    else if (performance.now() - since >= SETTLE_MS && !key.ctrl && !key.alt && key.text.length === 1)
      resolve(key.text);
  }

  function press(key: KeyPress): void {
    const isControl = (letter: string): boolean => key.ctrl && key.text === letter;
    if (isControl("c") && message.text() !== "" && asked?.type !== "line") message.set("");
    else if (isControl("c") || (isControl("d") && message.text() === "")) wishes.add({ type: "leave" });
    else if (asked?.type === "line") pressLine(key, asked);
    else if (asked?.type === "key" && focus === "question") pressQuestion(key, asked);
    else pressMessage(key);
    if (message.text() !== "") typedAt = performance.now();
    redraw();
  }

  /** Waits for an answer. `begin` shows the question. */
  function ask<T>(
    signal: AbortSignal,
    begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => Asked,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const close = (): void => {
        asked = undefined;
        focus = "message";
        signal.removeEventListener("abort", onAbort);
        redraw();
      };
      const onAbort = (): void => {
        close();
        reject(signal.reason);
      };
      if (signal.aborted) return onAbort();
      asked = begin(
        (value) => {
          close();
          resolve(value);
        },
        (error) => {
          close();
          reject(error);
        },
      );
      signal.addEventListener("abort", onAbort, { once: true });
      redraw();
    });
  }

  const keys: Keys = {
    readKey(signal) {
      const since = performance.now();
      focus = message.text() === "" && since - typedAt >= SETTLE_MS ? "question" : "message";
      return ask<string>(signal, (resolve) => ({ type: "key", since, resolve }));
    },
    readLine: (question, signal, typed = "") =>
      ask<string>(signal, (resolve, reject) => {
        const line = createComposer();
        line.set(typed);
        return { type: "line", label: question, line, resolve, reject };
      }),
  };

  function draw({ columns, rows }: Area): string[] {
    const room = { columns, rows: Math.max(1, Math.min(MOST_ROWS, rows - FIXED_ROWS - queued.length)) };
    const dim = (text: string): string => paint("dim", truncate(text, columns - 1));
    const typed =
      asked?.type === "line" ? asked.line.draw(asked.label, room, paint) : message.draw("› ", room, paint);
    return [
      dim("─".repeat(columns - 1)),
      ...queued.slice(0, MOST_QUEUED).map((text) => dim(`  queued: ${plainLine(text)}`)),
      ...typed,
      dim(hint()),
    ];
  }

  function hint(): string {
    if (asked?.type === "line") return "Enter answers · Esc goes back";
    if (asked && focus === "question") return "a key answers the question above · Tab writes a message";
    return `${HINTS[phase]}${asked ? " · Tab answers the question" : ""}`;
  }

  const endKeys = live.readKeys({ press, draw });
  return {
    keys,
    next: wishes.next,
    show(nextPhase, nextQueued) {
      phase = nextPhase;
      queued = nextQueued;
      redraw();
    },
    close: endKeys,
  };
}

const MOST_ROWS = 8;
const MOST_QUEUED = 3;
/** The line above the text and the hint below it. */
const FIXED_ROWS = 2;

const HINTS: Readonly<Record<Phase, string>> = {
  idle: "Enter sends · /help · @file attaches · Ctrl-C leaves",
  working: "Enter queues · Ctrl-S sends now · Esc pauses",
  pausing: "pausing when the current step is done · Esc cancels the run",
  paused: "paused · Enter goes on, also with a message · Esc cancels the run",
  waiting: "Enter asks again · a message reaches the run · /help",
};
