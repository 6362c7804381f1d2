import { link, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTool } from "../read.ts";
import { tempWorkspace } from "../temp-workspace.fixture.ts";
import { spellingOnDisk, unportableName } from "./workspace-path.ts";

it.each([
  "CON",
  "con.txt",
  "NUL",
  "aux.ts",
  "COM1",
  "lpt9.log",
  "a.",
  "a ",
  "a. ",
  "a::$DATA",
  "a:b:$DATA",
  "e\u0301",
  "a\tb",
  "a\u0000",
])("[A36] %j is refused as the name of a new file", (name) => {
  expect(unportableName(name)).toEqual(expect.any(String));
});

it.each([
  "console.ts",
  "a.b",
  ".gitignore",
  "12:30.log",
  "é",
  "名前.md",
  "a b",
  "common",
  "null.ts",
  "$DATA",
])("%j is accepted as the name of a new file", (name) => {
  expect(unportableName(name)).toBeUndefined();
});

it("[A36] if two hard links differ only in letter case, a tool opens exactly the name it was given", async () => {
  await using folder = await tempWorkspace();
  await writeFile(join(folder.path, "readme"), "x");
  const other = await link(join(folder.path, "readme"), join(folder.path, "README")).catch(() => "folds");
  if (other === undefined) expect(await spellingOnDisk(folder.path, "README")).toBeUndefined();
  expect(await spellingOnDisk(folder.path, "readme")).toBeUndefined();
  expect(await spellingOnDisk(folder.path, "none")).toBeUndefined();
});

const ignoresCase = await (async () => {
  const probe = join(tmpdir(), `cadre-Fold-${process.pid}`);
  await mkdir(probe);
  try {
    return (await spellingOnDisk(tmpdir(), basename(probe).toUpperCase())) !== undefined;
  } finally {
    await rm(probe, { recursive: true });
  }
})();

describe.runIf(ignoresCase)("on a case-insensitive file system", () => {
  it("[A36] on a case-insensitive file system, a path in the wrong letter case is refused, and the error gives the name on disk", async () => {
    await using folder = await tempWorkspace();
    await mkdir(join(folder.path, "Src"));
    await writeFile(join(folder.path, "Src/File.txt"), "x");
    for (const path of ["src/File.txt", "Src/file.txt"])
      expect(await readTool.execute({ path }, folder.context())).toMatchObject({
        isError: true,
        output: expect.stringContaining("Src/File.txt"),
      });
  });
});
