import { BudgetCard } from "./budget-card.tsx";
import type { CardProps } from "./card-frame.tsx";
import { LoopCard } from "./loop-card.tsx";
import { OutcomeCard } from "./outcome-card.tsx";
import { QuestionCard } from "./question-card.tsx";
import { ToolCard } from "./tool-card.tsx";

const CARDS = {
  tool: ToolCard,
  question: QuestionCard,
  outcome: OutcomeCard,
  budget: BudgetCard,
  loop: LoopCard,
};

/** The card for each kind of request. Everything the terminal can answer can be answered here. */
export function Card(props: CardProps) {
  const Kind = CARDS[props.item.kind];
  return <Kind {...props} />;
}
