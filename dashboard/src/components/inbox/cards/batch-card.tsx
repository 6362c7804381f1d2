// U28: the user answers several similar items together, after seeing how they differ.
// Each item gets its own decision, which applies only to that item's call.

import { Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft, Layers } from "lucide-react";
import { useState } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { plural } from "../../../../../src/projections/words/format.ts";
import { approvalTitle } from "../../../display/approval-title.ts";
import { CommandTitle } from "../../../display/command/command-text.tsx";
import { Diff } from "../../../display/diff/diff.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { Button } from "../../../ui/button.tsx";
import { useHotkeys } from "../../../ui/hotkeys.ts";
import { KeyHint } from "../../../ui/kbd.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { OutcomeReason, VerdictButtons } from "../../outcome/outcome-form.tsx";
import { confirmationText, type Decision, sendDecision } from "../decision/decide.tsx";
import { TwoAnswers } from "../decision/reject-form.tsx";
import { findDifferences } from "../list/queue.ts";
import { changesFile, stripPatchHeader } from "../request/request-view.tsx";
import { CardLayout } from "./card-frame.tsx";
import { useSeenToEnd } from "./use-seen-to-end.ts";

export interface BatchCardProps {
  items: readonly ApprovalView[];
  onDone(words: string): void;
  /** Called if some answers failed. The caller shows the errors, because this card closes when its items leave the queue. */
  onFailed(words: string): void;
  onBack(): void;
}

export function BatchCard({ items, onDone, onFailed, onBack }: BatchCardProps) {
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const [failed, setFailed] = useState<ReadonlyMap<string, string>>(new Map());
  const [isPending, setPending] = useState(false);
  const [text, setText] = useState("");
  const seen = useSeenToEnd(items.map(({ id }) => id).join());
  const { common, parts } = findDifferences(items);
  const chosen = items.filter(({ id }) => !excluded.has(id));
  const answer = async (word: Decision) => {
    if (isPending || chosen.length === 0) return;
    setPending(true);
    const failures = await sendAll(chosen, word);
    setPending(false);
    setFailed(failures);
    const done = chosen.length - failures.size;
    const what = isOutcome ? confirmationText(word) : common;
    if (failures.size === 0) return onDone(`${plural(done, "answer")} recorded: ${what}`);
    const [why] = failures.values();
    onFailed(`${plural(done, "answer")} recorded, ${failures.size} not: ${why}`);
  };
  const decide = { send: (word: Decision) => void answer(word), isPending, error: null };
  const isOutcome = items[0]!.kind === "outcome";
  useHotkeys([{ keys: "Escape", label: "Back to one item", run: onBack }]);
  return (
    <CardLayout
      labelledBy="together"
      footer={
        isOutcome ? (
          <VerdictButtons item={items[0]!} decide={decide} text={text} isForSeveral />
        ) : (
          <TwoAnswers
            decide={decide}
            yes={`Approve ${chosen.length}`}
            onYes={seen.isSeen && chosen.length > 0 ? () => decide.send({ decision: "approve" }) : undefined}
            no={`Reject ${chosen.length}`}
          >
            {!seen.isSeen && <p className="text-muted text-xs">Scroll to the end to approve.</p>}
          </TwoAnswers>
        )
      }
    >
      <Link
        to="/inbox"
        search={{ item: items[0]!.id }}
        className="flex items-center gap-1 py-1 text-accent text-sm"
      >
        <ArrowLeft size={14} aria-hidden /> Answer one by one
      </Link>
      <h2 id="together" className="font-semibold text-lg">
        {isOutcome ? `${items.length} calls of one tree were interrupted` : `${items.length} similar calls`}
      </h2>
      {isOutcome ? (
        <OutcomeReason text={text} onText={setText} />
      ) : (
        <code className="break-words font-mono text-sm">
          <CommandTitle text={common} />
        </code>
      )}
      <ul className="flex flex-col">
        {items.map((item, at) => (
          <BatchRow
            key={item.id}
            item={item}
            differs={isOutcome ? approvalTitle(item) : parts[at]!}
            chosen={!excluded.has(item.id)}
            failure={failed.get(item.id)}
            onChoose={() => setExcluded(excluded.symmetricDifference(new Set([item.id])))}
          />
        ))}
      </ul>
      <div ref={seen.endRef} className="h-px" />
    </CardLayout>
  );
}

/** Sends one verdict for all unknown outcomes. Sends other decisions one after the other. Returns the error message of each item that failed. */
async function sendAll(items: readonly ApprovalView[], word: Decision): Promise<Map<string, string>> {
  const failures = new Map<string, string>();
  if ("verdict" in word) {
    const [first, ...others] = items;
    const all = { ...word, ...(others.length > 0 ? { alsoFor: others.map(({ id }) => id) } : {}) };
    await sendDecision(first!, all).catch((error: Error) => {
      for (const { id } of items) failures.set(id, error.message);
    });
    return failures;
  }
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

/** One item of the batch: the words that differ from the other items, and the whole diff if the item changes a file. */
function BatchRow({ item, differs, chosen, failure, onChoose }: BatchRowProps) {
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
      {changesFile(item) && item.preview !== undefined && (
        <div>
          <Diff whole patch={stripPatchHeader(item.preview)} />
        </div>
      )}
      <Problem text={failure} />
    </li>
  );
}

/** U28: a button that opens the batch. A card has this button if other items differ from the card's item only in names. */
export function BatchButton({ count, id }: { count: number; id: string }) {
  const navigate = useNavigate({ from: "/inbox" });
  const open = () => void navigate({ search: { item: id, together: true } });
  useHotkeys([{ keys: "b", label: "Answer similar calls together", run: open }]);
  return (
    <Button className="self-start max-md:h-11" onClick={open}>
      <Layers size={15} aria-hidden /> {count} more like this: answer all at once
      <KeyHint>b</KeyHint>
    </Button>
  );
}
