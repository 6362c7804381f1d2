// PB1: a probe checks whether a call with an unknown outcome took effect. The result is part of the item, so everyone
// who has the item open sees the same evidence, and who probed when.

import { Eye } from "lucide-react";
import type { ApprovalView } from "../../../../src/api/client/types.ts";
import { fullTime } from "../../../../src/projections/words/format.ts";
import { PROBE_WORDS } from "../../../../src/projections/words/tool-outcomes.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { useRefusal } from "../../live/me.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Kbd } from "../../ui/kbd.tsx";
import { Problem } from "../../ui/problem.tsx";

export interface OutcomeProbeProps {
  item: ApprovalView;
  /** The key that starts a probe; absent where no key is free. */
  keys?: string;
}

/** The verdict that the probe's finding speaks for. */
export const suggestedVerdict = ({ probe }: ApprovalView): "happened" | "run_again" | undefined => {
  if (probe?.found === "done") return "happened";
  return probe?.found === "not_done" ? "run_again" : undefined;
};

export function OutcomeProbe({ item: { runId, callId = "", probe }, keys }: OutcomeProbeProps) {
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
          {keys !== undefined && (
            <span className="max-md:hidden">
              <Kbd>{keys}</Kbd>
            </span>
          )}
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
