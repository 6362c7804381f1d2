// Lists all names by which a rule can refer to a path. A run in a worktree works on a copy of its parent's folder.
// The copy is merged later, so a rule about the parent's file also applies to the copy, even in a worktree inside a worktree (P12).
// `inspectPath` resolves links. If it is missing, a path is used as written.

import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isCadreState } from "./protected-files.ts";

export interface WorkspaceView {
  workspace: string;
  /** Folders that the workspace is a copy of and will be merged into. The nearest folder comes first. */
  mergesInto?: readonly string[] | undefined;
  /** Resolves links in an absolute path as the system does. For example, `link/../x` might not be `x` (A35). */
  inspectPath?: InspectPath | undefined;
  /** Returns a repository setting that makes git run a program. Undefined if there is none (A30). */
  gitProgramSetting?: ((workspace: string) => string | undefined) | undefined;
  /** Whether the configuration in force names this path, for example as the script of a hook. Such a path is protected (A37). */
  isNamed?: ((path: string, absolute?: string) => boolean) | undefined;
  /** Finds the files in the workspace that hold keys, as absolute paths (A71). */
  findKeyFiles?: ((workspace: string) => readonly string[]) | undefined;
  /** Finds a file with a known secret, among files and in folders (A71). `skipsHidden` leaves out hidden and ignored files, as ripgrep does. */
  findSecretIn?: ((paths: readonly string[], skipsHidden: boolean) => string | undefined) | undefined;
}

export type InspectPath = (path: string) => InspectedPath;

export interface InspectedPath {
  /** The path with links resolved. Undefined if it cannot be resolved. */
  real: string | undefined;
  isFolder: boolean;
}

export interface NamedPath {
  /** Path relative to the workspace, or to a folder that the workspace will be merged into. */
  path: string;
  absolute: string;
  /** The path to which links lead, if it is another path. */
  real?: NamedPath;
}

/** The path itself, followed by the same path in each folder that the workspace will be merged into. */
export type PathNames = readonly [NamedPath, ...NamedPath[]];

export function pathNames(
  path: string,
  { workspace, mergesInto = [], inspectPath }: WorkspaceView,
): PathNames {
  let absolute = resolve(workspace, path);
  const own = placeIn(workspace, absolute);
  const real = inspectPath && realPlace(path, own, workspace, inspectPath);
  let copy = workspace;
  const originals = mergesInto.map((original) => {
    absolute = originalOf(absolute, copy, original);
    copy = original;
    return placeIn(original, absolute);
  });
  return [real ? { ...own, real } : own, ...originals];
}

/** True if the path is in the workspace, both as written and with links resolved, and is not one of Cadre's own files. */
export function isInWorkspace(path: string, { workspace, inspectPath }: WorkspaceView): boolean {
  if (isElsewhere(placeIn(workspace, resolve(workspace, path)))) return false;
  if (!inspectPath) return true;
  const { real } = inspectPath(joinUnresolved(path, workspace));
  return real !== undefined && !isElsewhere(placeIn(inspectPath(workspace).real ?? workspace, real));
}

const isElsewhere = ({ path }: NamedPath): boolean =>
  /^\.\.(\/|$)/.test(path) || isAbsolute(path) || isCadreState(path);

export const joinUnresolved = (path: string, folder: string): string =>
  isAbsolute(path) ? path : `${folder}${sep}${path}`;

function realPlace(
  path: string,
  own: NamedPath,
  workspace: string,
  look: InspectPath,
): NamedPath | undefined {
  const { real } = look(joinUnresolved(path, workspace));
  if (real === undefined || real === own.absolute) return undefined;
  const place = placeIn(look(workspace).real ?? workspace, real);
  return place.path === own.path ? undefined : place;
}

function placeIn(workspace: string, absolute: string): NamedPath {
  const inside = relative(workspace, absolute);
  return { path: sep === "/" ? inside : inside.replaceAll(sep, "/"), absolute };
}

/** Maps a path in a copy to the same path in the original folder. A path outside the copy is returned unchanged. */
function originalOf(absolute: string, copy: string, original: string): string {
  if (basename(copy) === basename(original) && dirname(copy) !== copy)
    return originalOf(absolute, dirname(copy), dirname(original));
  const inside = relative(copy, absolute);
  return inside.split(sep)[0] === ".." ? absolute : join(original, inside);
}
