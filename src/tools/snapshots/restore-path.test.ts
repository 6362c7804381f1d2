import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { FileVersion } from "../../journal/events.ts";
import { orderSteps, planStep, type UndoStep } from "../../projections/folds/undo-plan.ts";
import { openFolder } from "../files/open-folder.ts";
import { tempWorkspace } from "../temp-workspace.fixture.ts";
import { blobNameOf, readVersion } from "./file-version.ts";
import { restorePath } from "./restore-path.ts";

const rules = { holdsKeys: () => false, holdsSecret: () => false };

const file = (text: string): FileVersion => ({
  kind: "file",
  blob: blobNameOf(Buffer.from(text)),
  mode: 0o644,
});

async function restore(root: string, step: Pick<UndoStep, "path" | "now" | "target">) {
  await using aside = await openFolder(root, [".cadre", "undone", "1"], { create: true });
  return await restorePath(step, { root, rules, aside, bytesOf: async () => Buffer.from("old") });
}

test("[26.15] a file that changed after the plan was made is kept; so is a new file with the same name", async () => {
  await using folder = await tempWorkspace();
  await writeFile(join(folder.path, "a"), "newer", { mode: 0o644 });
  expect(await restore(folder.path, { path: "a", now: file("planned"), target: file("old") })).toBe(
    "changed",
  );
  expect(await restore(folder.path, { path: "a", now: file("planned"), target: null })).toBe("changed");
  expect(await restore(folder.path, { path: "a", now: null, target: file("old") })).toBe("changed");
  expect(await readFile(join(folder.path, "a"), "utf8")).toBe("newer");
});

test("[26.15] a folder with files of others stays", async () => {
  await using folder = await tempWorkspace();
  await mkdir(join(folder.path, "d"));
  await writeFile(join(folder.path, "d", "other"), "x");
  expect(await restore(folder.path, { path: "d", now: { kind: "folder" }, target: null })).toBe("full");
  expect(await readFile(join(folder.path, "d", "other"), "utf8")).toBe("x");
});

test("[26.15] [UN8] an undo that is killed at any change of the file system is finished by the next one", async () => {
  const program = fileURLToPath(new URL("./killed-restore.fixture.ts", import.meta.url));
  const histories = {
    kept: { before: file("bytes of kept"), after: file("agent") },
    gone: { before: null, after: file("agent") },
    lost: { before: file("bytes of lost"), after: null },
  };
  const wanted = { kept: "bytes of kept", gone: undefined, lost: "bytes of lost" };
  let kills = 0;
  for (let at = 0; ; at++) {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "kept"), "agent", { mode: 0o644 });
    await writeFile(join(folder.path, "gone"), "agent", { mode: 0o644 });
    const undo = async (killAt: number) => {
      const steps: UndoStep[] = [];
      for (const [path, history] of Object.entries(histories)) {
        const { version } = await readVersion(folder.path, path, rules);
        const step = planStep(path, [history], version);
        expect(["undo", "done"], `${path} at ${at}`).toContain(step.status);
        // The fixture makes the bytes from the name of the blob.
        if (step.status === "undo") steps.push(named(step));
      }
      const json = JSON.stringify(orderSteps(steps));
      return spawnSync(process.execPath, [program, folder.path, json, String(killAt)], { encoding: "utf8" });
    };
    const { signal, stderr } = await undo(at);
    if (signal === "SIGKILL") kills++;
    else expect(stderr).toBe("");
    await undo(100_000);
    for (const [path, text] of Object.entries(wanted))
      expect(await readFile(join(folder.path, path), "utf8").catch(() => undefined), `${path} at ${at}`).toBe(
        text,
      );
    if (signal !== "SIGKILL") break;
  }
  expect(kills).toBeGreaterThan(4);
}, 120_000);

const named = (step: UndoStep): UndoStep =>
  step.target?.kind === "file" ? { ...step, target: { ...step.target, blob: step.path } } : step;
