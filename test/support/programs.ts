// The programs that tests start as processes. Each one is a bundle that test/bundle builds before the first test.

import { fileURLToPath } from "node:url";

export const PROGRAM_FOLDER = fileURLToPath(new URL("../../node_modules/.cache/programs", import.meta.url));

export type Program = "cadre" | "crash-child" | "fleet-worker" | "scale-worker";

export const programPath = (name: Program): string => `${PROGRAM_FOLDER}/${name}.cjs`;
