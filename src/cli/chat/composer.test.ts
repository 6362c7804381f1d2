// Tests the editor of a message: keys, lines and history.

import { expect, test } from "vitest";
import type { KeyPress } from "../view/live/ink.ts";
import { createComposer } from "./composer.ts";

const key = (name: KeyPress["name"], more: Partial<KeyPress> = {}): KeyPress => ({
  ...(name === undefined ? {} : { name }),
  text: "",
  ctrl: false,
  alt: false,
  ...more,
});
const ctrl = (text: string): KeyPress => key(undefined, { text, ctrl: true });
const typed = (text: string): KeyPress => key(undefined, { text });
const brackets = (_: unknown, text: string): string => `[${text}]`;

test("[26.1] keys insert and delete text at the cursor", () => {
  const composer = createComposer();
  const press = (...keys: KeyPress[]) => keys.forEach((one) => void composer.press(one));
  press(typed("two words"), key("home"), typed("x "), key("end"), key("backspace"));
  expect(composer.text()).toBe("x two word");
  press(key("left"), key("delete"), ctrl("w"), typed("👍"), key("left"), key("right"), key("backspace"));
  expect(composer.text()).toBe("x two ");
  press(ctrl("a"), ctrl("k"), typed("one"), key("return", { alt: true }), typed("two"), ctrl("u"));
  expect(composer.text()).toBe("one\n");
  expect([composer.press(ctrl("x")), composer.press(key("tab"))]).toEqual([false, false]);
});

test("[26.1] ↑ and ↓ move between the lines, then through the history; the unsent text is kept", () => {
  const composer = createComposer(["first", "second"]);
  composer.press(typed("a\nb"));
  composer.press(key("up"));
  composer.press(typed("c"));
  expect(composer.text()).toBe("ac\nb");
  const seen = ["up", "up", "up", "down", "down", "down"].map((name) => {
    composer.press(key(name as KeyPress["name"]));
    return composer.text();
  });
  expect(seen).toEqual(["second", "first", "first", "second", "ac\nb", "ac\nb"]);
  expect(composer.take()).toBe("ac\nb");
  expect(composer.text()).toBe("");
  composer.press(key("up"));
  expect(composer.text(), "a message that was sent is the latest of the history").toBe("ac\nb");
});

test("[26.1] [A64] pasted control characters are shown as text", () => {
  const composer = createComposer();
  composer.insert("a\u001b[2Jb\r\nc");
  expect(composer.text()).toBe("a⟦U+001B⟧[2Jb\nc");
});

test("[26.1] a long text is wrapped, and only the rows around the cursor are drawn", () => {
  const composer = createComposer();
  composer.press(typed("abcdefghij"));
  expect(composer.draw("› ", { columns: 9, rows: 5 }, brackets)).toEqual(["› abcdef", "  ghij[ ]"]);
  expect(composer.draw("› ", { columns: 9, rows: 1 }, brackets)).toEqual(["  ghij[ ]"]);
  composer.press(key("home"));
  expect(composer.draw("› ", { columns: 9, rows: 1 }, brackets)).toEqual(["› [a]bcdef"]);
});
