// P4: Cadre started a call that must not run twice, and never saw the call finish. Only a person can find out what happened.
// The inbox and the run's page show the same evidence and offer the same three verdicts.

import { Eye } from "lucide-react";
import { useRef } from "react";
import type { ApprovalView, OutcomeBody } from "../../../../src/api/client/types.ts";
import { omitUndefined } from "../../../../src/omit-undefined.ts";
import { fullTime } from "../../../../src/projections/words/format.ts";
import { PROBE_WORDS } from "../../../../src/projections/words/tool-outcomes.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { useRefusal } from "../../live/me.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { TextArea } from "../../ui/input.tsx";
import { Kbd, KeyHint } from "../../ui/kbd.tsx";
import { Problem } from "../../ui/problem.tsx";
import { AnswerFailure, type Decide } from "../inbox/decision/decide.tsx";

interface Verdict {
  verdict: OutcomeBody["verdict"];
  hotkey: string;
  label: string;
  /** Says how the run continues after this verdict, and what the agent reads. */
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
    label: "Mark as failed",
    meaning:
      "No one can tell. The agent learns that it is unknown whether the call took effect, and continues.",
  },
];

export interface OutcomeEvidenceProps {
  item: ApprovalView;
  text: string;
  onText(text: string): void;
  /** The keyboard shortcut that starts a probe; absent if there is none. */
  probeKey?: string;
}

/** The evidence: when and where the call started, and what a probe finds. A text field holds a note for the agent. */
export function OutcomeEvidence({ item, text, onText, probeKey }: OutcomeEvidenceProps) {
  const { requestedAt, host, pid, editedBy } = item;
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
      {editedBy !== undefined && (
        <p>
          <VisibleText text={editedBy} /> changed the input; this is what ran.
        </p>
      )}
      <OutcomeProbe item={item} keys={probeKey} />
      <OutcomeReason text={text} onText={onText} />
    </>
  );
}

/** A note for the agent, or for each agent that made one of the calls. */
export function OutcomeReason({ text, onText }: Pick<OutcomeEvidenceProps, "text" | "onText">) {
  return (
    <Field quiet label="What the agent should know (optional)">
      <TextArea
        rows={2}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
    </Field>
  );
}

export interface VerdictButtonsProps {
  item: ApprovalView;
  decide: Decide;
  text: string;
  hasHotkeys?: boolean;
  /** True if the verdict is for several calls. Then the text is a note, because it cannot be the result of each call. */
  isForSeveral?: boolean;
}

export function VerdictButtons({
  item,
  decide,
  text,
  hasHotkeys = false,
  isForSeveral = false,
}: VerdictButtonsProps) {
  const buttons = useRef<Partial<Record<string, HTMLButtonElement | null>>>({});
  // A verdict cannot be undone. So a key only moves the focus to the verdict's button, and Enter confirms.
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
              onClick={() => decide.send(outcomeBody(verdict, text, isForSeveral))}
            >
              {label}
              {hasHotkeys && <KeyHint>{hotkey}</KeyHint>}
            </Button>
            <p id={`meaning-${item.itemId}-${verdict}`} className="text-muted text-xs">
              {!isForSeveral && suggestedVerdict(item) === verdict && (
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

/** The agent reads the text as the result of the call, or as a note if the call did not happen or there are several calls. */
function outcomeBody(
  verdict: Verdict["verdict"],
  text: string,
  isForSeveral: boolean,
): Omit<OutcomeBody, "callId"> {
  const words = text.trim() || undefined;
  const isOutput = verdict === "happened" && !isForSeveral;
  return { verdict, ...omitUndefined(isOutput ? { output: words } : { note: words }) };
}

interface OutcomeProbeProps {
  item: ApprovalView;
  /** The keyboard shortcut that starts a probe; undefined if there is none. */
  keys: string | undefined;
}

/** The verdict that the probe's result suggests. */
const suggestedVerdict = ({ probe }: ApprovalView): "happened" | "run_again" | undefined => {
  if (probe?.found === "done") return "happened";
  return probe?.found === "not_done" ? "run_again" : undefined;
};

/**
 * PB1: a probe checks whether a call with an unknown outcome took effect.
 * The item records the probe's result, its time, and the person who started it. So everyone sees the same evidence.
 */
function OutcomeProbe({ item: { runId, callId = "", probe }, keys }: OutcomeProbeProps) {
  const { busy, problem, perform } = useAction();
  const mayProbe = useRefusal("operator") === undefined;
  const runProbe = () =>
    void perform(() => client.post("/api/runs/{id}/probe", { id: runId, body: { callId } }));
  useHotkeys(
    keys === undefined || !mayProbe ? [] : [{ keys, label: "Check whether it took effect", run: runProbe }],
  );
  return (
    <section aria-label="Probe" className="flex flex-col items-start gap-2 rounded-md bg-raised p-3 text-sm">
      <div role="status" className="min-w-0">
        {probe ? <Found probe={probe} /> : <p>{busy ? "Checking…" : NOT_YET}</p>}
      </div>
      {mayProbe && (
        <Button size="small" className="max-md:h-10" disabled={busy} onClick={runProbe}>
          <Eye size={14} aria-hidden />
          {probe ? "Check again" : "Check for effects"}
          {keys !== undefined && <KeyHint>{keys}</KeyHint>}
        </Button>
      )}
      <Problem text={problem} />
    </section>
  );
}

const NOT_YET = "Cadre can check whether the call took effect. A probe changes nothing and decides nothing.";

function Found({ probe: { found, evidence, by, at } }: { probe: NonNullable<ApprovalView["probe"]> }) {
  return (
    <>
      <p>
        The probe suggests: <strong className="font-semibold">{PROBE_WORDS[found]}</strong>.
      </p>
      <ul className="mt-1 list-disc pl-4">
        {evidence.map((words) => (
          <li key={words} className="break-words [overflow-wrap:anywhere]">
            <VisibleText text={words} />
          </li>
        ))}
      </ul>
      <p className="mt-1 text-muted text-xs">
        <VisibleText text={by} /> probed at {fullTime(at)}. The decision is yours.
      </p>
    </>
  );
}
