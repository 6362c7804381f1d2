import { useState } from "react";
import { OutcomeEvidence, VerdictButtons } from "../../outcome/outcome-form.tsx";
import { useDecide } from "../decision/use-decide.ts";
import { RequestView } from "../request/request-view.tsx";
import { CardFrame, type CardProps } from "./card-frame.tsx";

export function OutcomeCard({ item, takesFocus, onDecided }: CardProps) {
  const decide = useDecide(item, onDecided);
  const [text, setText] = useState("");
  return (
    <CardFrame
      item={item}
      takesFocus={takesFocus}
      answers={<VerdictButtons item={item} decide={decide} text={text} hasHotkeys />}
    >
      <RequestView item={item} />
      <OutcomeEvidence item={item} text={text} onText={setText} probeKey="l" />
    </CardFrame>
  );
}
