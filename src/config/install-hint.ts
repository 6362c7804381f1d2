// Says how to install an optional package. Node finds such a package in Cadre's own folder, not in the project's.

import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the npm command, and the folder to run the command in. */
export function installHint(packages: string, own = fileURLToPath(import.meta.url)): string {
  const at = own.lastIndexOf(`${sep}node_modules${sep}`);
  // Cadre's package.json already lists these packages as optional. So in a clone, npm installs a missing one only with `--save-prod`.
  if (at < 0) return `npm install --save-prod ${packages} (in ${dirname(dirname(dirname(own)))})`;
  const project = own.slice(0, at);
  const isProject = existsSync(join(project, "package.json"));
  return isProject ? `npm install ${packages} (in ${project})` : `npm install -g ${packages}`;
}
