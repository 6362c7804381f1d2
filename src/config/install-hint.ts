// Says how to install an optional package. Node resolves such a package from Cadre's own folder, not from the project's.

import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the npm command, and the folder to run the command in. */
export function installHint(packages: string, own = fileURLToPath(import.meta.url)): string {
  const at = own.lastIndexOf(`${sep}node_modules${sep}`);
  // In a clone of Cadre the packages are optional dependencies, which only `--save-prod` installs later.
  if (at < 0) return `npm install --save-prod ${packages} (in ${dirname(dirname(dirname(own)))})`;
  const project = own.slice(0, at);
  const isProject = existsSync(join(project, "package.json"));
  return isProject ? `npm install ${packages} (in ${project})` : `npm install -g ${packages}`;
}
