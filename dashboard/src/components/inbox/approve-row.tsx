import { Check, PencilLine, X } from "lucide-react";
import type { RefObject } from "react";
import { Button } from "../../ui/button.tsx";
import { Kbd } from "../../ui/kbd.tsx";

export interface ApproveRowProps {
  mode: "look" | "edit" | "reject";
  may: boolean;
  pending: boolean;
  /** Why it cannot be approved yet. */
  wait: string | undefined;
  approve(): void;
  approveButton: RefObject<HTMLButtonElement | null>;
  onEdit(): void;
  onReject(): void;
  onLeave(): void;
}

const TALL = "max-md:h-11 max-md:flex-1";

export function ApproveRow(props: ApproveRowProps) {
  const { mode, may, pending, wait, approve, approveButton, onEdit, onReject, onLeave } = props;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        ref={approveButton}
        look="main"
        disabled={!may}
        aria-describedby={wait === undefined ? undefined : "approve-waits"}
        className={TALL}
        onClick={approve}
      >
        <Check size={15} aria-hidden />
        {pending ? "Recording…" : mode === "edit" ? "Approve as changed" : "Approve"}
        <span className="max-md:hidden">
          <Key>{mode === "edit" ? "Ctrl ⏎" : "a"}</Key>
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
          <Button look="danger" className={TALL} disabled={pending} onClick={onReject}>
            <X size={15} aria-hidden /> Reject
            <span className="max-md:hidden">
              <Kbd>d</Kbd>
            </span>
          </Button>
        </>
      ) : (
        <Button look="quiet" className={TALL} onClick={onLeave}>
          Back
        </Button>
      )}
      {wait !== undefined && (
        <p id="approve-waits" className="text-muted text-xs">
          {wait}
        </p>
      )}
    </div>
  );
}

const Key = ({ children }: { children: string }) => (
  <kbd className="rounded border border-white/40 px-1 font-mono text-2xs">{children}</kbd>
);
