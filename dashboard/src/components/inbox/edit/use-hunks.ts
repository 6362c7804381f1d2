// Which hunks of a file change the user wants: all of them, until one is deselected.

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { editPreviewQuery } from "../../../live/queries.ts";
import { type Hunk, hunksOf, inputProducing } from "./hunks.ts";

export interface HunkChoice {
  /** Empty if there is nothing to choose from. */
  hunks: readonly Hunk[];
  chosen: ReadonlySet<number>;
  choose(at: number): void;
  /** Selects all, or none if all are selected. */
  chooseAll(): void;
  /** The file has changed since the approval was requested. */
  hasFileChanged: boolean;
  fingerprint: string | undefined;
  /** The file with the selected hunks applied. */
  text: string | undefined;
  /** An input that makes exactly these changes; undefined if none is selected. */
  input: unknown;
}

export function useHunks(item: ApprovalView): HunkChoice {
  const changesFile = item.kind === "tool" && (item.tool === "Write" || item.tool === "Edit");
  const { data } = useQuery({ ...editPreviewQuery(item.id, item.input), enabled: changesFile, retry: false });
  const change = data?.change;
  // The text contains masked secrets; rebuilding the file from it would write the masks.
  const parts = useMemo(
    () => (change && !change.masked ? hunksOf(change.before, change.after) : undefined),
    [change],
  );
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const all = new Set(parts?.hunks.keys());
  const chosen = all.difference(left);
  const text = parts?.textWith(chosen);
  // Memoized: a new object would make the server check the same input again.
  const input = useMemo(
    () =>
      change && text !== undefined && text !== change.before
        ? inputProducing(item.input, change.before, text)
        : undefined,
    [change, text, item.input],
  );
  return {
    hunks: parts && parts.hunks.length > 1 ? parts.hunks : [],
    chosen,
    choose: (at) => setLeft(left.symmetricDifference(new Set([at]))),
    chooseAll: () => setLeft(chosen.size === all.size ? all : new Set()),
    hasFileChanged: data?.fingerprint !== undefined && data.fingerprint !== item.fingerprint,
    fingerprint: data?.fingerprint,
    text,
    input,
  };
}
