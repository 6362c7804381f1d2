import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { StartRun } from "../api/routes/runs.ts";
import { evalWorkspace } from "./eval-workspace.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "cadre-eval-folder-")));
const here = { folder: join(root, "p"), dir: join(root, "p/.cadre") };

beforeAll(() => {
  mkdirSync(join(here.dir, "evals/a/work"), { recursive: true });
  mkdirSync(join(root, "other"));
  symlinkSync(join(root, "other"), join(here.dir, "evals/a/link"));
});
afterAll(() => rmSync(root, { recursive: true }));

test("[EV4] a run works in the project's folder or in a folder that an eval created", () => {
  expect(evalWorkspace({}, here)).toBe(here.folder);
  expect(evalWorkspace({ workspace: "a/work" }, here)).toBe(join(here.dir, "evals/a/work"));
});

test.each(["a/gone", "a/link", "a/../../..", "/etc", ""])(
  "[EV4] a run cannot use the folder %j, because no eval created it",
  (workspace) => {
    expect(() => evalWorkspace({ workspace }, here)).toThrow("Nothing was started");
  },
);

test.each(["a", "../a", "a/..", "/a/b", "a//b", "a/b/", "a\\b/c"])(
  "[EV4] the API refuses %j as the name of a workspace folder",
  (workspace) => {
    expect(StartRun.safeParse({ agent: "x", task: "y", workspace }).success).toBe(false);
  },
);
