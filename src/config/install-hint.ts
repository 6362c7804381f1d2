// How to install an optional package. Node resolves it from Cadre's own folder, not from the project's.

import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The npm command, and the folder to run it in. */
export function installHint(packages: string, own = fileURLToPath(import.meta.url)): string {
  const at = own.lastIndexOf(`${sep}node_modules${sep}`);
  // A clone of Cadre itself has these as optional dependencies; only `--save-prod` installs ones that were left out.
  if (at < 0) return `npm install --save-prod ${packages} (in ${dirname(dirname(dirname(own)))})`;
  const project = own.slice(0, at);
  const isProject = existsSync(join(project, "package.json"));
  return isProject ? `npm install ${packages} (in ${project})` : `npm install -g ${packages}`;
}
