import type { ReactNode } from "react";
import { useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { useHotkeys } from "../../../ui/hotkeys.ts";
import { Kbd } from "../../../ui/kbd.tsx";
import { AnswerFailure } from "./answer-failure.tsx";
import { RejectForm } from "./reject-form.tsx";
import { type Decide, rejection } from "./use-decide.ts";

export interface ContinueOrStopProps {
  decide: Decide;
  go: string;
  /** Undefined while the run cannot continue. */
  onGo: (() => void) | undefined;
  stop: string;
  /** Shown before the buttons. */
  children?: ReactNode;
}

/** The answers for a run that stopped by itself: continue, or finish with a reason. */
export function ContinueOrStop({ decide, go, onGo, stop, children }: ContinueOrStopProps) {
  const [stopping, setStopping] = useState(false);
  useHotkeys([
    { keys: "a", label: go, run: () => onGo?.() },
    { keys: "d", label: `${stop}, then 1–5 for a reason`, run: () => setStopping(true) },
  ]);
  if (stopping)
    return (
      <>
        <AnswerFailure error={decide.error} />
        <RejectForm
          pending={decide.isPending}
          onReject={(note) => decide.send(rejection(note))}
          onBack={() => setStopping(false)}
        />
      </>
    );
  return (
    <>
      <AnswerFailure error={decide.error} />
      <div className="flex flex-wrap items-center gap-2">
        {children}
        <Button
          look="main"
          disabled={decide.isPending || !onGo}
          className="max-md:h-11 max-md:flex-1"
          onClick={() => onGo?.()}
        >
          {decide.isPending ? "Recording…" : go}
        </Button>
        <Button
          look="danger"
          disabled={decide.isPending}
          className="max-md:h-11 max-md:flex-1"
          onClick={() => setStopping(true)}
        >
          {stop}
          <span className="max-md:hidden">
            <Kbd>d</Kbd>
          </span>
        </Button>
      </div>
    </>
  );
}
