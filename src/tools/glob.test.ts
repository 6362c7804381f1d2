import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compileGlob } from "../glob-pattern.ts";
import { HELD_UP_MS, longestWait } from "./event-loop.fixture.ts";
import { globTool } from "./glob.ts";
import { tempProject } from "./temp-project.fixture.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";
import type { ToolAnswer } from "./tool.ts";

describe("Glob", () => {
  it("Glob returns the matching files in sorted order, without ignored files", async () => {
    await using folder = await tempProject();
    const find = async (pattern: string, path?: string) =>
      (await globTool.execute({ pattern, ...(path ? { path } : {}) }, folder.context())).output;
    expect(await find("**/*.ts")).toBe("src/b.ts\nsrc/deep/a.ts\ntop.ts");
    expect(await find("*.ts")).toBe("top.ts");
    expect(await find("*.ts", "src")).toBe("src/b.ts");
    expect(await find("./**/{a,b}.ts")).toBe("src/b.ts\nsrc/deep/a.ts");
    expect(await find("*.none")).toContain("no file matches");
    for (const pattern of ["../*", "/etc/*"]) {
      expect(await globTool.execute({ pattern }, folder.context())).toMatchObject({ isError: true });
    }
    for (const path of ["..", "top.ts", "none"])
      expect(await globTool.execute({ pattern: "*", path }, folder.context())).toMatchObject({
        isError: true,
      });
  });

  it("[A35] Glob does not follow links", async () => {
    await using folder = await tempProject();
    await symlink("/etc", join(folder.path, "link"));
    await symlink("/etc/passwd", join(folder.path, "file"));
    expect((await globTool.execute({ pattern: "**" }, folder.context())).output).toBe(
      ".gitignore\nsrc/b.ts\nsrc/deep/a.ts\ntop.ts",
    );
  });

  it("Glob leaves out files that a rule denies, and says so; each file name takes exactly one line", async () => {
    await using folder = await tempWorkspace();
    for (const name of [".env", "a\nb"]) await writeFile(join(folder.path, name), "");
    const mayShow = (path: string) => path !== ".env";
    expect((await globTool.execute({ pattern: "*" }, folder.context({ mayShow }))).output).toBe(
      "a⟦U+000A⟧b\n(some are not shown: a rule does not allow it)",
    );
    expect((await globTool.execute({ pattern: ".e*" }, folder.context({ mayShow }))).output).toContain(
      "(some are not shown: a rule does not allow it)",
    );
  });

  it.each([
    ["stars", `${"*a".repeat(149)}b`],
    ["folders", `${"**/".repeat(99)}b`],
    ["braces", `${"{a,{a,{a,aa}}}".repeat(21)}b`],
    ["classes", `${"[a-z]*".repeat(49)}!`],
    ["question marks", `${"?*".repeat(149)}!`],
  ])(
    "[A65] a pattern with exponentially many ways to match (%s) does not block the event loop",
    { timeout: 30_000 },
    async (_, pattern) => {
      await using folder = await tempWorkspace();
      await Promise.all(
        Array.from({ length: 500 }, (_, i) => writeFile(join(folder.path, "a".repeat(200) + i), "")),
      );
      let answer: ToolAnswer | undefined;
      const wait = await longestWait(async () => {
        answer = await globTool.execute(globTool.input.parse({ pattern }), folder.context());
      });
      expect(answer?.output).toContain("no file matches");
      expect(wait).toBeLessThan(HELD_UP_MS);
    },
  );

  it.each([
    "{1..100000000}",
    "+(a+)+",
    "@(a|b)",
    "!(x)",
    "{a,b",
    "{{{{{{{{{{{{a,b},c},d},e},f},g},h},i},j},k},l},m}",
  ])("[A65] the pattern %s is refused", async (pattern) => {
    await using folder = await tempWorkspace();
    expect(await globTool.execute({ pattern }, folder.context())).toMatchObject({ isError: true });
  });
});

describe("compileGlob", () => {
  it.each([
    ["**/*.ts", ["a.ts", "a/b.ts", "a/b/c.ts", ".x/a.ts"], ["a.tsx", "ts"]],
    ["**", ["a", "a/b", ".a/b"], []],
    ["src/**", ["src/a", "src/a/b"], ["a", "srca/b"]],
    ["src/**/x.ts", ["src/x.ts", "src/a/b/x.ts"], ["src/ax.ts", "x.ts"]],
    ["a**b", ["ab", "axxb"], ["a/b"]],
    ["*", ["a", ".a"], ["a/b"]],
    ["?.ts", ["a.ts", "é.ts"], ["ab.ts", "/.ts"]],
    ["[a-c].ts", ["b.ts"], ["d.ts"]],
    ["[!a-c].ts", ["d.ts"], ["b.ts", "/.ts"]],
    ["[]].ts", ["].ts"], ["a.ts"]],
    ["[.ts", ["[.ts"], ["a.ts"]],
    ["*.{ts,tsx}", ["a.ts", "a.tsx"], ["a.js"]],
    ["{src,test/{a,b}}/*.ts", ["src/x.ts", "test/b/x.ts"], ["test/x.ts"]],
    ["{**/,}x", ["x", "a/x"], ["ax"]],
    ["{a}", ["{a}"], ["a"]],
    ["a\\*b", ["a*b"], ["axb"]],
    ["a(1).txt", ["a(1).txt"], ["a1.txt"]],
    ["a.b+c^$|", ["a.b+c^$|"], ["axb+c^$|"]],
    ["😀?", ["😀a"], ["😀"]],
  ])("compileGlob compiles %s", (pattern, yes, no) => {
    const glob = compileGlob(pattern);
    if (!glob.ok) return expect.fail(glob.why);
    for (const path of yes) expect(glob.matches(path), path).toBe(true);
    for (const path of no) expect(glob.matches(path), path).toBe(false);
  });
});
