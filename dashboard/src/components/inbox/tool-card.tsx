// A call that needs a yes: as it is, changed, or not at all. One yes holds for exactly what was seen.

import { useRef, useState } from "react";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { AnswerFailure } from "./answer-failure.tsx";
import { ApproveRow } from "./approve-row.tsx";
import { Body } from "./body.tsx";
import { CardFrame } from "./card-frame.tsx";
import type { CardProps } from "./card-props.ts";
import { dangersOf } from "./dangers.ts";
import { draftOf } from "./draft.ts";
import { EditForm, useEditState } from "./edit-form.tsx";
import { RejectForm } from "./reject-form.tsx";
import { nextScope, ONCE, ScopeField, scopeWords } from "./scope.tsx";
import { useDecide } from "./use-decide.ts";
import { useSeen } from "./use-seen.ts";

export function ToolCard({ item, takesFocus, onDecided, children }: CardProps) {
  const seen = useSeen(item.id);
  const [mode, setMode] = useState<"look" | "edit" | "reject">("look");
  const [draft, setDraft] = useState(() => draftOf(item.input));
  const [scope, setScope] = useState(ONCE);
  const decide = useDecide(item, onDecided);
  const approveButton = useRef<HTMLButtonElement>(null);
  const edit = useEditState(item, draft, mode === "edit");
  const fits =
    edit.checked !== undefined && edit.checked.problem === undefined && draft.problem === undefined;
  const may = !decide.pending && (mode === "edit" ? fits : seen.whole);
  const approve = () => {
    if (!may) return;
    const widely = scopeWords(scope);
    decide.send(
      mode === "edit"
        ? { decision: "edit", input: draft.input, ...widely }
        : { decision: "approve", ...widely },
    );
  };
  const isDangerous = dangersOf(item).length > 0 || scope.scope !== "once";
  const look = () => setMode("look");
  useHotkeys([
    {
      keys: "a",
      label: "Approve (where it is dangerous, Enter confirms)",
      run: () => (isDangerous ? approveButton.current?.focus() : approve()),
    },
    { keys: "mod+enter", label: "Approve as changed", run: () => mode === "edit" && approve() },
    { keys: "e", label: "Change it, then approve", run: () => setMode("edit") },
    { keys: "d", label: "Reject, then 1–5 for why", run: () => setMode("reject") },
    { keys: "s", label: "Next scope: once, run, below, always", run: () => setScope(nextScope(scope)) },
    { keys: "Escape", label: "Back to the answers", run: look },
  ]);
  return (
    <CardFrame
      item={item}
      takesFocus={takesFocus}
      answers={
        <>
          <AnswerFailure error={decide.error} />
          {mode === "reject" ? (
            <RejectForm
              pending={decide.pending}
              onReject={(note) => decide.send({ decision: "reject", ...(note === "" ? {} : { note }) })}
              onLeave={look}
            />
          ) : (
            <div className="flex flex-col gap-2">
              <ScopeField
                value={scope}
                onChange={setScope}
                grant={mode === "edit" ? edit.checked?.grant : item.grant}
              />
              <ApproveRow
                {...{ mode, may, approve, approveButton }}
                pending={decide.pending}
                wait={waitWords(mode, seen.whole, fits)}
                onEdit={() => setMode("edit")}
                onReject={() => setMode("reject")}
                onLeave={look}
              />
            </div>
          )}
        </>
      }
    >
      {children}
      {mode === "edit" ? (
        <EditForm draft={draft} onChange={setDraft} state={edit} />
      ) : (
        <>
          <Body item={item} />
          <div ref={seen.end} className="h-px" data-testid="end-of-call" />
        </>
      )}
    </CardFrame>
  );
}

function waitWords(mode: string, seen: boolean, fits: boolean): string | undefined {
  if (mode === "edit") return fits ? undefined : "Approving waits until it fits.";
  return seen ? undefined : "Scroll to the end of it first: a yes counts for all of it.";
}
