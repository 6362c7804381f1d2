// A folder for the files of a simulation, deleted when the process exits.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../support/scratch.ts";

let folder: string | undefined;

export function scratchFile(name: string): string {
  if (folder === undefined) {
    const made = scratchFolder("cadre-simulation-");
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return join(folder, name);
}
