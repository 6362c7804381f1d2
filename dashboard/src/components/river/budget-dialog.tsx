// U36: raises or lowers the budget of a run or of its whole tree.

import { useState } from "react";
import { client } from "../../live/client.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, InputField } from "../../ui/input.tsx";
import { Problem } from "../../ui/problem.tsx";
import { formatAmount, toBudget, type Unit } from "./river-bands.ts";

/** The budget to change, and how much of it is used. */
export interface BudgetTarget {
  runId: string;
  name: string;
  tree: boolean;
  limit: number | undefined;
  /** The amount already spent plus the amount reserved for calls under way. */
  used: number;
}

export interface BudgetDialogProps {
  target: BudgetTarget;
  unit: Unit;
  onClose(): void;
}

export function BudgetDialog({ target, unit, onClose }: BudgetDialogProps) {
  const { runId, name, tree, limit, used } = target;
  const [text, setText] = useState("");
  const { busy, problem, perform } = useAction();
  const amount = amountIn(text, unit);
  const send = async (to: number) => {
    const budget = { ...toBudget(to, unit), ...(tree ? { scope: "tree" as const } : {}) };
    if (await perform(() => client.post("/api/runs/{id}/budget", { id: runId, body: budget }))) onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={tree ? "Budget of the whole tree" : `Budget of ${name}`}
      description={`${formatAmount(used, unit)} spent or reserved, ${limit === undefined ? "without a limit" : `of ${formatAmount(limit, unit)}`}. ${tree ? "All runs of the tree share this budget." : "This budget covers the run's own calls, but not the calls of runs below it."}`}
    >
      <Form
        className="flex flex-col gap-3 p-4"
        onSubmit={() => amount !== undefined && !busy && void send((limit ?? 0) + amount)}
      >
        <InputField
          label={unit === "cost" ? "How much, in dollars" : "How many tokens"}
          autoFocus
          inputMode="decimal"
          value={text}
          aria-invalid={text !== "" && amount === undefined}
          onText={setText}
        />
        <Problem text={problem} />
        <Answers {...{ amount, busy, unit, limit, onClose }} onRemove={(to) => void send(to)} />
      </Form>
    </Dialog>
  );
}

interface AnswersProps {
  amount: number | undefined;
  busy: boolean;
  unit: Unit;
  limit: number | undefined;
  onRemove(to: number): void;
  onClose(): void;
}

function Answers({ amount, busy, unit, limit, onRemove, onClose }: AnswersProps) {
  const words = amount === undefined ? "" : ` ${formatAmount(amount, unit)}`;
  const isDisabled = busy || amount === undefined;
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button className="max-md:h-10" onClick={onClose}>
        Close
      </Button>
      {limit !== undefined && (
        <Button
          className="max-md:h-10"
          disabled={isDisabled || amount > limit}
          onClick={() => amount !== undefined && onRemove(roundAmount(limit - amount))}
        >
          Remove{words}
        </Button>
      )}
      <Button look="main" type="submit" className="max-md:h-10" disabled={isDisabled}>
        {limit === undefined ? `Limit to${words || " …"}` : `Add${words}`}
      </Button>
    </div>
  );
}

/** Rounds away floating point noise in sums of money. */
const roundAmount = (value: number): number => Math.round(value * 1e6) / 1e6;

function amountIn(text: string, unit: Unit): number | undefined {
  const value = Number(text.replaceAll(/[\s,_$]/g, ""));
  const isPositive = text.trim() !== "" && Number.isFinite(value) && value > 0;
  return isPositive && (unit === "cost" || Number.isInteger(value)) ? value : undefined;
}
