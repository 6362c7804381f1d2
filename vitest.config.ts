import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Without it each process that a test starts compiles everything anew: three seconds instead of one.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

export default defineConfig({
  // As a module with steps finds it: the Cadre that runs it.
  resolve: {
    alias: [{ find: /^cadre$/, replacement: fileURLToPath(new URL("src/index.ts", import.meta.url)) }],
  },
  test: {
    include: ["src/**/*.test.ts", "dashboard/src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    globalSetup: ["test/untried.ts", "test/built-page.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is waited for comes; on a busy machine it takes longer.
    expect: { poll: { timeout: 20_000 } },
    // Many tests wait, for a lease or a browser, and leave a core idle.
    maxWorkers: availableParallelism() + 1,
    reporters: ["default"],
  },
});
