// Lists the files of a workspace as a tree for people. Links are not followed.
// Hidden files and files in .gitignore are left out.

import { describeSystemError } from "../../errors.ts";
import { openFolder } from "./open-folder.ts";
import { ripgrep } from "./ripgrep.ts";
import { resolveInWorkspace } from "./workspace-path.ts";

const MAX_FILES = 5_000;

export interface TreeEntry {
  name: string;
  path: string;
  kind: "file" | "folder";
  children?: TreeEntry[];
}

export async function workspaceTree(
  workspace: string,
  path: string,
): Promise<{ path: string; entries: TreeEntry[]; truncated: boolean } | { problem: string }> {
  const place = await resolveInWorkspace(workspace, path);
  if (!place.ok) return { problem: place.why };
  if (!place.exists) return { problem: `${path} does not exist` };
  try {
    await using folder = await openFolder(place.root, place.names);
    const files: string[] = [];
    const end = await ripgrep({
      // The list is sorted, so that a long list is always cut at the same place.
      args: ["--files", "--sort=path", "--no-require-git", "--null", "--", "."],
      separator: "\0",
      folder,
      signal: new AbortController().signal,
      onRecord(record) {
        if (files.length === MAX_FILES) return false;
        files.push(record.replace(/^\.\//, ""));
        return true;
      },
    });
    if (!end.ok) return { problem: `${path} cannot be listed: ${end.why}` };
    return { path: place.relative, entries: nestEntries(files, place.relative), truncated: !end.complete };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return {
      problem:
        code === "ENOTDIR"
          ? `${path} is no folder`
          : `${path} cannot be listed: ${describeSystemError(error)}`,
    };
  }
}

function nestEntries(files: readonly string[], base: string): TreeEntry[] {
  const top: TreeEntry[] = [];
  const folders = new Map<string, TreeEntry[]>([["", top]]);
  const childrenOf = (folder: string): TreeEntry[] => {
    const known = folders.get(folder);
    if (known) return known;
    const children: TreeEntry[] = [];
    folders.set(folder, children);
    add(folder, { kind: "folder", children });
    return children;
  };
  const add = (path: string, entry: Pick<TreeEntry, "kind" | "children">): void => {
    const slash = path.lastIndexOf("/");
    const whole = base === "." ? path : `${base}/${path}`;
    childrenOf(path.slice(0, Math.max(0, slash))).push({
      name: path.slice(slash + 1),
      path: whole,
      ...entry,
    });
  };
  for (const file of files) add(file, { kind: "file" });
  return top;
}
