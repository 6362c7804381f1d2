// The cards for a run that stopped by itself, because its budget is used up (U36) or because it repeats itself.

import { useState } from "react";
import { money, shortCount } from "../../../../../src/projections/words/format.ts";
import { VisibleText } from "../../../display/visible-text.tsx";
import { client } from "../../../live/client.ts";
import { useAction } from "../../../live/use-action.ts";
import { Button } from "../../../ui/button.tsx";
import { Input } from "../../../ui/input.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { useDecide } from "../decision/decide.tsx";
import { TwoAnswers } from "../decision/reject-form.tsx";
import { RequestView } from "../request/request-view.tsx";
import { CardFrame, type CardProps } from "./card-frame.tsx";

const FACTORS = [1.5, 2, 5];

export function BudgetCard({ item, takesFocus, onDecided }: CardProps) {
  const { limit = "maxTokens", limitValue = 0 } = item;
  const isMoney = limit.endsWith("maxCost");
  const isTree = limit.startsWith("tree.");
  const spent = isTree ? item.spent.tree : item.spent.run;
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
          no="Finish with a report"
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
        {isTree ? "The whole tree" : "This run"} may use {words(limitValue)}
        {isMoney && ` and has spent ${money(spent.cost, spent.unpriced)}`}. The next call does not fit. With a
        higher budget it continues where it stopped. Without one, the agent reports what it has and ends.
      </p>
    </CardFrame>
  );
}

const amountOf = (value: number, isMoney: boolean): number =>
  isMoney ? Math.round(value * 100) / 100 : Math.ceil(value);

export function LoopCard({ item, takesFocus, onDecided }: CardProps) {
  const decide = useDecide(item, onDecided);
  const [text, setText] = useState("");
  const { problem, perform } = useAction();
  const { runId, detail } = item;
  const goOn = async () => {
    // The message comes first, so that the agent reads it before it continues.
    const sent =
      text.trim() === "" ||
      (await perform(() =>
        client.post("/api/runs/{id}/message", { id: runId, body: { text: text.trim() } }),
      ));
    if (sent) decide.send({ decision: "approve" });
  };
  return (
    <CardFrame
      item={item}
      takesFocus={takesFocus}
      answers={
        <TwoAnswers decide={decide} yes="Let it continue" onYes={() => void goOn()} no="Finish with a report">
          <Input
            aria-label="Message to the agent"
            placeholder="Tell it what to do differently (optional)"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
            className="min-w-0 flex-1 basis-60 max-md:h-11"
          />
          <Problem text={problem} />
        </TwoAnswers>
      }
    >
      <RequestView item={item} />
      {detail !== undefined && (
        <p className="text-sm">
          <VisibleText text={detail} />
        </p>
      )}
      <p className="text-muted text-sm">
        The agent keeps repeating the same steps. Let it continue, or have it report what it has and end.
      </p>
    </CardFrame>
  );
}
