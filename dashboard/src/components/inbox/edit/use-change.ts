// The change that a person makes to a call before approving it: none, another input, only some hunks, or a tighter limit.
// The server must check a changed call before the person can approve it.

import { useMemo, useState } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { type LimitChoice, limitChoice, withLimit } from "../decision/limit.ts";
import { type Draft, draftOf } from "./draft.ts";
import { type EditState, useEditState } from "./edit-form.tsx";
import { type HunkChoice, useHunks } from "./hunk-form.tsx";

export type Mode = "look" | "edit" | "choose" | "reject";

export interface Change {
  draft: Draft;
  setDraft(draft: Draft): void;
  hunks: HunkChoice;
  limit: LimitChoice | undefined;
  limitTo: number | undefined;
  setLimitTo(value: number | undefined): void;
  /** Whether the user has changed the call. */
  isChanged: boolean;
  input: unknown;
  edit: EditState;
  /** Says why the changed call cannot be approved. */
  problem: string | undefined;
  /** Whether the call can be approved. An unchanged call can always be approved. */
  isValid: boolean;
}

export function useChange(item: ApprovalView, mode: Mode): Change {
  const [draft, setDraft] = useState(() => draftOf(item.input));
  const [limitTo, setLimitTo] = useState<number>();
  const hunks = useHunks(item);
  const limit = useMemo(() => limitChoice(item), [item]);
  const limited = useMemo(
    () => (limit && limitTo !== undefined ? withLimit(item, limit, limitTo) : undefined),
    [item, limit, limitTo],
  );
  const { isChanged, input, problem: own } = currentChange(mode, draft, hunks, limited);
  const edit = useEditState(item, input, isChanged);
  const problem = own ?? edit.checked?.problem ?? whyMisfit(mode, hunks, edit) ?? edit.failed?.message;
  return {
    ...{ draft, setDraft, hunks, limit, limitTo, setLimitTo, isChanged, input, edit },
    problem: isChanged ? problem : undefined,
    isValid: !isChanged || (edit.checked !== undefined && problem === undefined),
  };
}

function currentChange(mode: Mode, draft: Draft, { hunks, chosen, input }: HunkChoice, limited: unknown) {
  const none = chosen.size === 0 ? "No change is selected: select one, or reject the call." : undefined;
  if (mode === "edit") return { isChanged: true, input: draft.input, problem: draft.problem };
  if (mode === "choose") return { isChanged: chosen.size < hunks.length, input, problem: none };
  return { isChanged: mode === "look" && limited !== undefined, input: limited, problem: undefined };
}

/** Says why the selected hunks no longer produce the expected text; undefined if they still produce it. */
function whyMisfit(mode: Mode, { text }: HunkChoice, { checked }: EditState): string | undefined {
  if (mode !== "choose" || !checked || checked.change?.after === text) return undefined;
  return checked.change
    ? "The file has changed: go back and review it again."
    : (checked.preview ?? "The call would change nothing.");
}
