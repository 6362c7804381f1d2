// U22: the separate changes that a call would make to a file, each with a checkbox.
// The server previews the selected changes, like any other edit.

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { Diff } from "../../../display/diff/diff.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { editPreviewQuery } from "../../../live/queries.ts";
import { Button } from "../../../ui/button.tsx";
import { Hash } from "../cards/card-frame.tsx";
import { changesFile, FileMoved } from "../request/request-view.tsx";
import { EditProblem } from "./edit-form.tsx";
import { type Hunk, hunksOf, inputProducing } from "./hunks.ts";

export interface HunkFormProps {
  item: ApprovalView;
  choice: HunkChoice;
  problem: string | undefined;
}

export function HunkForm({ item, choice, problem }: HunkFormProps) {
  const { hunks, chosen, choose, chooseAll, hasFileChanged, fingerprint } = choice;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="min-w-0 text-sm">
          <code className="break-all font-mono text-xs">
            <VisibleText text={(item.input as { path: string }).path} />
          </code>{" "}
          <span className="text-muted">
            {chosen.size} of {hunks.length} changes selected, based on{" "}
            {hasFileChanged ? "the current file" : "the file as shown"}{" "}
          </span>
          {fingerprint !== undefined && <Hash value={fingerprint} />}
        </p>
        <Button size="small" look="quiet" className="max-md:h-10" onClick={chooseAll}>
          {chosen.size === hunks.length ? "Select none" : "Select all"}
        </Button>
      </div>
      {hasFileChanged && <FileMoved />}
      {hunks.map(({ line, patch }, at) => (
        <section key={patch} className={chosen.has(at) ? "" : "grayscale"}>
          <label className="flex items-center gap-2 pb-1 text-sm max-md:h-10">
            <input
              type="checkbox"
              className="size-4 shrink-0"
              checked={chosen.has(at)}
              onChange={() => choose(at)}
            />
            Change {at + 1} of {hunks.length}, at line {line}
            {!chosen.has(at) && <span className="text-muted"> (left out)</span>}
          </label>
          <Diff whole patch={patch} />
        </section>
      ))}
      <EditProblem text={problem} />
    </div>
  );
}

export interface HunkChoice {
  /** The separate changes of the call; empty if the user cannot choose between changes. */
  hunks: readonly Hunk[];
  chosen: ReadonlySet<number>;
  choose(at: number): void;
  /** Selects all hunks. If all are already selected, it deselects all. */
  chooseAll(): void;
  /** Whether the file has changed since the approval was requested. */
  hasFileChanged: boolean;
  fingerprint: string | undefined;
  /** The file with the selected hunks applied. */
  text: string | undefined;
  /** The input that makes exactly the selected changes; undefined if no change is selected. */
  input: unknown;
}

/** The hunks that the user wants from a file change. At first all hunks are selected. */
export function useHunks(item: ApprovalView): HunkChoice {
  const enabled = item.kind === "tool" && changesFile(item);
  const { data } = useQuery({ ...editPreviewQuery(item.id, item.input), enabled, retry: false });
  const change = data?.change;
  // A text with masked secrets cannot be used, because the call would write the masked text into the file.
  const parts = useMemo(
    () => (change && !change.masked ? hunksOf(change.before, change.after) : undefined),
    [change],
  );
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const all = new Set(parts?.hunks.keys());
  const chosen = all.difference(left);
  const text = parts?.textWith(chosen);
  // The input is memoized, because a new object would make the server check the same input again.
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
