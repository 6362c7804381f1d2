// U28: answers several similar items at once, after showing how they differ. Each still gets its own decision, bound to
// its own call.

import { Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft, Layers } from "lucide-react";
import { useState } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { plural } from "../../../../../src/projections/words/format.ts";
import { CommandTitle } from "../../../display/command/command-text.tsx";
import { Diff } from "../../../display/diff/diff.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { Button } from "../../../ui/button.tsx";
import { useHotkeys } from "../../../ui/hotkeys.ts";
import { Kbd } from "../../../ui/kbd.tsx";
import { useSeenToEnd } from "../cards/use-seen-to-end.ts";
import { RejectForm } from "../decision/reject-form.tsx";
import { type Decision, rejection, sendDecision } from "../decision/use-decide.ts";
import { findDifferences } from "../list/queue.ts";
import { stripPatchHeader } from "../request/patch.ts";

export interface BatchCardProps {
  items: readonly ApprovalView[];
  onDone(words: string): void;
  /**
   * Called if some failed. This view may close as the recorded items leave the queue, so the caller shows the failure.
   */
  onFailed(words: string): void;
  onBack(): void;
}

export function BatchCard({ items, onDone, onFailed, onBack }: BatchCardProps) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [rejecting, setRejecting] = useState(false);
  const [failed, setFailed] = useState<ReadonlyMap<string, string>>(new Map());
  const [pending, setPending] = useState(false);
  const seen = useSeenToEnd(items.map(({ id }) => id).join());
  const { common, parts } = findDifferences(items);
  const chosen = items.filter(({ id }) => !left.has(id));
  const may = seen.isSeen && !pending && chosen.length > 0;
  const answer = async (word: Decision) => {
    if (pending) return;
    setPending(true);
    const failures = await sendAll(chosen, word);
    setPending(false);
    setFailed(failures);
    const done = chosen.length - failures.size;
    if (failures.size === 0) return onDone(`${plural(done, "answer")} recorded: ${common}`);
    const [why] = failures.values();
    onFailed(`${plural(done, "answer")} recorded, ${failures.size} not: ${why}`);
  };
  const approve = () => {
    if (may) void answer({ decision: "approve" });
  };
  useHotkeys([
    { keys: "a", label: "Approve the selected items", run: approve },
    { keys: "d", label: "Reject the selected items, then 1–5 for a reason", run: () => setRejecting(true) },
    { keys: "Escape", label: "Back to one item", run: onBack },
  ]);
  return (
    <article aria-labelledby="together" className="flex min-h-0 flex-1 flex-col bg-surface">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
      <section aria-label="Request" tabIndex={0} className="min-h-0 flex-1 overflow-y-auto">
        <div className="flex max-w-4xl flex-col gap-3 p-4">
          <Link
            to="/inbox"
            search={{ item: items[0]!.id }}
            className="flex items-center gap-1 py-1 text-accent text-sm"
          >
            <ArrowLeft size={14} aria-hidden /> Answer one by one
          </Link>
          <h2 id="together" className="font-semibold text-lg">
            {items.length} similar calls
          </h2>
          <code className="break-words font-mono text-sm">
            <CommandTitle text={common} />
          </code>
          <ul className="flex flex-col">
            {items.map((item, at) => (
              <BatchRow
                key={item.id}
                item={item}
                differs={parts[at]!}
                chosen={!left.has(item.id)}
                failure={failed.get(item.id)}
                onChoose={() => setLeft(left.symmetricDifference(new Set([item.id])))}
              />
            ))}
          </ul>
          <div ref={seen.endRef} className="h-px" />
        </div>
      </section>
      <footer className="shrink-0 border-line border-t px-4 py-3">
        <BatchAnswers
          count={chosen.length}
          {...{ may, pending, rejecting, approve, setRejecting }}
          wait={seen.isSeen ? undefined : "Scroll to the end to approve."}
          onReject={(note) => void answer(rejection(note))}
        />
      </footer>
    </article>
  );
}

interface AnswersProps {
  count: number;
  may: boolean;
  pending: boolean;
  rejecting: boolean;
  /** Why the items cannot be approved yet. */
  wait: string | undefined;
  approve(): void;
  setRejecting(rejecting: boolean): void;
  onReject(note: string): void;
}

function BatchAnswers(props: AnswersProps) {
  const { count, may, pending, rejecting, wait, approve, setRejecting, onReject } = props;
  if (rejecting)
    return <RejectForm pending={pending} onReject={onReject} onBack={() => setRejecting(false)} />;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button look="main" disabled={!may} className="max-md:h-11 max-md:flex-1" onClick={approve}>
        {pending ? "Recording…" : `Approve ${count}`}
      </Button>
      <Button
        look="danger"
        disabled={pending || count === 0}
        className="max-md:h-11 max-md:flex-1"
        onClick={() => setRejecting(true)}
      >
        Reject {count}
        <span className="max-md:hidden">
          <Kbd>d</Kbd>
        </span>
      </Button>
      {wait !== undefined && <p className="text-muted text-xs">{wait}</p>}
    </div>
  );
}

/** Sends one decision after the other and returns the failures by item. */
async function sendAll(items: readonly ApprovalView[], word: Decision): Promise<Map<string, string>> {
  const failures = new Map<string, string>();
  for (const item of items) {
    await sendDecision(item, word).catch((error: Error) => failures.set(item.id, error.message));
  }
  return failures;
}

interface BatchRowProps {
  item: ApprovalView;
  differs: string;
  chosen: boolean;
  failure: string | undefined;
  onChoose(): void;
}

/** One item: only how it differs from the others, and the whole diff of a file. */
function BatchRow({ item, differs, chosen, failure, onChoose }: BatchRowProps) {
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

/** U28: shown when other items differ from this one only in names. */
export function BatchButton({ count, id }: { count: number; id: string }) {
  const navigate = useNavigate({ from: "/inbox" });
  const open = () => void navigate({ search: { item: id, together: true } });
  useHotkeys([{ keys: "b", label: "Answer similar calls together", run: open }]);
  return (
    <Button className="self-start max-md:h-11" onClick={open}>
      <Layers size={15} aria-hidden /> {count} more like this: answer all at once
      <span className="max-md:hidden">
        <Kbd>b</Kbd>
      </span>
    </Button>
  );
}
