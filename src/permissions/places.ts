// A path under every name that a rule may know it by. A run in a worktree works on a copy of its parent's folder, and
// what it does there is merged back: a rule about the parent's file holds for its copy, however many copies deep (P12).
// Looks at names only: the tools themselves refuse a path whose links lead elsewhere, so the name is the place.

import { basename, dirname, join, relative, resolve, sep } from "node:path";

export interface Workplace {
  workspace: string;
  /** Nearest first: the folders that the workspace is a copy of, and is merged into. */
  mergesInto?: readonly string[] | undefined;
}

export interface Place {
  /** From the workspace, or from one that it is merged into. */
  path: string;
  absolute: string;
}

/** The place itself, then what it is in each folder that the workspace is merged into. */
export type Places = readonly [Place, ...Place[]];

export function placesOf(path: string, { workspace, mergesInto = [] }: Workplace): Places {
  let absolute = resolve(workspace, path);
  let copy = workspace;
  const originals = mergesInto.map((original) => {
    absolute = originalOf(absolute, copy, original);
    copy = original;
    return placeIn(original, absolute);
  });
  return [placeIn(workspace, resolve(workspace, path)), ...originals];
}

function placeIn(workspace: string, absolute: string): Place {
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
