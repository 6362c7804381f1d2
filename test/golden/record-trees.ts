// Records the golden trees of this version: `node test/golden/record-trees.ts`. Run it once for each release, or after you add a tree.
// Never record a tree of a released version again. The old recording proves that newer versions can read the old format.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../../package.json" with { type: "json" };
import { moveOut } from "../../src/stores/move-tree.ts";
import { decideAll, openTree, waitUntilSettled, whenAtRest } from "./tree-life.ts";
import { type GoldenTree, TREES } from "./trees.ts";

const { version } = packageJson;
const home = fileURLToPath(new URL(`./${version}/`, import.meta.url));
mkdirSync(home, { recursive: true });
for (const [name, tree] of Object.entries(TREES)) {
  const file = join(home, `${name}.cadre`);
  if (existsSync(file)) continue;
  writeFileSync(file, await record(tree));
  process.stdout.write(`${name}\n`);
}
process.exit(0);

async function record(tree: GoldenTree): Promise<string> {
  const folder = join(tmpdir(), "cadre-golden");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  try {
    const runtime = await openTree(folder, tree);
    const agent = Object.keys(tree.agents)[0]!;
    const { runId } = await runtime.admit({ agent, task: "do it", attended: true });
    await runtime.start();
    for (const decision of tree.decisions ?? []) {
      if ((await waitUntilSettled(runtime, runId)) === "ended") break;
      await decideAll(runtime, runId, decision);
    }
    await waitUntilSettled(runtime, runId);
    const recorded = tree.forkedAt === undefined ? { runId } : await runtime.fork(runId, { seq: tree.forkedAt });
    await waitUntilSettled(runtime, recorded.runId);
    const row = (await runtime.store.runs.get(recorded.runId))!;
    const { store, people } = runtime;
    const { lines } = await whenAtRest(() => moveOut(row, { store, ids: people.ids, version }));
    const text = (await Array.fromAsync(lines)).join("");
    await runtime.stop();
    return text;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
