// Files that are short to read and long to run begin first. On a fresh clone Vitest knows no times and goes by size: it
// would begin with them last, and wait for them with a core idle.

import { BaseSequencer, type TestSpecification } from "vitest/node";

const LONG = [
  "src/stores/postgres/store.test.ts",
  "test/simulation/shard-",
  "test/crash/crash.test.ts",
  "test/package.test.ts",
  "test/scale/faults.test.ts",
  "test/fleet/",
  "examples/examples.test.ts",
  "src/cli/postgres.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((place) => moduleId.includes(`/${place}`));
    const apart = sorted.filter(({ project }) => project.name === "apart");
    const together = sorted.filter(({ project }) => project.name !== "apart");
    return [...apart, ...together.filter(isLong), ...together.filter((file) => !isLong(file))];
  }
}
