import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";

// Without it each process that a test starts compiles everything anew: three seconds instead of one.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

const ALL = ["src/**/*.test.ts", "dashboard/src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"];
/** They put spies in place of modules. */
const APART = ["test/simulation/*mutants.test.ts", "src/patterns/new-pattern.test.ts"];
/** They start hundreds of programs, before the processes of tests have grown: a fork copies the page tables of all that. */
const PROGRAMS = ["src/tools/**/*.test.ts", "src/permissions/**/*.test.ts", "test/crash/*.test.ts"];

export default defineConfig({
  // As a module with steps finds it: the Cadre that runs it.
  resolve: {
    alias: [{ find: /^cadre$/, replacement: fileURLToPath(new URL("src/index.ts", import.meta.url)) }],
  },
  test: {
    // A process for each file would spend as much on reading modules as on tests.
    projects: [
      { extends: true, test: { name: "apart", include: APART } },
      { extends: true, test: { name: "programs", isolate: false, include: PROGRAMS } },
      {
        extends: true,
        test: { name: "together", isolate: false, include: ALL, exclude: [...APART, ...PROGRAMS] },
      },
    ],
    // A sixth less to compute: a young heap that starts small is swept again and again, and what is found alive is copied.
    execArgv: ["--min-semi-space-size=16", "--max-semi-space-size=64"],
    setupFiles: ["test/setup.ts"],
    globalSetup: ["test/untried.ts", "test/built-page.ts", "test/bundle/build.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is waited for comes; on a busy machine it takes longer.
    expect: { poll: { timeout: 20_000 } },
    // Many tests wait, for a database, a lease or a browser: with one more than there are cores, 7 % of their time is lost.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    reporters: ["default"],
  },
});
