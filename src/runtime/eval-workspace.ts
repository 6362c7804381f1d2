import { realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { CadreError } from "../errors.ts";

/** Where a run works. Only what `cadre eval` has made below the project's state can be named, and no link leads out of it. */
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
    // Said below.
  }
  throw new CadreError(
    "UNPROCESSABLE",
    `There is no folder ${name} among the evals here. Nothing was started.`,
  );
}
