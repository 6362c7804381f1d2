import { Check, ListChecks, PencilLine, X } from "lucide-react";
import type { RefObject } from "react";
import { Button } from "../../../ui/button.tsx";
import { Kbd } from "../../../ui/kbd.tsx";
import type { Mode } from "../edit/use-change.ts";

export interface ApproveRowProps {
  mode: Mode;
  /** It is not what was asked for any more. */
  changed: boolean;
  may: boolean;
  pending: boolean;
  /** Why it cannot be approved yet. */
  waitReason: string | undefined;
  approve(): void;
  approveButton: RefObject<HTMLButtonElement | null>;
  onEdit(): void;
  /** Undefined: it has no places to choose between. */
  onChoose: (() => void) | undefined;
  onReject(): void;
  onBack(): void;
}

const TALL = "max-md:h-11 max-md:flex-1";

export function ApproveRow(props: ApproveRowProps) {
  const { mode, changed, may, pending, waitReason, approve, approveButton } = props;
  const { onEdit, onChoose, onReject, onBack } = props;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        ref={approveButton}
        look="main"
        disabled={!may}
        aria-describedby={waitReason === undefined ? undefined : "approve-waits"}
        className={TALL}
        onClick={approve}
      >
        <Check size={15} aria-hidden />
        {pending ? "Recording…" : changed ? "Approve as changed" : "Approve"}
        <span className="max-md:hidden">
          <Key>{changed ? "Ctrl ⏎" : "a"}</Key>
        </span>
      </Button>
      {mode === "look" ? (
        <>
          <Button className={TALL} onClick={onEdit}>
            <PencilLine size={15} aria-hidden /> Change
            <span className="max-md:hidden">
              <Kbd>e</Kbd>
            </span>
          </Button>
          {onChoose && (
            <Button className={`${TALL} max-md:order-last`} onClick={onChoose}>
              <ListChecks size={15} aria-hidden /> Choose parts
              <span className="max-md:hidden">
                <Kbd>h</Kbd>
              </span>
            </Button>
          )}
          <Button look="danger" className={TALL} disabled={pending} onClick={onReject}>
            <X size={15} aria-hidden /> Reject
            <span className="max-md:hidden">
              <Kbd>d</Kbd>
            </span>
          </Button>
        </>
      ) : (
        <Button look="quiet" className={TALL} onClick={onBack}>
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
