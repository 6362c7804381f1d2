// What is bundled, and where each of them is then.

import { fileURLToPath } from "node:url";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export const BUNDLE = at("../../node_modules/.cache/programs");

export const PROGRAMS = {
  cadre: at("./cadre.ts"),
  "crash-child": at("../crash/child.ts"),
  "fleet-worker": at("../fleet/worker.ts"),
  "scale-worker": at("../scale/worker-process.ts"),
};

export const programPath = (name: keyof typeof PROGRAMS): string => `${BUNDLE}/${name}.mjs`;
