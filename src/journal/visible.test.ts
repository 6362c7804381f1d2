import { expect, test } from "vitest";
import { revealHidden } from "./visible.ts";

test.each(["👩‍👩‍👧‍👦 at home", "👩🏽‍💻 works", "I ❤️ it", "🏳️‍🌈", "plain\ttext\r\n"])(
  "emoji and plain text stay unchanged: %s",
  (text) => {
    expect(revealHidden(text)).toBe(text);
  },
);

test.each([
  ["rm\u200d -rf", "rm⟦U+200D⟧ -rf"],
  ["👩\u200dx", "👩⟦U+200D⟧x"],
  ["x\u200d👩", "x⟦U+200D⟧👩"],
  ["1\ufe0f", "1⟦U+FE0F⟧"],
  ["👩\u202e\u200d👩", "👩⟦U+202E⟧⟦U+200D⟧👩"],
  ["👩\u200d\u200d👩", "👩⟦U+200D⟧⟦U+200D⟧👩"],
  ["\u{e0041}👩", "⟦U+E0041⟧👩"],
])("[A17] hidden characters next to an emoji are made visible: %j", (text, shown) => {
  expect(revealHidden(text)).toBe(shown);
});
