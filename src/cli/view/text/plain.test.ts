import { describe, expect, test } from "vitest";
import { jsonLine, plain, plainLine, plainPieces } from "./plain.ts";

const ATTACKS = [
  "\u001b]52;c;aGk=\u0007",
  "\u001b]8;;file:///etc/passwd\u0007ok\u001b]8;;\u0007",
  "\u001b[2J\u001b[1A",
  "\u009b31m",
  "\u001b]0;title\u0007\u001b[21t",
  "safe\u202egnp.exe",
  "a\u200bb\u2060c\ufeffd",
  "\u2066x\u2069",
  "10%\r20%",
  "tag\u{e0041}",
  "\ud800",
  "a\u0000b\u0008c",
];

describe("[A64] text from models, tools, files and people", () => {
  test.each(ATTACKS)("%j is printed as text and cannot control the terminal", (attack) => {
    const shown = plain(attack);
    expect(shown).not.toMatch(/[^\n\t\P{C}]|\p{Default_Ignorable_Code_Point}/u);
    expect(shown).toContain("⟦U+");
    expect(jsonLine(attack)).not.toMatch(/\p{C}|\p{Default_Ignorable_Code_Point}/u);
    expect(JSON.parse(jsonLine({ attack }))).toEqual({ attack });
  });

  test("`plain` keeps newlines, tabs, non-Latin text and joined emoji", () => {
    const text = "a\tb\nçà et là, 日本語, עברית, 👩‍💻 ✔️ 👍🏽";
    expect(plain(text)).toBe(text);
    expect(plain("one\r\ntwo")).toBe("one\ntwo");
  });

  test("`plain` replaces a joiner or variation selector with its code, unless it is part of an emoji", () => {
    expect(plain("a\u200db")).toBe("a⟦U+200D⟧b");
    expect(plain("1\ufe0f")).toBe("1⟦U+FE0F⟧");
  });

  test("`plainLine` turns text with several lines into one line", () => {
    expect(plainLine(" a\n\n b\u2028c ")).toBe("a b⟦U+2028⟧c");
  });

  test("text that arrives in pieces is sanitised like text that arrives at once, and no character is split", () => {
    const text = "wave 🌊\r\nnext \u001b[2J";
    const pieces = plainPieces();
    expect(text.split("").map(pieces).join("")).toBe(plain(text));
  });
});
