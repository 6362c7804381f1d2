// Looks at a path of the workspace for a probe: through open folders, never through a link, and only if the rules let it be read
// (PB2, X2).

import { lstat } from "node:fs/promises";
import { openFolder, pathIn } from "../files/open-folder.ts";
import { ABSENT, readTextFile } from "../files/text-file.ts";
import { resolveInWorkspace } from "../files/workspace-path.ts";
import type { ProbeContext } from "../tool.ts";

export type PathState = { path: string } & (
  | { at: "absent" }
  /** Milliseconds since 1970. `made` is undefined if the file system does not record it; a rename also updates `touched`. */
  | {
      at: "file" | "folder";
      made: number | undefined;
      changed: number;
      touched: number;
      fingerprint?: string;
    }
  /** `why` is a whole sentence. */
  | { at: "unknown"; why: string }
);

/** `base`: the folder that the path is relative to, itself relative to the workspace. */
export async function probePath(
  path: string,
  base: string,
  { workspace, mayShow }: ProbeContext,
): Promise<PathState> {
  const named = path.startsWith("/") || base === "." ? path : `${base}/${path}`;
  const place = await resolveInWorkspace(workspace, named);
  if (!place.ok) return { path, at: "unknown", why: `${place.why}.` };
  const { relative, root, names } = place;
  if (!mayShow(relative))
    return { path: relative, at: "unknown", why: `The rules do not let ${relative} be read.` };
  if (!place.exists) return { path: relative, at: "absent" };
  try {
    await using folder = await openFolder(root, names.slice(0, -1));
    const stats = await lstat(pathIn(folder, names.at(-1) ?? "."));
    const made = stats.birthtimeMs > 0 ? stats.birthtimeMs : undefined;
    const times = { path: relative, made, changed: stats.mtimeMs, touched: stats.ctimeMs };
    if (stats.isDirectory()) return { at: "folder", ...times };
    if (!stats.isFile()) return { path: relative, at: "unknown", why: `${relative} is no plain file.` };
    const { fingerprint } = await readTextFile(place);
    if (fingerprint === ABSENT) return { path: relative, at: "absent" };
    return { at: "file", ...times, ...(isHash(fingerprint) ? { fingerprint } : {}) };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return { path: relative, at: "unknown", why: `${relative} could not be looked at (${code}).` };
  }
}

/** A file that is too long has a fingerprint that is no hash of its content. */
const isHash = (fingerprint: string): boolean => /^[0-9a-f]{64}$/.test(fingerprint);
