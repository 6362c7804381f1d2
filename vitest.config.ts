import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";

// Without this cache, each process that a test starts compiles everything again: three seconds instead of one.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

const ALL = ["src/**/*.test.ts", "dashboard/src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"];
/** These tests replace modules with spies. */
const APART = [
  "test/simulation/*mutants.test.ts",
  "src/patterns/new-pattern.test.ts",
  "src/tools/git/worktrees.faults.test.ts",
];
/** These tests draw with Ink, which draws nothing in a process in which hundreds of other files have run before. */
const DRAWING = globSync("src/cli/**/*.test.ts", { cwd: import.meta.dirname }).filter((path) =>
  readFileSync(new URL(path, import.meta.url), "utf8").includes(".terminal("),
);
/** These tests start hundreds of programs. They run first, while the test processes are small, because a fork copies the page tables. */
const PROGRAMS = ["src/tools/**/*.test.ts", "src/permissions/**/*.test.ts", "test/crash/*.test.ts"];

export default defineConfig({
  // A steps module that imports `cadre` gets the Cadre that runs it.
  resolve: {
    alias: [
      { find: /^cadre$/, replacement: fileURLToPath(new URL("src/index.ts", import.meta.url)) },
      {
        find: /^cadre\/(ai|client|testing)$/,
        replacement: fileURLToPath(new URL("src/$1.ts", import.meta.url)),
      },
    ],
  },
  test: {
    // Most test files share a process. With one process per file, loading modules would take as long as the tests.
    projects: [
      { extends: true, test: { name: "apart", include: [...APART, ...DRAWING] } },
      { extends: true, test: { name: "programs", isolate: false, include: PROGRAMS, exclude: APART } },
      {
        extends: true,
        test: {
          name: "together",
          isolate: false,
          include: ALL,
          exclude: [...APART, ...DRAWING, ...PROGRAMS],
        },
      },
    ],
    // A larger young generation saves a sixth of the CPU time, because V8 collects it less often.
    execArgv: ["--min-semi-space-size=16", "--max-semi-space-size=64"],
    setupFiles: ["test/setup.ts"],
    globalSetup: ["test/untried.ts", "test/built-page.ts", "test/bundle/build.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // This timeout is long, because a busy machine is slow.
    expect: { poll: { timeout: 60_000 } },
    // Many tests wait for a database, a lease or a browser. With only one worker more than cores, the suite takes 7 % longer.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    reporters: ["default"],
  },
});
