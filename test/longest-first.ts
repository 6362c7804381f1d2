// Tells Vitest to start the slowest test files first.
// On a fresh clone, Vitest does not know the durations and starts the largest files first.
// This order prevents small but slow files from running last while other cores are idle.
// Files that mostly wait alternate with files that mostly compute. Otherwise the computing files would slow each other down.

import { BaseSequencer, type TestSpecification } from "vitest/node";

const LONG = [
  "test/fleet/outages.test.ts",
  "src/stores/postgres/store.test.ts",
  "test/simulation/shard-1.test.ts",
  "test/simulation/shard-2.test.ts",
  "test/fleet/lost-workers.test.ts",
  "test/simulation/shard-3.test.ts",
  "test/simulation/shard-4.test.ts",
  "test/fleet/both-engines.test.ts",
  "test/package.test.ts",
  "src/stores/masked-store.test.ts",
  "src/stores/sqlite/store.test.ts",
  "test/scale/versions.test.ts",
  "test/e2e/dashboard/demo-crash.test.ts",
  "test/mcp/conformance.test.ts",
  "test/simulation/seeds.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const together = sorted.filter(({ project }) => project.name === "together");
    const before = sorted.filter((file) => !together.includes(file));
    const long = LONG.flatMap((path) => together.filter(({ moduleId }) => moduleId.endsWith(`/${path}`)));
    return [...before, ...long, ...together.filter((file) => !long.includes(file))];
  }
}
