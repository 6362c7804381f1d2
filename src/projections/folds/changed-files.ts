// The files that a call changed: those that its tool reported, and those that were found after the call, such as files that a command changed.

import type { FileChange, Payload } from "../../journal/events.ts";

export function changedFiles({ files = [], changes }: Payload<"TOOL_RESULT">): FileChange[] {
  const found = (changes?.paths ?? []).flatMap(({ path, before, after }): FileChange[] => {
    const [had, has] = [before, after].map((version) => version !== null && version.kind !== "folder");
    if (!had && !has) return [];
    return [{ path, change: !had ? "created" : has ? "modified" : "deleted" }];
  });
  return [...files, ...found];
}
