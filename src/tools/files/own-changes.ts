// Finds files that the model has read and that its own command then changes.
// The model knows what its command did, so it does not have to read the files again: an Edit after `sed -i` is not refused.

import type { SeenFile, ToolContext } from "../tool.ts";
import { readTextFile } from "./text-file.ts";
import { resolveInWorkspace } from "./workspace-path.ts";

/** Only the files that were read last are compared, so that a command never waits for a long list of files. */
const MOST_FILES = 50;

/**
 * Call this before the command. After the command, call the returned function: it returns the files that the command changed.
 * A file that was changed between the model's read and the command is left out.
 */
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
