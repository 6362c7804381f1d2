import { expect, test } from "vitest";
import { colorOf, emojiOf, faceOf, titledName, titleOf } from "./agent-badge.ts";

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

test("[S2-35] [A17] a title is one line, with what would hide or turn text around spelled out; one that is only the name is none", () => {
  const called = (title?: string) => titleOf({ name: "desk", title });
  expect(called("  The\n help desk ")).toBe("The help desk");
  expect([undefined, "", "  ", "desk"].map(called)).toEqual(Array.from({ length: 4 }, () => undefined));
  expect(called("x".repeat(200))).toHaveLength(80);
  expect(called("a\u202eb")).toBe("a⟦U+202E⟧b");
  expect(titledName({ name: "desk", title: "The help desk" })).toBe("The help desk (desk)");
  expect(titledName({ name: "desk" })).toBe("desk");
});

test("[S2-35] two agents of one title, or of one's name, are told apart", () => {
  const agents = [
    { name: "a", title: "Reviewer" },
    { name: "b", title: "Reviewer" },
    { name: "c", title: "d" },
    { name: "d" },
    { name: "e", title: "The last" },
  ];
  const shared = ["a", "c", "d", "e", "gone"].map((name) => faceOf(agents, name).isShared);
  expect(shared).toEqual([true, true, false, false, undefined]);
});
