// Where a path from the model really is. The name that rules were judged by must be the place that is touched: a path
// whose links lead elsewhere is refused with the name of that place, so that the next call is judged by it (A34, A35).

import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

export type Place =
  | { ok: true; absolute: string; relative: string; exists: boolean }
  /** One sentence for the model. */
  | { ok: false; why: string };

export async function placeInWorkspace(workspace: string, path: string): Promise<Place> {
  if (path.includes("\0")) return refuse("a path cannot hold a NUL character");
  const root = await realpath(workspace).catch(() => undefined);
  if (root === undefined) return refuse(`the workspace ${workspace} does not exist`);
  const named =
    isAbsolute(path) && isInside(resolve(workspace), resolve(path))
      ? relative(resolve(workspace), path)
      : path;
  const absolute = resolve(root, named);
  if (!isInside(root, absolute))
    return refuse(`${path} is outside the workspace: only files in it can be used`);

  const real = await realPlace(absolute);
  if ("why" in real) return refuse(`${path} ${real.why}`);
  if (!isInside(root, real.path))
    return refuse(`${path} leads outside the workspace by a link: only files in it can be used`);
  if (real.path !== absolute)
    return refuse(
      `${path} is reached by a link: use ${portable(relative(root, real.path))}, where it really is`,
    );
  return { ok: true, absolute, relative: portable(relative(root, absolute)) || ".", exists: real.exists };
}

/** Resolves the deepest part that exists; what is yet to be created has no links. */
async function realPlace(absolute: string): Promise<{ path: string; exists: boolean } | { why: string }> {
  const missing: string[] = [];
  for (let at = absolute; ; at = dirname(at)) {
    try {
      return { path: join(await realpath(at), ...missing), exists: missing.length === 0 };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "ELOOP") return { why: "is a link that leads back to itself" };
      if (code === "ENOTDIR") return { why: "goes through a file as if it were a folder" };
      if (code === "ENAMETOOLONG") return { why: "is too long for a path" };
      if (code !== "ENOENT") return { why: `cannot be reached (${code})` };
    }
    // A link to nothing: writing would create whatever it points to.
    if (await isLink(at)) return { why: "is a link that leads nowhere" };
    missing.unshift(basename(at));
  }
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}

/** Aware of separators: `/w/proj-evil` is not inside `/w/proj`. */
function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

const portable = (path: string): string => (sep === "/" ? path : path.replaceAll(sep, "/"));

const refuse = (why: string): Place => ({ ok: false, why });
