// Finds the files that a command changes although the model has read them. They count as read in their new version,
// because the model knows its own command: an Edit after `sed -i` is not refused.

import type { SeenFile, ToolContext } from "../tool.ts";
import { readTextFile } from "./text-file.ts";
import { resolveInWorkspace } from "./workspace-path.ts";

/** Only the files that were read last are compared, so that a command does not wait for many files. */
const MOST_FILES = 50;

/** Call this before the command. The returned function gives the changed files after it. A file that somebody else has changed before is left out. */
export async function watchSeenFiles({
  workspace,
  seenFiles = new Map(),
}: Pick<ToolContext, "workspace" | "seenFiles">): Promise<() => Promise<SeenFile[]>> {
  const unchanged: SeenFile[] = [];
  for (const [path, fingerprint] of [...seenFiles].slice(-MOST_FILES))
    if ((await fingerprintAt(workspace, path)) === fingerprint) unchanged.push({ path, fingerprint });
  return async () => {
    const changed: SeenFile[] = [];
    for (const { path, fingerprint: before } of unchanged) {
      const fingerprint = await fingerprintAt(workspace, path);
      if (fingerprint !== undefined && fingerprint !== before) changed.push({ path, fingerprint });
    }
    return changed;
  };
}

async function fingerprintAt(workspace: string, path: string): Promise<string | undefined> {
  const place = await resolveInWorkspace(workspace, path);
  return place.ok ? (await readTextFile(place)).fingerprint : undefined;
}
