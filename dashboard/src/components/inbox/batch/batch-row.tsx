import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { CommandTitle } from "../../../display/command/command-title.tsx";
import { Diff } from "../../../display/diff/diff.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { stripPatchHeader } from "../request/patch.ts";

export interface BatchRowProps {
  item: ApprovalView;
  differs: string;
  chosen: boolean;
  failure: string | undefined;
  onChoose(): void;
}

/** One of several: only what differs from the others, and of a file all that would change. */
export function BatchRow({ item, differs, chosen, failure, onChoose }: BatchRowProps) {
  const changesFile = item.tool === "Write" || item.tool === "Edit";
  return (
    <li className="flex flex-col gap-1 border-line border-b py-2">
      <label className="flex items-start gap-2 py-1">
        <input type="checkbox" checked={chosen} onChange={onChoose} className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0 flex-1">
          <code className="break-words font-mono text-sm [overflow-wrap:anywhere]">
            <CommandTitle text={differs} />
          </code>
          <span className="block text-muted text-xs">
            <VisibleText text={item.path.join(" › ")} />
          </span>
        </span>
      </label>
      {changesFile && item.preview !== undefined && (
        <div>
          <Diff whole patch={stripPatchHeader(item.preview)} />
        </div>
      )}
      {failure !== undefined && (
        <p role="alert" className="text-bad text-sm">
          <VisibleText text={failure} />
        </p>
      )}
    </li>
  );
}
