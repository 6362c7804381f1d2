// Packages that Cadre brings none of are looked for from where Cadre itself lies, wherever the project is.

import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** What to type, and where. */
export function installHint(packages: string, own = fileURLToPath(import.meta.url)): string {
  const at = own.lastIndexOf(`${sep}node_modules${sep}`);
  // Those that build and test have them already; whoever left these packages out gets them by no other word.
  if (at < 0) return `npm install --save-prod ${packages} (in ${dirname(dirname(dirname(own)))})`;
  const project = own.slice(0, at);
  const isProject = existsSync(join(project, "package.json"));
  return isProject ? `npm install ${packages} (in ${project})` : `npm install -g ${packages}`;
}
