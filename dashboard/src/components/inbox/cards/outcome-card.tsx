// P4: something was begun that must not happen twice, and not heard of again. Only a person who looks can say what became
// of it.

import { useRef, useState } from "react";
import { VisibleText } from "../../../display/visible-text.tsx";
import { fullTime } from "../../../display/words.ts";
import { Button } from "../../../ui/button.tsx";
import { useHotkeys } from "../../../ui/hotkeys.ts";
import { TextArea } from "../../../ui/input.tsx";
import { Kbd } from "../../../ui/kbd.tsx";
import { OutcomeProbe, suggestedVerdict } from "../../outcome/outcome-probe.tsx";
import { AnswerFailure } from "../decision/answer-failure.tsx";
import { useDecide } from "../decision/use-decide.ts";
import { RequestView } from "../request/request-view.tsx";
import { CardFrame } from "./card-frame.tsx";
import type { CardProps } from "./card-props.ts";

const VERDICTS = [
  ["happened", "h", "It happened", "It took effect. It is not run again, and the agent is told so."],
  ["run_again", "r", "Run it again", "It took no effect. It is run now, from the beginning."],
  ["fail", "f", "Give it up", "Leave it. The agent is told that nobody knows, and goes on."],
] as const;

export function OutcomeCard({ item, takesFocus, onDecided }: CardProps) {
  const decide = useDecide(item, onDecided);
  const [output, setOutput] = useState("");
  const buttons = useRef<Partial<Record<string, HTMLButtonElement | null>>>({});
  const say = (verdict: (typeof VERDICTS)[number][0]) =>
    decide.send({
      verdict,
      ...(verdict === "happened" && output.trim() !== "" ? { output: output.trim() } : {}),
    });
  // What is said here cannot be taken back: a key only goes to the button, Enter presses it.
  useHotkeys(
    VERDICTS.map(([verdict, keys, label]) => ({
      keys,
      label: `${label} (Enter confirms)`,
      run: () => buttons.current[verdict]?.focus(),
    })),
  );
  return (
    <CardFrame
      item={item}
      takesFocus={takesFocus}
      answers={
        <>
          <AnswerFailure error={decide.error} />
          <div className="grid gap-2 md:grid-cols-3">
            {VERDICTS.map(([verdict, key, label, meaning]) => (
              <div key={verdict} className="flex flex-col gap-1">
                <Button
                  ref={(button) => {
                    buttons.current[verdict] = button;
                  }}
                  look={verdict === "run_again" ? "danger" : "plain"}
                  disabled={decide.isPending}
                  aria-describedby={`means-${verdict}`}
                  className="max-md:h-11"
                  onClick={() => say(verdict)}
                >
                  {label}
                  <span className="max-md:hidden">
                    <Kbd>{key}</Kbd>
                  </span>
                </Button>
                <p id={`means-${verdict}`} className="text-muted text-xs">
                  {suggestedVerdict(item) === verdict && (
                    <strong className="text-ink">The look says so. </strong>
                  )}
                  {meaning}
                </p>
              </div>
            ))}
          </div>
          <p className="text-muted text-xs max-md:hidden">
            This cannot be taken back: a key chooses, <Kbd>Enter</Kbd> confirms.
          </p>
        </>
      }
    >
      <Begun item={item} />
      <RequestView item={item} />
      <OutcomeProbe item={item} keys="l" />
      <label htmlFor="outcome" className="flex flex-col gap-1 text-muted text-sm">
        If it happened: what came of it (the agent reads it; may be empty)
        <TextArea
          id="outcome"
          rows={2}
          value={output}
          onChange={(event) => setOutput(event.target.value)}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          className="text-ink"
        />
      </label>
    </CardFrame>
  );
}

function Begun({ item }: Pick<CardProps, "item">) {
  return (
    <p>
      It was begun at {fullTime(item.requestedAt)}
      {item.host !== undefined && (
        <>
          {" "}
          on <VisibleText text={item.host} /> (pid {item.pid})
        </>
      )}
      , and not heard of again. Look whether it took effect, and is not still under way; then say so.
    </p>
  );
}
