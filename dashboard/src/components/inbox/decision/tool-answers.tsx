import type { RefObject } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import type { Change, Mode } from "../edit/use-change.ts";
import { AnswerFailure } from "./answer-failure.tsx";
import { ApproveRow } from "./approve-row.tsx";
import { LimitField } from "./limit-field.tsx";
import { RejectForm } from "./reject-form.tsx";
import { type Scope, ScopeField } from "./scope.tsx";
import type { Decide } from "./use-decide.ts";

export interface ToolAnswersProps {
  item: ApprovalView;
  mode: Mode;
  setMode(mode: Mode): void;
  scope: Scope;
  setScope(scope: Scope): void;
  change: Change;
  decide: Decide;
  may: boolean;
  /** All of it has been in sight. */
  seen: boolean;
  approve(): void;
  approveButton: RefObject<HTMLButtonElement | null>;
}

/** Yes, in so far, or no: the row below a call. */
export function ToolAnswers(props: ToolAnswersProps) {
  const { item, mode, setMode, scope, setScope, change, decide, may, seen, approve, approveButton } = props;
  const { changed, limit, limitTo, setLimitTo, edit, hunks } = change;
  return (
    <>
      <AnswerFailure error={decide.error} />
      {mode === "reject" ? (
        <RejectForm
          pending={decide.isPending}
          onReject={(note) => decide.send({ decision: "reject", ...(note === "" ? {} : { note }) })}
          onBack={() => setMode("look")}
        />
      ) : (
        <div className="flex flex-col gap-2">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
            <ScopeField
              value={scope}
              onChange={setScope}
              grant={changed && edit.checked ? edit.checked.grant : item.grant}
            />
            {mode === "look" && <LimitField limit={limit} value={limitTo} onChange={setLimitTo} />}
          </div>
          <ApproveRow
            {...{ mode, changed, may, approve, approveButton }}
            pending={decide.isPending}
            waitReason={waitWords(mode, seen, change)}
            onEdit={() => setMode("edit")}
            onChoose={hunks.hunks.length > 0 ? () => setMode("choose") : undefined}
            onReject={() => setMode("reject")}
            onBack={() => setMode("look")}
          />
        </div>
      )}
    </>
  );
}

function waitWords(mode: Mode, seen: boolean, { isValid, problem }: Change): string | undefined {
  if (!isValid)
    return problem === undefined ? "Looking at what would come of it…" : "Approving waits until it fits.";
  return seen || mode === "edit" ? undefined : "Scroll to the end of it first: a yes counts for all of it.";
}
