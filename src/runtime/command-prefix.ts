// How a command for a project begins, to be pasted in any terminal of this machine: `npx` finds a package only from within
// its folder, and elsewhere would fetch whatever has our name in the registry.

import { fileURLToPath } from "node:url";

const LAUNCHER = fileURLToPath(new URL("../../bin/cadre.js", import.meta.url));

export const commandPrefix = (folder: string): string => `node ${quoted(LAUNCHER)} -C ${quoted(folder)}`;

function quoted(path: string): string {
  if (/^[\w./:+-]+$/.test(path)) return path;
  return process.platform === "win32" ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
}
