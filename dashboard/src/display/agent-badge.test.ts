import { expect, test } from "vitest";
import { colorOf, emojiOf } from "./agent-badge.ts";

test("[S2-79] an icon is one emoji, joined ones too; words and hidden characters are none", () => {
  expect(["🤖", " 👨‍💻 ", "🛠️", "🇨🇭"].map(emojiOf)).toEqual(["🤖", "👨‍💻", "🛠️", "🇨🇭"]);
  expect([undefined, "", "robot", "a", "🤖🤖", "\u202e🤖", "<b>"].map(emojiOf)).toEqual(
    Array.from({ length: 7 }, () => undefined),
  );
});

test("[A63] a color is a name or a number, and nothing else of CSS", () => {
  expect(["purple", "#E67E22", "#abc"].map(colorOf)).toEqual(["purple", "#E67E22", "#abc"]);
  expect([undefined, "url(//x)", "var(--x)", "#12", "red; top: 0"].map(colorOf)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});
