// U22: the file change as recorded with the request; on demand within the whole current file.

import { useQuery } from "@tanstack/react-query";
import { createTwoFilesPatch } from "diff";
import { useState } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { Diff } from "../../../display/diff/diff.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { editPreviewQuery } from "../../../live/queries.ts";
import { Button } from "../../../ui/button.tsx";
import { FileMoved } from "./file-moved.tsx";
import { stripPatchHeader } from "./patch.ts";

export function FileChange({ item }: { item: ApprovalView }) {
  const [whole, setWhole] = useState(false);
  const { path } = item.input as { path: string };
  const now = useQuery({ ...editPreviewQuery(item.id, item.input), enabled: whole });
  const change = whole ? now.data?.change : undefined;
  const moved = now.data?.fingerprint !== undefined && now.data.fingerprint !== item.fingerprint;
  const patch = change
    ? createTwoFilesPatch(path, path, change.before, change.after, undefined, undefined, {
        context: 1_000_000,
      })
    : (item.preview ?? "");
  return (
    <div>
      <div className="flex flex-wrap items-center justify-between gap-2 pb-1">
        <code className="break-all font-mono text-xs">
          <VisibleText text={path} />
        </code>
        <Button size="small" look="quiet" aria-pressed={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show only the change" : "Show the whole file"}
        </Button>
      </div>
      {whole && moved && <FileMoved />}
      <Diff whole patch={stripPatchHeader(patch)} />
    </div>
  );
}
