import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, it } from "vitest";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";

async function project() {
  const folder = await tempWorkspace();
  await mkdir(join(folder.path, ".git"));
  await mkdir(join(folder.path, "src/deep"), { recursive: true });
  await mkdir(join(folder.path, "dist"));
  await writeFile(join(folder.path, ".gitignore"), "dist\n");
  await writeFile(join(folder.path, "src/b.ts"), "const b = 1;\n// -e TODO\n");
  await writeFile(join(folder.path, "src/deep/a.ts"), "const a = 1;\n");
  await writeFile(join(folder.path, "top.ts"), "export {};\n");
  await writeFile(join(folder.path, "dist/x.ts"), "const x = 1;\n");
  return folder;
}

it("Glob finds by pattern, sorted, without what is ignored", async () => {
  await using folder = await project();
  const find = async (pattern: string, path?: string) =>
    (await globTool.execute({ pattern, ...(path ? { path } : {}) }, folder.context())).output;
  expect(await find("**/*.ts")).toBe("src/b.ts\nsrc/deep/a.ts\ntop.ts");
  expect(await find("*.ts")).toBe("top.ts");
  expect(await find("*.ts", "src")).toBe("src/b.ts");
  expect(await find("*.none")).toContain("no file matches");
  for (const pattern of ["../*", "/etc/*"]) {
    expect(await globTool.execute({ pattern }, folder.context())).toMatchObject({ isError: true });
  }
  expect(await globTool.execute({ pattern: "*", path: ".." }, folder.context())).toMatchObject({
    isError: true,
  });
});

it("Grep answers file:line:text, and takes every pattern for a pattern", async () => {
  await using folder = await project();
  const grep = async (input: Parameters<typeof grepTool.execute>[0]) =>
    (await grepTool.execute(input, folder.context())).output;
  expect(await grep({ pattern: "const \\w" })).toBe("src/b.ts:1:const b = 1;\nsrc/deep/a.ts:1:const a = 1;");
  expect(await grep({ pattern: "CONST A", ignore_case: true })).toBe("src/deep/a.ts:1:const a = 1;");
  expect(await grep({ pattern: "const", path: "src/b.ts" })).toBe("src/b.ts:1:const b = 1;");
  expect(await grep({ pattern: "const", glob: "**/deep/*" })).toBe("src/deep/a.ts:1:const a = 1;");
  expect(await grep({ pattern: "-e TODO" })).toBe("src/b.ts:2:// -e TODO");
  expect(await grep({ pattern: "--pre=touch" })).toBe("no match");
  expect(await grep({ pattern: "const", max: 1 })).toBe(
    "src/b.ts:1:const b = 1;\n(more than 1 lines: narrow the search, or raise max)",
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

it("[A65] a pattern made to explode neither hangs nor holds up the event loop", async () => {
  await using folder = await tempWorkspace();
  await writeFile(join(folder.path, "a.txt"), `${"a".repeat(50_000)}!\n`);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  expect((await grepTool.execute({ pattern: "(a+)+$" }, folder.context())).output).toBe("no match");
  delay.disable();
  expect(delay.max / 1e6).toBeLessThan(200);
});

it("stops when cancelled", async () => {
  await using folder = await project();
  const signal = AbortSignal.abort();
  expect(await grepTool.execute({ pattern: "x" }, folder.context({ signal }))).toMatchObject({
    isError: true,
  });
});
