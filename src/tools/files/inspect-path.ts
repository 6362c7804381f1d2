// Finds out where a path really leads, for the permissions that judge a command before it runs. A path inside the workspace may
// lead outside through a link (A35).

import { lstatSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";

/** Resolves an absolute path as the system would: `link/../x` is not `x`. `real` is undefined if that fails. */
export function inspectPath(path: string): { real: string | undefined; isFolder: boolean } {
  const parts = path.split("/");
  for (let end = parts.length; end > 0; end--) {
    const existing = parts.slice(0, end).join("/") || "/";
    const missing = parts.slice(end);
    try {
      // `statSync` comes first, because missing paths are common and exceptions are slow.
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
