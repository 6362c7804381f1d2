import { useState } from "react";
import { OutcomeEvidence, VerdictButtons } from "../../outcome/outcome-form.tsx";
import { useDecide } from "../decision/decide.tsx";
import { RequestView } from "../request/request-view.tsx";
import { CardFrame, type CardProps } from "./card-frame.tsx";
import { QuestionCard } from "./question-card.tsx";
import { BudgetCard, LoopCard } from "./stopped-run-cards.tsx";
import { ToolCard } from "./tool-card.tsx";

const CARDS = {
  tool: ToolCard,
  question: QuestionCard,
  outcome: OutcomeCard,
  budget: BudgetCard,
  loop: LoopCard,
};

/** Renders the card that belongs to the kind of the request. */
export function Card(props: CardProps) {
  const Kind = CARDS[props.item.kind];
  return <Kind {...props} />;
}

function OutcomeCard({ item, takesFocus, onDecided, children }: CardProps) {
  const decide = useDecide(item, onDecided);
  const [text, setText] = useState("");
  return (
    <CardFrame
      item={item}
      takesFocus={takesFocus}
      answers={<VerdictButtons item={item} decide={decide} text={text} hasHotkeys />}
    >
      {children}
      <RequestView item={item} />
      <OutcomeEvidence item={item} text={text} onText={setText} probeKey="l" />
    </CardFrame>
  );
}
