import { describe, expect, test } from "vitest";
import { commandPieces, hasTricks } from "./command-pieces.ts";

const shown = (text: string) =>
  commandPieces(text)
    .map((piece) => piece.text)
    .join("");

describe("[A17] nothing can hide in a command", () => {
  test("long runs of empty lines or spaces collapse to a count, so the text after them stays visible", () => {
    expect(shown(`ls${"\n".repeat(3_000)}rm -rf ~`)).toBe("ls\n⟦3,000 empty lines⟧\nrm -rf ~");
    expect(shown(`ls${" \t\n".repeat(9)}rm x`)).toBe("ls\n⟦9 empty lines⟧\nrm x");
    expect(shown(`ls #${" ".repeat(500)}rm x`)).toBe("ls #⟦500 spaces⟧rm x");
    expect(shown("a\n\nb\n    c")).toBe("a\n\nb\n    c");
  });

  test("invisible and text-reversing characters are spelled out", () => {
    expect(shown("rm \u202egnp.exe\u200b \u00a0x\u0007")).toBe(
      "rm ⟦U+202E⟧gnp.exe⟦U+200B⟧ ⟦U+00A0⟧x⟦U+0007⟧",
    );
  });

  test("letters that look like Latin letters are marked; words in another alphabet are not marked", () => {
    expect(shown("curl https://ex\u0430mple.com")).toBe("curl https://ex\u0430⟦U+0430⟧mple.com");
    expect(shown("\u0441\u043e\u0440\u0443 x")).toContain("⟦U+0441⟧");
    expect(shown("\uff52\uff4d x")).toContain("⟦U+FF52⟧");
    for (const plain of ["echo Привет мир", "echo καλημέρα", "echo schön 你好", "git commit -m 'été'"])
      expect(hasTricks(plain)).toBe(false);
  });
});
