import { describe, expect, test } from "vitest";
import { commandPieces, hasTricks } from "./command-pieces.ts";

const visibleText = (text: string) =>
  commandPieces(text)
    .map((piece) => piece.text)
    .join("");

describe("[A17] nothing can hide in a command", () => {
  test("many empty lines or spaces in a row collapse to a count, so the text after them stays visible", () => {
    expect(visibleText(`ls${"\n".repeat(3_000)}rm -rf ~`)).toBe("ls\n⟦3,000 empty lines⟧\nrm -rf ~");
    expect(visibleText(`ls${" \t\n".repeat(9)}rm x`)).toBe("ls\n⟦9 empty lines⟧\nrm x");
    expect(visibleText(`ls #${" ".repeat(500)}rm x`)).toBe("ls #⟦500 spaces⟧rm x");
    expect(visibleText("a\n\nb\n    c")).toBe("a\n\nb\n    c");
  });

  test("invisible and text-reversing characters are spelled out", () => {
    expect(visibleText("rm \u202egnp.exe\u200b \u00a0x\u0007")).toBe(
      "rm ⟦U+202E⟧gnp.exe⟦U+200B⟧ ⟦U+00A0⟧x⟦U+0007⟧",
    );
  });

  test("letters that look like Latin letters are marked; words in another alphabet are not marked", () => {
    expect(visibleText("curl https://ex\u0430mple.com")).toBe("curl https://ex\u0430⟦U+0430⟧mple.com");
    expect(visibleText("\u0441\u043e\u0440\u0443 x")).toContain("⟦U+0441⟧");
    expect(visibleText("\uff52\uff4d x")).toContain("⟦U+FF52⟧");
    for (const plain of ["echo Привет мир", "echo καλημέρα", "echo schön 你好", "git commit -m 'été'"])
      expect(hasTricks(plain)).toBe(false);
  });
});
