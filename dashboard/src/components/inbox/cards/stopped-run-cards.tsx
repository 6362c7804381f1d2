// The cards for a run that stopped by itself, because its budget is used up (U36) or because it repeats itself.

import { useState } from "react";
import { money, shortCount } from "../../../../../src/projections/words/format.ts";
import { Button } from "../../../ui/button.tsx";
import { Input } from "../../../ui/input.tsx";
import { useDecide } from "../decision/decide.tsx";
import { TwoAnswers } from "../decision/reject-form.tsx";
import { RequestView } from "../request/request-view.tsx";
import { CardFrame, type CardProps } from "./card-frame.tsx";

const FACTORS = [1.5, 2, 5];

export function BudgetCard({ item, takesFocus, onDecided }: CardProps) {
  const { limit = "maxTokens", limitValue = 0 } = item;
  const isMoney = limit.endsWith("maxCost");
  const [text, setText] = useState(String(amountOf(limitValue * 2, isMoney) || ""));
  const decide = useDecide(item, onDecided);
  const value = Number(text.replaceAll(/[\s,_]/g, ""));
  const isMore = Number.isFinite(value) && value > limitValue && (isMoney || Number.isInteger(value));
  const raise = () =>
    decide.send({ decision: "approve", limits: isMoney ? { maxCost: value } : { maxTokens: value } });
  const words = (amount: number) => (isMoney ? money(amount) : `${shortCount(amount)} tokens`);
  return (
    <CardFrame
      item={item}
      takesFocus={takesFocus}
      answers={
        <TwoAnswers
          decide={decide}
          yes={isMore ? `Raise to ${words(value)}` : "Raise"}
          onYes={isMore ? raise : undefined}
          no="Let it finish"
        >
          <label htmlFor="budget" className="flex items-center gap-1.5 text-sm">
            New budget{isMoney ? ", in dollars" : ", in tokens"}
            <Input
              id="budget"
              inputMode="decimal"
              value={text}
              aria-invalid={!isMore}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === "Escape") event.currentTarget.blur();
                if (event.key === "Enter" && isMore) raise();
              }}
              className="w-28 max-md:h-11"
            />
          </label>
          {FACTORS.map((factor) => (
            <Button
              key={factor}
              size="small"
              className="max-md:h-10"
              onClick={() => setText(String(amountOf(limitValue * factor, isMoney)))}
            >
              × {factor}
            </Button>
          ))}
        </TwoAnswers>
      }
    >
      <RequestView item={item} />
      <p className="text-muted text-sm">
        {limit.startsWith("tree.") ? "The whole tree" : "This run"} had {words(limitValue)}. With a higher
        budget it continues where it stopped. Without one, the agent reports what it has and ends.
      </p>
    </CardFrame>
  );
}

const amountOf = (value: number, isMoney: boolean): number =>
  isMoney ? Math.round(value * 100) / 100 : Math.ceil(value);

export function LoopCard({ item, takesFocus, onDecided }: CardProps) {
  const decide = useDecide(item, onDecided);
  return (
    <CardFrame
      item={item}
      takesFocus={takesFocus}
      answers={
        <TwoAnswers
          decide={decide}
          yes="Let it continue"
          onYes={() => decide.send({ decision: "approve" })}
          no="Let it finish"
        />
      }
    >
      <RequestView item={item} />
      <p className="text-muted text-sm">
        The agent keeps repeating the same steps. Let it continue, or have it report what it has and end.
      </p>
    </CardFrame>
  );
}
