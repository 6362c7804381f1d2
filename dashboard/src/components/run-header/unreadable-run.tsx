import { FileWarning } from "lucide-react";
import type { RunTree } from "../../../../src/api/client/types.ts";
import { Command } from "../../display/command/command.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { NoticeBar } from "../../ui/notice-bar.tsx";

/** P9: shown for a run whose journal cannot be read at all. */
export function UnreadableRun({ row }: { row: RunTree }) {
  return (
    <div role="alert">
      <EmptyState icon={<FileWarning size={28} aria-hidden />} title="The journal of this run is damaged">
        <p>
          {row.agent} is listed, but its journal cannot be read. Other runs are not affected. Find the damage
          with:
        </p>
        <Command words={`verify ${row.id}`} />
      </EmptyState>
    </div>
  );
}

/** A warning above a run whose journal can be read only in part. */
export function DamageNotice({ runId }: { runId: string }) {
  return (
    <NoticeBar tone="bad" role="alert">
      <FileWarning size={14} aria-hidden />
      Part of this journal cannot be read, so the page has gaps. Find the damage with:
      <Command words={`verify ${runId}`} />
    </NoticeBar>
  );
}
