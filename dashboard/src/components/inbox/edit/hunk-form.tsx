// U22: the separate changes a call would make to a file, each with a checkbox. The server previews the selection, as
// for any other edit.

import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { Diff } from "../../../display/diff/diff.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { Button } from "../../../ui/button.tsx";
import { Hash } from "../cards/card-context.tsx";
import { FileMoved } from "../request/file-moved.tsx";
import type { HunkChoice } from "./use-hunks.ts";

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
      {problem !== undefined && (
        <p role="alert" className="whitespace-pre-wrap text-bad text-sm">
          <VisibleText text={problem} />
        </p>
      )}
    </div>
  );
}
