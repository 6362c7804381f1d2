// The files that a run changed itself, with what its journal has of each change: what a person was shown, else what the
// call asked for. A command may have changed others: those no journal knows.

import type { FileChange } from "../../../../src/journal/events.ts";
import type { ConversationCall } from "../../../../src/projections/views/conversation.ts";
import { patchOfCall } from "../../display/diff/patch-of-call.ts";

export interface ChangedFile {
  path: string;
  change: FileChange["change"];
  changes: { seq: number; tool: string; patch: string | undefined; wasShown: boolean }[];
}

export function changedFiles(calls: Iterable<ConversationCall>): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const { seq, tool, input, preview, result } of calls) {
    for (const { path, change } of result?.files ?? []) {
      const file = files.get(path) ?? { path, change, changes: [] };
      const wasShown = preview?.includes("\n@@ ") ?? false;
      const alone = result?.files?.length === 1;
      const patch = wasShown ? preview : alone ? patchOfCall(tool, input) : undefined;
      file.changes.push({ seq, tool, patch, wasShown });
      if (change === "deleted") file.change = change;
      files.set(path, file);
    }
  }
  return [...files.values()];
}
