// P4: a call that must not run twice was started, and Cadre never saw it finish. Only a person who checks can say what
// happened. The inbox and the run's page show the same evidence, the same three verdicts and the same explanations.

import { useRef } from "react";
import type { ApprovalView, OutcomeBody } from "../../../../src/api/client/types.ts";
import { omitUndefined } from "../../../../src/omit-undefined.ts";
import { fullTime } from "../../../../src/projections/words/format.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { TextArea } from "../../ui/input.tsx";
import { Kbd } from "../../ui/kbd.tsx";
import { AnswerFailure } from "../inbox/decision/answer-failure.tsx";
import type { Decide } from "../inbox/decision/use-decide.ts";
import { OutcomeProbe, suggestedVerdict } from "./outcome-probe.tsx";

interface Verdict {
  verdict: OutcomeBody["verdict"];
  hotkey: string;
  label: string;
  /** What the loop does with this verdict, and what the agent reads. */
  meaning: string;
}

const VERDICTS: readonly Verdict[] = [
  {
    verdict: "happened",
    hotkey: "h",
    label: "It happened",
    meaning: "The call took effect. It does not run again, and the agent reads your text as its result.",
  },
  {
    verdict: "run_again",
    hotkey: "r",
    label: "Run it again",
    meaning: "The call had no effect. It runs again from the beginning.",
  },
  {
    verdict: "fail",
    hotkey: "f",
    label: "Give up on it",
    meaning: "Nobody can tell. The agent is told that it is not known whether this was done, and continues.",
  },
];

export interface OutcomeEvidenceProps {
  item: ApprovalView;
  text: string;
  onText(text: string): void;
  /** The key that starts a probe. Absent: no key. */
  probeKey?: string;
}

/** When and where the call started, what a probe finds, and a field for what the agent should know. */
export function OutcomeEvidence({ item, text, onText, probeKey }: OutcomeEvidenceProps) {
  const { requestedAt, host, pid } = item;
  return (
    <>
      <p>
        The call started at {fullTime(requestedAt)}
        {host !== undefined && (
          <>
            {" "}
            on <VisibleText text={host} />
            {pid !== undefined && ` (process ${pid})`}
          </>
        )}
        , and Cadre never saw it finish. Check whether it took effect and whether it is still running, then
        choose a verdict. The run waits meanwhile, at no cost.
      </p>
      <OutcomeProbe item={item} {...omitUndefined({ keys: probeKey })} />
      <Field quiet label="What the agent should know (optional)">
        {(id) => (
          <TextArea
            id={id}
            rows={2}
            value={text}
            onChange={(event) => onText(event.target.value)}
            onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          />
        )}
      </Field>
    </>
  );
}

export interface VerdictButtonsProps {
  item: ApprovalView;
  decide: Decide;
  text: string;
  hasHotkeys?: boolean;
}

export function VerdictButtons({ item, decide, text, hasHotkeys = false }: VerdictButtonsProps) {
  const buttons = useRef<Partial<Record<string, HTMLButtonElement | null>>>({});
  // A verdict cannot be undone: a key only moves the focus to its button, and Enter confirms.
  useHotkeys(
    hasHotkeys
      ? VERDICTS.map(({ verdict, hotkey, label }) => ({
          keys: hotkey,
          label: `${label} (Enter confirms)`,
          run: () => buttons.current[verdict]?.focus(),
        }))
      : [],
  );
  return (
    <>
      <AnswerFailure error={decide.error} />
      <div className="grid gap-2 md:grid-cols-3">
        {VERDICTS.map(({ verdict, hotkey, label, meaning }) => (
          <div key={verdict} className="flex flex-col gap-1">
            <Button
              ref={(button) => {
                buttons.current[verdict] = button;
              }}
              look={verdict === "run_again" ? "danger" : "plain"}
              disabled={decide.isPending}
              aria-describedby={`meaning-${item.itemId}-${verdict}`}
              className="max-md:h-11"
              onClick={() => decide.send(outcomeBody(verdict, text))}
            >
              {label}
              {hasHotkeys && (
                <span className="max-md:hidden">
                  <Kbd>{hotkey}</Kbd>
                </span>
              )}
            </Button>
            <p id={`meaning-${item.itemId}-${verdict}`} className="text-muted text-xs">
              {suggestedVerdict(item) === verdict && (
                <strong className="text-ink">The probe suggests this. </strong>
              )}
              {meaning}
            </p>
          </div>
        ))}
      </div>
      {hasHotkeys && (
        <p className="text-muted text-xs max-md:hidden">
          This cannot be undone: a key selects a verdict, <Kbd>Enter</Kbd> confirms it.
        </p>
      )}
    </>
  );
}

/** A result is what the call returned; a note is only recorded, or read with “not known”. */
function outcomeBody(verdict: Verdict["verdict"], text: string): Omit<OutcomeBody, "callId"> {
  const words = text.trim() || undefined;
  return { verdict, ...omitUndefined(verdict === "happened" ? { output: words } : { note: words }) };
}
