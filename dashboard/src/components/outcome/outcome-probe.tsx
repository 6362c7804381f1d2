// A look for the effect of a call whose outcome nobody knows: what it proposes, what was seen, and who looked when (PB1).
// What it finds comes back with the item itself, so that everybody who has it open sees the same.

import { Eye } from "lucide-react";
import type { ApprovalView } from "../../../../src/api/client/types.ts";
import { PROBE_WORDS } from "../../../../src/projections/words/tool-outcomes.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { fullTime } from "../../display/words.ts";
import { client } from "../../live/client.ts";
import { useRefusal } from "../../live/me.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Kbd } from "../../ui/kbd.tsx";
import { Problem } from "../../ui/problem.tsx";

export interface OutcomeProbeProps {
  item: ApprovalView;
  /** The key that looks, where one is free. */
  keys?: string;
}

/** The verdict that a look speaks for. */
export const suggestedVerdict = ({ probe }: ApprovalView): "happened" | "run_again" | undefined => {
  if (probe?.found === "done") return "happened";
  return probe?.found === "not_done" ? "run_again" : undefined;
};

export function OutcomeProbe({ item: { runId, callId = "", probe }, keys }: OutcomeProbeProps) {
  const { busy, problem, perform } = useAction();
  const mayLook = useRefusal("operator") === undefined;
  const look = () => void perform(() => client.probe(runId, callId));
  useHotkeys(
    keys === undefined || !mayLook ? [] : [{ keys, label: "Look whether it took effect", run: look }],
  );
  return (
    <section aria-label="A look" className="flex flex-col items-start gap-2 rounded-md bg-raised p-3 text-sm">
      <div role="status" className="min-w-0">
        {probe ? <Found probe={probe} /> : <p>{busy ? "Looking…" : NOT_YET}</p>}
      </div>
      {mayLook && (
        <Button size="small" className="max-md:h-10" disabled={busy} onClick={look}>
          <Eye size={14} aria-hidden />
          {probe ? "Look again" : "Look"}
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

const NOT_YET = "Cadre can look whether it took effect. That changes nothing and decides nothing.";

function Found({ probe: { found, evidence, by, at } }: { probe: NonNullable<ApprovalView["probe"]> }) {
  return (
    <>
      <p>
        A look says: <strong className="font-semibold">{PROBE_WORDS[found]}</strong>.
      </p>
      <ul className="mt-1 list-disc pl-4">
        {evidence.map((words) => (
          <li key={words} className="break-words [overflow-wrap:anywhere]">
            <VisibleText text={words} />
          </li>
        ))}
      </ul>
      <p className="mt-1 text-muted text-xs">
        <VisibleText text={by} /> looked {fullTime(at)}. You decide.
      </p>
    </>
  );
}
