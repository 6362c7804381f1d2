// Resolves what is really at a path, for the permissions that judge a command before it runs: a path inside the workspace may
// lead out of it through a link (A35).

import { lstatSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Takes an absolute path as the system would open it: `link/../x` is not `x`. `real` is undefined if it cannot be resolved: a
 * dangling link, a folder without permission, a `..` behind something that is missing.
 */
export function inspectPath(path: string): { real: string | undefined; isFolder: boolean } {
  const parts = path.split("/");
  for (let end = parts.length; end > 0; end--) {
    const existing = parts.slice(0, end).join("/") || "/";
    const missing = parts.slice(end);
    try {
      // Checked first, because missing paths are common and exceptions are slow.
      const stats = statSync(existing, { throwIfNoEntry: false });
      if (stats) {
        const real = realpathSync.native(existing);
        if (missing.length === 0) return { real, isFolder: stats.isDirectory() };
        return { real: missing.includes("..") ? undefined : join(real, ...missing), isFolder: false };
      }
      if (lstatSync(existing, { throwIfNoEntry: false })) break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENAMETOOLONG") break;
    }
  }
  return { real: undefined, isFolder: false };
}
