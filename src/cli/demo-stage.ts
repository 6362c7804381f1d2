// The demo's stage: a copy of examples/11-incident in a temporary folder, and the task that is given there.

import { cp, mkdtemp, readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("../../examples/11-incident", import.meta.url));

export const DEMO_AGENT = "oncall";

export async function stageDemo(): Promise<{ folder: string; task: string }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "cadre-demo-")));
  const folder = join(root, "incident");
  await cp(SOURCE, folder, {
    recursive: true,
    filter: (path) => !/^(\.cadre|main\.ts)$|\.(test|fixture)\.ts$/.test(basename(path)),
  });
  return { folder, task: (await readFile(join(folder, "task.txt"), "utf8")).trim() };
}
