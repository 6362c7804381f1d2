// The card of a call that needs approval. The user approves the call as it is, approves it with changes, or rejects it.
// An approval covers exactly the call that was shown.

import { useRef, useState } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { MERGE_CALL } from "../../../../../src/projections/folds/tool-call.ts";
import { useHotkeys } from "../../../ui/hotkeys.ts";
import { useDecide } from "../decision/decide.tsx";
import { nextScope, ONCE, scopeFields, ToolAnswers } from "../decision/tool-answers.tsx";
import { EditForm } from "../edit/edit-form.tsx";
import { HunkForm } from "../edit/hunk-form.tsx";
import { type Change, type Mode, useChange } from "../edit/use-change.ts";
import { RequestView } from "../request/request-view.tsx";
import { CardFrame, type CardProps } from "./card-frame.tsx";
import { findDangers } from "./dangers.ts";
import { useSeenToEnd } from "./use-seen-to-end.ts";

export function ToolCard({ item, takesFocus, onDecided, children }: CardProps) {
  const seen = useSeenToEnd(item.id);
  const [mode, setMode] = useState<Mode>("look");
  const [scope, setScope] = useState(ONCE);
  const change = useChange(item, mode);
  const decide = useDecide(item, onDecided);
  const approveButton = useRef<HTMLButtonElement>(null);
  const mayApprove = !decide.isPending && change.isValid && (mode === "edit" || seen.isSeen);
  const approve = () => {
    if (!mayApprove) return;
    const granted = scopeFields(scope);
    decide.send(
      change.isChanged
        ? { decision: "edit", input: change.input, ...granted }
        : { decision: "approve", ...granted },
    );
  };
  const isDangerous = findDangers(item).length > 0 || scope.scope !== "once";
  const canEdit = item.tool !== MERGE_CALL;
  const canChoose = change.hunks.hunks.length > 0;
  useHotkeys([
    {
      keys: "a",
      label: "Approve (Enter confirms if it is dangerous)",
      run: () => (isDangerous ? approveButton.current?.focus() : approve()),
    },
    { keys: "mod+enter", label: "Approve as changed", run: () => change.isChanged && approve() },
    { keys: "e", label: "Edit, then approve", run: () => canEdit && setMode("edit") },
    { keys: "h", label: "Choose which changes to apply", run: () => canChoose && setMode("choose") },
    { keys: "d", label: "Reject, then 1–5 for a reason", run: () => setMode("reject") },
    { keys: "s", label: "Next scope: once, run, tree, always", run: () => setScope(nextScope(scope)) },
    { keys: "Escape", label: "Back", run: () => setMode("look") },
  ]);
  return (
    <CardFrame
      item={item}
      takesFocus={takesFocus}
      answers={
        <ToolAnswers
          {...{
            item,
            canEdit,
            mode,
            setMode,
            scope,
            setScope,
            change,
            decide,
            mayApprove,
            approve,
            approveButton,
          }}
          seen={seen.isSeen}
        />
      }
    >
      {children}
      <EditableRequest item={item} mode={mode} change={change} onLeave={() => setMode("look")} />
      {mode !== "edit" && <div ref={seen.endRef} className="h-px" data-testid="end-of-call" />}
    </CardFrame>
  );
}

/** Shows the requested call, or the form in which the user changes the call. */
interface EditableRequestProps {
  item: ApprovalView;
  mode: Mode;
  change: Change;
  onLeave(): void;
}

function EditableRequest({ item, mode, change, onLeave }: EditableRequestProps) {
  const { draft, setDraft, edit, hunks, problem } = change;
  if (mode === "edit")
    return <EditForm draft={draft} onChange={setDraft} state={edit} problem={problem} onLeave={onLeave} />;
  if (mode === "choose") return <HunkForm item={item} choice={hunks} problem={problem} />;
  return <RequestView item={item} />;
}
