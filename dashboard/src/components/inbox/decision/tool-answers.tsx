import { Check, ListChecks, PencilLine, X } from "lucide-react";
import { type RefObject, useId } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { GrantRule } from "../../../display/grant-rule.tsx";
import { useRefusal } from "../../../live/me.ts";
import { Button } from "../../../ui/button.tsx";
import { Select } from "../../../ui/input.tsx";
import { KeyHint } from "../../../ui/kbd.tsx";
import { ToggleGroup } from "../../../ui/toggle-group.tsx";
import type { Change, Mode } from "../edit/use-change.ts";
import { AnswerFailure, type Decide, rejection } from "./decide.tsx";
import type { LimitChoice } from "./limit.ts";
import { RejectForm } from "./reject-form.tsx";

export interface ToolAnswersProps {
  item: ApprovalView;
  canEdit: boolean;
  mode: Mode;
  setMode(mode: Mode): void;
  scope: Scope;
  setScope(scope: Scope): void;
  change: Change;
  decide: Decide;
  mayApprove: boolean;
  /** Whether the user has seen the whole request. */
  seen: boolean;
  approve(): void;
  approveButton: RefObject<HTMLButtonElement | null>;
}

/** The controls below a call: scope, limit, approve, edit, reject. */
export function ToolAnswers(props: ToolAnswersProps) {
  const { item, mode, setMode, scope, setScope, change, decide } = props;
  const { isChanged, limit, limitTo, setLimitTo, edit } = change;
  return (
    <>
      <AnswerFailure error={decide.error} />
      {mode === "reject" ? (
        <RejectForm
          pending={decide.isPending}
          onReject={(note) => decide.send(rejection(note))}
          onBack={() => setMode("look")}
        />
      ) : (
        <div className="flex flex-col gap-2">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
            <ScopeField
              value={scope}
              onChange={setScope}
              grant={isChanged && edit.checked ? edit.checked.grant : item.grant}
            />
            {mode === "look" && <LimitField limit={limit} value={limitTo} onChange={setLimitTo} />}
          </div>
          <ApproveRow {...props} />
        </div>
      )}
    </>
  );
}

function whyApprovalWaits(mode: Mode, seen: boolean, { isValid, problem }: Change): string | undefined {
  if (!isValid) return problem === undefined ? "Checking the changed call…" : "Fix the problem to approve.";
  return seen || mode === "edit" ? undefined : "Scroll to the end to approve: an approval covers all of it.";
}

const TALL = "max-md:h-11 max-md:flex-1";

function ApproveRow(props: ToolAnswersProps) {
  const { canEdit, mode, setMode, change, decide, mayApprove, seen, approve, approveButton } = props;
  const { isChanged, hunks } = change;
  const waitReason = whyApprovalWaits(mode, seen, change);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        ref={approveButton}
        look="main"
        disabled={!mayApprove}
        aria-describedby={waitReason === undefined ? undefined : "approve-waits"}
        className={TALL}
        onClick={approve}
      >
        <Check size={15} aria-hidden />
        {decide.isPending ? "Recording…" : isChanged ? "Approve as changed" : "Approve"}
        <span aria-hidden className="max-md:hidden">
          <Key>{isChanged ? "Ctrl ⏎" : "a"}</Key>
        </span>
      </Button>
      {mode === "look" ? (
        <>
          {canEdit && (
            <Button className={TALL} onClick={() => setMode("edit")}>
              <PencilLine size={15} aria-hidden /> Edit
              <KeyHint>e</KeyHint>
            </Button>
          )}
          {hunks.hunks.length > 0 && (
            <Button className={`${TALL} max-md:order-last`} onClick={() => setMode("choose")}>
              <ListChecks size={15} aria-hidden /> Choose changes
              <KeyHint>h</KeyHint>
            </Button>
          )}
          <Button
            look="danger"
            className={TALL}
            disabled={decide.isPending}
            onClick={() => setMode("reject")}
          >
            <X size={15} aria-hidden /> Reject
            <KeyHint>d</KeyHint>
          </Button>
        </>
      ) : (
        <Button look="quiet" className={TALL} onClick={() => setMode("look")}>
          Back
        </Button>
      )}
      {waitReason !== undefined && (
        <p id="approve-waits" className="text-muted text-xs">
          {waitReason}
        </p>
      )}
    </div>
  );
}

const Key = ({ children }: { children: string }) => (
  <kbd className="rounded border border-white/40 px-1 font-mono text-2xs">{children}</kbd>
);

interface LimitFieldProps {
  limit: LimitChoice | undefined;
  value: number | undefined;
  onChange(value: number | undefined): void;
}

function LimitField({ limit, value, onChange }: LimitFieldProps) {
  const id = useId();
  if (!limit) return null;
  return (
    <div className="flex flex-wrap items-center gap-1.5 text-sm">
      <label htmlFor={id} className="text-muted">
        {limit.label}
      </label>
      <Select
        id={id}
        value={value ?? ""}
        onChange={({ target }) => onChange(target.value === "" ? undefined : Number(target.value))}
        className="max-md:h-10"
      >
        <option value="">as requested</option>
        {limit.choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.words}
          </option>
        ))}
      </Select>
    </div>
  );
}

const SCOPES = { once: "Once", run: "This run", tree: "This run and below", always: "Always here" } as const;

/** U25: which calls an approval covers. An approval for more than one call creates a rule that lasts some hours. */
interface Scope {
  scope: keyof typeof SCOPES;
  hours: number;
}

export const ONCE: Scope = { scope: "once", hours: 8 };

const HOURS = [
  [1, "1 hour"],
  [8, "8 hours"],
  [24, "1 day"],
  [24 * 7, "7 days"],
  [24 * 30, "30 days"],
] as const;

const HOUR_MS = 60 * 60_000;

/** The fields of a decision that grant this scope. */
export const scopeFields = ({ scope, hours }: Scope) =>
  scope === "once" ? {} : { scope, until: Date.now() + hours * HOUR_MS };

export function nextScope({ scope, hours }: Scope): Scope {
  const all = Object.keys(SCOPES) as Scope["scope"][];
  return { scope: all[(all.indexOf(scope) + 1) % all.length]!, hours };
}

interface ScopeFieldProps {
  value: Scope;
  onChange(scope: Scope): void;
  /** The rule that the approval would grant; undefined if the call can only be approved once. */
  grant: string | undefined;
}

function ScopeField({ value, onChange, grant }: ScopeFieldProps) {
  const refusal = useRefusal("admin");
  if (grant === undefined)
    return <p className="text-muted text-xs">Applies only to this call: Cadre cannot make a rule from it.</p>;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
      <ToggleGroup
        label="Scope of the approval"
        choices={SCOPES}
        value={value.scope}
        onChange={(scope) => onChange({ ...value, scope })}
        refusal={(scope) => (scope === "always" ? refusal : undefined)}
      />
      {value.scope !== "once" && (
        <span className="flex min-w-0 flex-wrap items-center gap-1.5 text-sm">
          grants <GrantRule rule={grant} /> for
          <Select
            aria-label="Duration of the grant"
            value={value.hours}
            onChange={(event) => onChange({ ...value, hours: Number(event.target.value) })}
            className="max-md:h-10"
          >
            {HOURS.map(([hours, label]) => (
              <option key={hours} value={hours}>
                {label}
              </option>
            ))}
          </Select>
        </span>
      )}
    </div>
  );
}
