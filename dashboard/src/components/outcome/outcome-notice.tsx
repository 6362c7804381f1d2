// A call was begun, and nobody knows whether it happened: only a person can find out. Said here, where the run waits.

import { useId, useState } from "react";
import type { ApprovalView } from "../../../../src/api/client/types.ts";
import { describeCall } from "../../../../src/projections/views/timeline.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { fullTime } from "../../display/words.ts";
import { client } from "../../live/client.ts";
import { Button } from "../../ui/button.tsx";
import { Input } from "../../ui/input.tsx";
import { Problem } from "../run-actions/problem.tsx";
import { useAction } from "../run-actions/use-action.ts";
import { OutcomeProbe } from "./outcome-probe.tsx";

const VERDICTS = [
  { verdict: "happened", label: "It happened", hint: "the run goes on as if the call had ended well" },
  { verdict: "run_again", label: "Run it again", hint: "it did not happen, or may happen twice" },
  { verdict: "fail", label: "Give it up", hint: "the agent is told that it failed" },
] as const;

export function OutcomeNotice({ item }: { item: ApprovalView }) {
  const [note, setNote] = useState("");
  const field = useId();
  const { busy, problem, perform } = useAction();
  const { callId = "", tool = "", input, host, pid, requestedAt, runId } = item;
  const decide = (verdict: (typeof VERDICTS)[number]["verdict"]) =>
    perform(() => client.outcome(runId, { callId, verdict, ...(note === "" ? {} : { note }) }));
  return (
    <section
      aria-label="Outcome unknown"
      className="shrink-0 border-line border-b border-l-4 border-l-warn bg-surface px-4 py-3"
    >
      <h2 className="font-semibold text-sm">
        Did this happen? <VisibleText text={describeCall(tool, input)} />
      </h2>
      <p className="mt-0.5 text-muted text-sm">
        It was begun {fullTime(requestedAt)}
        {host !== undefined && ` on ${host}${pid === undefined ? "" : `, process ${pid}`}`}, and nobody saw
        its end. Look whether its effect is there, then say so. The run waits, and costs nothing meanwhile.
      </p>
      <div className="mt-2 max-w-3xl">
        <OutcomeProbe item={item} />
      </div>
      <div className="mt-2 flex max-w-xl flex-col gap-1 text-sm">
        <label htmlFor={field}>Note (optional, the agent reads it)</label>
        <Input
          id={field}
          className="max-md:h-10"
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </div>
      <div className="mt-2 flex flex-wrap gap-2">
        {VERDICTS.map(({ verdict, label, hint }) => (
          <Button
            key={verdict}
            size="small"
            className="max-md:h-10"
            disabled={busy}
            title={hint}
            onClick={() => void decide(verdict)}
          >
            {label}
          </Button>
        ))}
      </div>
      <Problem text={problem} />
    </section>
  );
}
