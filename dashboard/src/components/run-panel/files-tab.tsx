import { ChevronRight } from "lucide-react";
import { useState } from "react";
import type { FileChange } from "../../../../src/journal/events.ts";
import type { ConversationCall } from "../../../../src/projections/views/conversation.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { Diff } from "../../display/diff/diff.tsx";
import { patchOfCall } from "../../display/diff/patch-of-call.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { runStateOf, talkOf } from "../../live/folds.ts";
import type { RunJournal } from "../../live/tree-journal.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyTab, Section } from "./section.tsx";

export function FilesTab({ run, onSelect }: { run: RunJournal; onSelect(seq: number): void }) {
  const own = changedFiles(talkOf(run.events).calls.values());
  const below = [...runStateOf(run.events).files].filter(([path]) => !own.some((file) => file.path === path));
  if (own.length + below.length === 0)
    return <EmptyTab>No tool reported a change. Changes made by commands are not recorded.</EmptyTab>;
  return (
    <>
      {own.length > 0 && (
        <Section title={`Changed by this run: ${plural(own.length, "file")}`}>
          {own.map((file) => (
            <FileRow key={file.path} file={file} onSelect={onSelect} />
          ))}
        </Section>
      )}
      {below.length > 0 && (
        <Section title={`Changed by runs below it: ${plural(below.length, "file")}`}>
          <ul className="flex flex-col gap-1 font-mono text-xs">
            {below.map(([path, change]) => (
              <li key={path} className="flex gap-2 wrap-anywhere">
                <Badge tone={TONES[change]}>{change}</Badge>
                <VisibleText text={path.replaceAll("\n", "↵")} />
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

const TONES: Record<ChangedFile["change"], Tone> = { created: "good", modified: "info", deleted: "bad" };

function FileRow({ file, onSelect }: { file: ChangedFile; onSelect(seq: number): void }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="rounded-md border border-line">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-10 w-full items-center gap-2 rounded-md px-2 py-1 text-left text-xs hover:bg-raised md:min-h-8"
      >
        <ChevronRight size={13} aria-hidden className={open ? "shrink-0 rotate-90" : "shrink-0"} />
        <span className="min-w-0 flex-1 truncate font-mono">
          <VisibleText text={file.path.replaceAll("\n", "↵")} />
        </span>
        {file.changes.length > 1 && (
          <span className="text-muted">{plural(file.changes.length, "change")}</span>
        )}
        <Badge tone={TONES[file.change]}>{file.change}</Badge>
      </button>
      {open &&
        file.changes.map(({ seq, tool, patch, wasShown }) => (
          <div key={seq} className="flex flex-col gap-1 border-line border-t p-2 text-sm">
            <p className="flex flex-wrap items-center gap-2 text-muted text-xs">
              <VisibleText text={tool} />: {wasShown ? "as shown for approval" : "as requested by the call"}
              <Button look="quiet" size="small" onClick={() => onSelect(seq)}>
                Event {seq}
              </Button>
            </p>
            {patch === undefined ? <p>The diff is not recorded.</p> : <Diff patch={patch} />}
          </div>
        ))}
    </div>
  );
}

/**
 * A file that the run's own tools changed. `patch` is the diff that was shown for approval, or else the change that the call requested.
 * Commands might have changed other files, but no journal records such changes.
 */
interface ChangedFile {
  path: string;
  change: FileChange["change"];
  changes: { seq: number; tool: string; patch: string | undefined; wasShown: boolean }[];
}

function changedFiles(calls: Iterable<ConversationCall>): ChangedFile[] {
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
