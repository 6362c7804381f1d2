// Finds the Restate server binary for tests. The binary is part of an npm package.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Path of the binary; undefined if there is no binary for this platform. */
export function findRestate(): string | undefined {
  try {
    const of = createRequire(
      createRequire(import.meta.url).resolve("@restatedev/restate-server/package.json"),
    );
    const root = dirname(
      of.resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/package.json`),
    );
    const path = join(root, "bin", "restate-server");
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
