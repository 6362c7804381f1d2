// A small project with ignored files, for the tests of the search tools.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TempWorkspace, tempWorkspace } from "./temp-workspace.fixture.ts";

export async function tempProject(): Promise<TempWorkspace> {
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
