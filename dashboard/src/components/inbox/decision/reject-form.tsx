// U26: the form in which the user says why they reject a call. The agent reads the reason. Each of five common reasons has a key.

import { type ReactNode, useRef, useState } from "react";
import { REJECT_REASONS } from "../../../../../src/projections/words/decisions.ts";
import { Button } from "../../../ui/button.tsx";
import { useHotkeys } from "../../../ui/hotkeys.ts";
import { Form, Input } from "../../../ui/input.tsx";
import { Kbd, KeyHint } from "../../../ui/kbd.tsx";
import { AnswerFailure, type Decide, rejection } from "./decide.tsx";

export interface RejectFormProps {
  pending: boolean;
  onReject(note: string): void;
  onBack(): void;
}

export function RejectForm({ pending, onReject, onBack }: RejectFormProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useHotkeys([
    ...REJECT_REASONS.map(({ label, note }, at) => ({
      keys: String(at + 1),
      label: `Reject: ${label}`,
      run: () => onReject(note),
    })),
    { keys: "t", label: "Reject: type a reason", run: () => field.current?.focus() },
    { keys: "Escape", label: "Back", run: onBack },
  ]);
  return (
    <Form
      aria-label="Reason for rejecting"
      className="flex flex-col gap-2"
      onSubmit={() => onReject(text.trim())}
    >
      <p className="text-muted text-sm">
        Why not? The agent reads your reason and continues without the call.
      </p>
      <div className="flex flex-wrap gap-1.5">
        {REJECT_REASONS.map(({ label, note }, at) => (
          <Button
            key={label}
            disabled={pending}
            title={note}
            className="max-md:h-10"
            onClick={() => onReject(note)}
          >
            <Kbd>{at + 1}</Kbd> {label}
          </Button>
        ))}
      </div>
      <div className="flex flex-wrap gap-2">
        <Input
          ref={field}
          aria-label="Your reason"
          placeholder="Or type a reason (t)"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => event.key === "Escape" && onBack()}
          className="min-w-40 flex-1 max-md:h-11"
        />
        <Button look="danger" type="submit" disabled={pending} className="max-md:h-11">
          {text.trim() === "" ? "Reject without a reason" : "Reject"}
        </Button>
        <Button look="quiet" onClick={onBack} className="max-md:h-11">
          Back <Kbd>Esc</Kbd>
        </Button>
      </div>
    </Form>
  );
}

export interface TwoAnswersProps {
  decide: Decide;
  yes: string;
  /** Called when the user answers "yes". Undefined if the user cannot give this answer now. */
  onYes: (() => void) | undefined;
  no: string;
  /** Content that is shown before the buttons. */
  children?: ReactNode;
}

/** Two answers about a run that has stopped. Both are sent immediately: neither needs a reason. */
export function TwoAnswers({ decide, yes, onYes, no, children }: TwoAnswersProps) {
  const finish = () => decide.send(rejection(""));
  useHotkeys([
    { keys: "a", label: yes, run: () => onYes?.() },
    { keys: "d", label: no, run: finish },
  ]);
  return (
    <>
      <AnswerFailure error={decide.error} />
      <div className="flex flex-wrap items-center gap-2">
        {children}
        <Button
          look="main"
          disabled={decide.isPending || !onYes}
          className="max-md:h-11 max-md:flex-1"
          onClick={() => onYes?.()}
        >
          {decide.isPending ? "Recording…" : yes}
        </Button>
        <Button
          look="danger"
          disabled={decide.isPending}
          className="max-md:h-11 max-md:flex-1"
          onClick={finish}
        >
          {no}
          <KeyHint>d</KeyHint>
        </Button>
      </div>
    </>
  );
}
