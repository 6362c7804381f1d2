// What is really at a path, for whoever judges a command before it runs: a name inside the workspace may lead out of it
// by a link (A35). Looks, and changes nothing.

import { lstatSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Takes an absolute path as it would be opened: `link/../x` is not `x`. `real` is undefined where it cannot be told: a
 * link that leads nowhere, a folder that we may not enter, a `..` behind something that is missing.
 */
export function inspectPath(path: string): { real: string | undefined; isFolder: boolean } {
  const parts = path.split("/");
  for (let end = parts.length; end > 0; end--) {
    const existing = parts.slice(0, end).join("/") || "/";
    const missing = parts.slice(end);
    try {
      // Asked for first, as a missing path is common and an error is slow.
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
