// Finds every projection that a file in src/projections exports, so that the tests also cover new projections.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Projection } from "./projection.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));

export async function allProjections(): Promise<Projection<unknown>[]> {
  const files = readdirSync(HERE, { recursive: true, encoding: "utf8" });
  const modules = await Promise.all(
    files
      .filter((file) => /(?<!\.test|\.fixture)\.ts$/.test(file))
      .map((file): Promise<object> => import(join(HERE, file))),
  );
  return modules.flatMap((module) => Object.values(module).filter(isProjection));
}

const isProjection = (value: unknown): value is Projection<unknown> =>
  typeof value === "object" && value !== null && "initial" in value && "apply" in value && "name" in value;
