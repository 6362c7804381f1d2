import { useQueries } from "@tanstack/react-query";
import { createTwoFilesPatch } from "diff";
import type { AgentDetail } from "../../../../../src/api/client/types.ts";
import { Diff } from "../../../display/diff/diff.tsx";
import { Failure, Loading } from "../../../display/page-state.tsx";
import { definitionQuery } from "../../../live/queries.ts";
import { Dialog } from "../../../ui/dialog.tsx";

export interface VersionDiffProps {
  older: string;
  newer: string;
  onClose(): void;
}

/** The differences between two versions: keys first, then the prompt. */
export function VersionDiff({ older, newer, onClose }: VersionDiffProps) {
  const [before, after] = useQueries({ queries: [definitionQuery(older), definitionQuery(newer)] });
  const error = before.error ?? after.error;
  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => !open && onClose()}
      title="What changed"
      description={`From ${older.slice(0, 10)} to ${newer.slice(0, 10)}`}
    >
      <div className="min-h-0 overflow-auto p-4">
        {error && <Failure error={error} />}
        {!error && !(before.data && after.data) && <Loading />}
        {before.data && after.data && (
          <Diff patch={patchOf(definitionText(before.data), definitionText(after.data))} />
        )}
      </div>
    </Dialog>
  );
}

function patchOf(before: string, after: string): string {
  const lines = createTwoFilesPatch("", "", before, after, "", "", { context: 3 }).split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@"));
  return first === -1 ? "Only the file name or the time it was read differs." : lines.slice(first).join("\n");
}

// A pinned definition as comparable lines: one key per line, then the prompt.
type Definition = NonNullable<AgentDetail["definition"]>;

function definitionText({ prompt, ...keys }: Definition): string {
  const lines = Object.entries(keys)
    .filter(([key]) => key !== "source")
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [...lines, "---", prompt, ""].join("\n");
}
