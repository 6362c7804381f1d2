import { realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { CadreError } from "../errors.ts";

/** Returns the folder that a run works in. A request can choose only a folder that `cadre eval` created. Symbolic links are resolved first. */
export function evalWorkspace(
  { workspace: name }: { workspace?: string },
  { folder: own, dir }: { folder: string; dir: string },
): string {
  if (name === undefined) return own;
  try {
    const evals = realpathSync(join(dir, "evals"));
    const folder = realpathSync(join(evals, name));
    if (folder.startsWith(evals + sep) && statSync(folder).isDirectory()) return folder;
  } catch {
    // The folder does not exist. The error at the end of this function says so.
  }
  throw new CadreError(
    "UNPROCESSABLE",
    `There is no folder ${name} among the evals here. Nothing was started.`,
  );
}
