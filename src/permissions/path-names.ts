// A path under every name that a rule may know it by. A run in a worktree works on a copy of its parent's folder, and
// what it does there is merged back: a rule about the parent's file holds for its copy, however many copies deep (P12).
// Pure: what links make of a name is told by whoever looked (`look`); where nobody did, the name is the place.

import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isCadreState } from "./protected-files.ts";

export interface WorkspaceView {
  workspace: string;
  /** Nearest first: the folders that the workspace is a copy of, and is merged into. */
  mergesInto?: readonly string[] | undefined;
  /**
   * What is at an absolute path, as it would be opened: `link/../x` is not `x`. File tools refuse a path that links lead
   * elsewhere; a shell command follows it (A35).
   */
  inspectPath?: InspectPath | undefined;
  /** A setting of the repository's own by which git would run a program, if there is one (A30). */
  gitProgramSetting?: ((workspace: string) => string | undefined) | undefined;
}

export type InspectPath = (path: string) => InspectedPath;

export interface InspectedPath {
  /** Where it is once links are followed; undefined where that cannot be told. */
  real: string | undefined;
  isFolder: boolean;
}

export interface NamedPath {
  /** From the workspace, or from one that it is merged into. */
  path: string;
  absolute: string;
  /** Where links lead, if that is elsewhere. */
  real?: NamedPath;
}

/** The place itself, then what it is in each folder that the workspace is merged into. */
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

/** Whether a command that opens this path stays in the workspace and out of what is Cadre's, by its name and by where it leads. */
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

/** What lies outside of the copy is itself. Both may be the same folder below the tops of what was copied. */
function originalOf(absolute: string, copy: string, original: string): string {
  if (basename(copy) === basename(original) && dirname(copy) !== copy)
    return originalOf(absolute, dirname(copy), dirname(original));
  const inside = relative(copy, absolute);
  return inside.split(sep)[0] === ".." ? absolute : join(original, inside);
}
