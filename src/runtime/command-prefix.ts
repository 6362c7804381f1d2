// The beginning of a command for a project. The command works in any terminal of this machine.
// The command does not use `npx`: outside the package's folder, `npx` would download any package with this name.

import { fileURLToPath } from "node:url";

const LAUNCHER = fileURLToPath(new URL("../../bin/cadre.js", import.meta.url));

export const commandPrefix = (folder: string): string =>
  `node ${quotePath(LAUNCHER)} -C ${quotePath(folder)}`;

function quotePath(path: string): string {
  if (/^[\w./:+-]+$/.test(path)) return path;
  return process.platform === "win32" ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
}
