// Which places of a file's change are wanted. All are, until one is left out.

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { editPreviewQuery } from "../../../live/queries.ts";
import { type Hunk, hunksOf, inputProducing } from "./hunks.ts";

export interface HunkChoice {
  /** None: there is nothing to choose between. */
  hunks: readonly Hunk[];
  chosen: ReadonlySet<number>;
  choose(at: number): void;
  /** All, or none if all are. */
  chooseAll(): void;
  /** The file is not any more what it was when this was asked. */
  hasFileChanged: boolean;
  fingerprint: string | undefined;
  /** What the file would be with them. */
  text: string | undefined;
  /** Of the call with exactly these; undefined: with none there is nothing to approve. */
  input: unknown;
}

export function useHunks(item: ApprovalView): HunkChoice {
  const changesFile = item.kind === "tool" && (item.tool === "Write" || item.tool === "Edit");
  const { data } = useQuery({ ...editPreviewQuery(item.id, item.input), enabled: changesFile, retry: false });
  const change = data?.change;
  // A word that stands for a secret must not take its place in the file.
  const parts = useMemo(
    () => (change && !change.masked ? hunksOf(change.before, change.after) : undefined),
    [change],
  );
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const all = new Set(parts?.hunks.keys());
  const chosen = all.difference(left);
  const text = parts?.textWith(chosen);
  // The same object while the choice is the same: another one would be asked of the server again.
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
