// Runs a golden tree. `record-trees.ts` records the tree with these functions, and the test continues the tree with them.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CadreError } from "../../src/errors.ts";
import { cancelRun, type Decision, decideApproval } from "../../src/loop/commands/person-commands.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../src/runtime/assembly.ts";
import { agentFiles, type GoldenTree, goldenTools, scriptOf } from "./trees.ts";

export const oracleOf = (folder: string): string => join(folder, "effects.log");

export function openTree(folder: string, tree: GoldenTree): Promise<RuntimeAssembly> {
  for (const [path, text] of Object.entries(agentFiles(tree))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return assembleRuntime({
    folder,
    env: { CADRE_TRUST: "1" },
    home: join(folder, "home"),
    scripts: { golden: scriptOf(tree) },
    tools: goldenTools(oracleOf(folder)),
  });
}

/** Resolves when the root has ended or the tree waits for a person. */
export function waitUntilSettled(runtime: RuntimeAssembly, root: string): Promise<"ended" | "waits"> {
  return new Promise((resolve, reject) => {
    const look = async (): Promise<void> => {
      const row = await runtime.store.runs.get(root);
      const open = await runtime.store.inbox.openItems();
      const how = row?.endedAt !== undefined ? "ended" : row?.status === "suspended" && open.length > 0 ? "waits" : undefined;
      if (how === undefined) return;
      stop();
      resolve(how);
    };
    const stop = runtime.store.journal.onCommit(() => void look().catch(reject));
    void look().catch(reject);
  });
}

/** Makes the same decision about every open item. */
export async function decideAll(runtime: RuntimeAssembly, root: string, decision: Decision | "cancel"): Promise<void> {
  if (decision === "cancel") {
    await cancelRun(root, "person", undefined, runtime.people);
    return;
  }
  for (const { runId, itemId, kind } of await runtime.store.inbox.openItems()) {
    const raised = kind === "budget" ? { limits: { maxTokens: 1_000_000 } } : {};
    await decideApproval(`${runId}:${itemId}`, { ...decision, ...raised }, "person", runtime.people);
  }
}

/** Retries while the store reports a conflict: the tree has already recorded what it waits for, but is still active for a moment. */
export async function whenAtRest<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CadreError) || error.code !== "CONFLICT" || tries > 500) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
