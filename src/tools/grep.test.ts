import { execFileSync } from "node:child_process";
import { symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { HELD_UP_MS, longestWait } from "./event-loop.fixture.ts";
import { grepTool } from "./grep.ts";
import { tempProject } from "./temp-project.fixture.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";

it("Grep returns file:line:text, and never treats the pattern as an option", async () => {
  await using folder = await tempProject();
  const grep = async (input: Parameters<typeof grepTool.execute>[0]) =>
    (await grepTool.execute(input, folder.context())).output;
  expect(await grep({ pattern: "const \\w" })).toBe("src/b.ts:1:const b = 1;\nsrc/deep/a.ts:1:const a = 1;");
  expect(await grep({ pattern: "CONST A", ignore_case: true })).toBe("src/deep/a.ts:1:const a = 1;");
  expect(await grep({ pattern: "const", path: "src/b.ts" })).toBe("src/b.ts:1:const b = 1;");
  expect(await grep({ pattern: "const", glob: "**/deep/*" })).toBe("src/deep/a.ts:1:const a = 1;");
  expect(await grep({ pattern: "-e TODO" })).toBe("src/b.ts:2:// -e TODO");
  expect(await grep({ pattern: "--pre=touch" })).toBe("no match");
  expect(await grep({ pattern: "const", max: 1 })).toBe(
    "src/b.ts:1:const b = 1;\n(1 of 2 matching lines are shown: narrow the search, or raise max. Not shown, of 2 files: src/deep/a.ts 1)",
  );
  expect(await grep({ pattern: "TODO", context: 1 })).toContain("src/b.ts-1-const b");
  expect(await grepTool.execute({ pattern: "(" }, folder.context())).toMatchObject({
    isError: true,
    output: expect.stringContaining("unclosed group"),
  });
  expect(await grepTool.execute({ pattern: "x", path: "../" }, folder.context())).toMatchObject({
    isError: true,
  });
});

it("[A65] a regular expression with exponential backtracking neither hangs nor blocks the event loop", async () => {
  await using folder = await tempWorkspace();
  await writeFile(join(folder.path, "a.txt"), `${"a".repeat(50_000)}!\n`);
  const wait = await longestWait(async () => {
    expect((await grepTool.execute({ pattern: "(a+)+$" }, folder.context())).output).toBe("no match");
  });
  expect(wait).toBeLessThan(HELD_UP_MS);
});

it("Grep does not search if the call is already cancelled", async () => {
  await using folder = await tempProject();
  const signal = AbortSignal.abort();
  expect(await grepTool.execute({ pattern: "x" }, folder.context({ signal }))).toMatchObject({
    isError: true,
  });
});

it("cancelling a call during the search kills the search process", async () => {
  await using folder = await tempWorkspace();
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => writeFile(join(folder.path, `${i}`), "a b c d\n".repeat(200_000))),
  );
  const controller = new AbortController();
  const search = grepTool.execute(
    { pattern: "(\\w+ ){3}x{1,500}", max: 5_000 },
    folder.context({ signal: controller.signal }),
  );
  setImmediate(() => controller.abort());
  expect(await search).toMatchObject({ isError: true, output: expect.stringContaining("cancelled") });
  expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain("x{1,500}");
});

it("[A65] Grep refuses patterns that need backtracking", async () => {
  await using folder = await tempProject();
  for (const pattern of ["(?=a)b", "(a)\\1"])
    expect(await grepTool.execute({ pattern }, folder.context())).toMatchObject({ isError: true });
});

it("[A35] Grep does not follow links or search in .git", async () => {
  await using outside = await tempWorkspace();
  await using folder = await tempProject();
  await writeFile(join(outside.path, "secret"), "const secret\n");
  await writeFile(join(folder.path, ".git/config"), "const git\n");
  await symlink(outside.path, join(folder.path, "folder"));
  await symlink(join(outside.path, "secret"), join(folder.path, "file"));
  const { output } = await grepTool.execute({ pattern: "const" }, folder.context());
  expect(output).toBe("src/b.ts:1:const b = 1;\nsrc/deep/a.ts:1:const a = 1;");
  for (const path of ["folder", "file", "folder/secret"])
    expect(await grepTool.execute({ pattern: "const", path }, folder.context())).toMatchObject({
      isError: true,
    });
});

it("[A38] Grep does not hang on a FIFO", async () => {
  await using folder = await tempWorkspace();
  execFileSync("mkfifo", [join(folder.path, "fifo")]);
  expect(await grepTool.execute({ pattern: "x", path: "fifo" }, folder.context())).toMatchObject({
    isError: true,
  });
  expect((await grepTool.execute({ pattern: "x" }, folder.context())).output).toBe("no match");
});

it("Grep leaves out files that a rule denies, and says so", async () => {
  await using folder = await tempWorkspace();
  for (const name of [".env", "a"]) await writeFile(join(folder.path, name), "KEY=1\n");
  const mayShow = (path: string) => path !== ".env";
  expect((await grepTool.execute({ pattern: "KEY" }, folder.context({ mayShow }))).output).toBe(
    "a:1:KEY=1\n(some are not shown: a rule does not allow it)",
  );
});

it("Grep reads UTF-16 and Latin-1, shortens long lines, and skips binary files and file names with line breaks", async () => {
  await using folder = await tempWorkspace();
  const pathTo = (name: string) => join(folder.path, name);
  await writeFile(pathTo("a\nb"), "find 1\r\nx\rfind 2\r\n");
  await writeFile(pathTo("c"), Buffer.from("\ufeffx\nfind 3\n", "utf16le"));
  await writeFile(pathTo("d"), `find ${"4".repeat(600)}\n`);
  await writeFile(pathTo("e"), Buffer.from([0x66, 0x69, 0x6e, 0x64, 0x20, 0xe9, 0x0a]));
  await writeFile(pathTo("f"), Buffer.from("find\0\n"));
  expect((await grepTool.execute({ pattern: "find" }, folder.context())).output).toBe(
    ["c:2:find 3", `d:1:find ${"4".repeat(495)}… (105 more characters)`, "e:1:find \ufffd"].join("\n"),
  );
});

it("[25.9] a search of a folder names the files that are too large for it, and Grep searches one of them by its path", async () => {
  await using folder = await tempWorkspace();
  const pathTo = (name: string) => join(folder.path, name);
  const line = (number: number) => `${number} ${"x".repeat(90)}\n`;
  const lines = Array.from({ length: 250_000 }, (_, index) => line(index + 1)).join("");
  await writeFile(pathTo("big.log"), `\ufeff${lines}the needle\r\n${"y".repeat(100_000)} needle\n`);
  await writeFile(pathTo("skipped.log"), "needle\n");
  await truncate(pathTo("skipped.log"), 600 * 1024 * 1024);
  await writeFile(pathTo("small.txt"), "needle\n");
  const grep = async (input: object) =>
    (await grepTool.execute({ pattern: "needle", ...input }, folder.context())).output;
  expect(await grep({})).toBe(
    "small.txt:1:needle\n(not searched, because of more than 20.0 MB: big.log, skipped.log; give one as path to search it)",
  );
  expect(await grep({ glob: "*.txt" })).toBe("small.txt:1:needle");
  expect(await grep({ path: "big.log", pattern: "the needle$", context: 1 })).toMatch(
    /^big\.log-250000-250000 x+\nbig\.log:250001:the needle\nbig\.log-250002-y+… \(\d+ more characters\)$/,
  );
  expect(await grep({ path: "skipped.log" })).toMatch(/is 600 MB.* use Bash/);
});

it("[25.9] Grep says how many matches of each file it does not show", async () => {
  await using folder = await tempWorkspace();
  const mayShow = (path: string) => path !== "hidden";
  for (const [name, count] of [
    ["a", 3],
    ["b", 40],
    ["hidden", 7],
  ] as const)
    await writeFile(join(folder.path, name), "word\n".repeat(count));
  expect((await grepTool.execute({ pattern: "word", max: 4 }, folder.context({ mayShow }))).output).toBe(
    [
      ...["a:1:word", "a:2:word", "a:3:word", "b:1:word"],
      "(4 of 43 matching lines are shown: narrow the search, or raise max. Not shown, of 2 files: b 39)",
      "(some are not shown: a rule does not allow it)",
    ].join("\n"),
  );
});

it("[25.11] a pattern with a line break matches across lines, and `$` matches at a Windows line end", async () => {
  await using folder = await tempWorkspace();
  await writeFile(join(folder.path, "unix"), "start(\n  one,\n);\n");
  await writeFile(join(folder.path, "windows"), "start(\r\n  one,\r\n);\r\n");
  const grep = async (pattern: string) => (await grepTool.execute({ pattern }, folder.context())).output;
  const both = "unix:1:start(\nunix:2:  one,\nwindows:1:start(\nwindows:2:  one,";
  expect(await grep("start\\(\\n\\s+one")).toBe(both);
  expect(await grep("start\\(\n  one")).toBe(both);
  expect(await grep("start[^\\n]\\r?\\n")).toBe("unix:1:start(\nwindows:1:start(");
  expect(await grep("\\\\n")).toBe("no match");
  expect(await grep("one,$")).toBe("unix:2:  one,\nwindows:2:  one,");
});

it("[25.9] the error about an invalid pattern says what to do, and recommends no flag that Grep does not have", async () => {
  await using folder = await tempProject();
  for (const pattern of ["(?=a)b", "(a)\\1", "foo("]) {
    const { output, isError } = await grepTool.execute({ pattern }, folder.context());
    expect(isError).toBe(true);
    expect(output).toMatch(/Correct the pattern: [\s\S]*grep -P/);
    expect(output).not.toContain("--");
  }
});
