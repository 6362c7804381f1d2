import { expect, test } from "vitest";
import { agentFace, agentTitle, nameWithTitle, parseColor, parseEmoji } from "./agent-face.ts";

test("[S2-79] only a single emoji is accepted as an icon; text and invisible characters are rejected", () => {
  expect(["🤖", " 👨‍💻 ", "🛠️", "🇨🇭"].map(parseEmoji)).toEqual(["🤖", "👨‍💻", "🛠️", "🇨🇭"]);
  expect([undefined, "", "robot", "a", "🤖🤖", "\u202e🤖", "<b>"].map(parseEmoji)).toEqual(
    Array.from({ length: 7 }, () => undefined),
  );
});

test("[A63] a colour name or a hex code is accepted as a colour; other CSS is rejected", () => {
  expect(["purple", "#E67E22", "#abc"].map(parseColor)).toEqual(["purple", "#E67E22", "#abc"]);
  expect([undefined, "url(//x)", "var(--x)", "#12", "red; top: 0"].map(parseColor)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});

test("[S2-35] [A17] a title is one line with invisible characters spelled out; a title equal to the name is ignored", () => {
  const titleOf = (title?: string) => agentTitle({ name: "desk", title });
  expect(titleOf("  The\n help desk ")).toBe("The help desk");
  expect([undefined, "", "  ", "desk"].map(titleOf)).toEqual(Array.from({ length: 4 }, () => undefined));
  expect(titleOf("x".repeat(200))).toHaveLength(80);
  expect(titleOf("a\u202eb")).toBe("a⟦U+202E⟧b");
  expect(nameWithTitle({ name: "desk", title: "The help desk" })).toBe("The help desk (desk)");
  expect(nameWithTitle({ name: "desk" })).toBe("desk");
});

test("[S2-35] a title is marked as shared if it equals the title or the name of another agent", () => {
  const agents = [
    { name: "a", title: "Reviewer" },
    { name: "b", title: "Reviewer" },
    { name: "c", title: "d" },
    { name: "d" },
    { name: "e", title: "The last" },
  ];
  const shared = ["a", "c", "d", "e", "gone"].map((name) => agentFace(agents, name).isShared);
  expect(shared).toEqual([true, true, false, false, undefined]);
});
