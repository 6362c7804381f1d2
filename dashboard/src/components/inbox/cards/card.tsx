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

/** Everything that can be answered at the terminal can be answered here. */
export function Card(props: CardProps) {
  const Kind = CARDS[props.item.kind];
  return <Kind {...props} />;
}
