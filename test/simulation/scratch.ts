// A folder for the files of a simulation, gone when the process is.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string | undefined;

export function scratchFile(name: string): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), "cadre-simulation-"));
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return join(folder, name);
}
