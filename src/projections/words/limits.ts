// A reached limit as text, the same in the terminal, on the page and in a run's result.

import type { Payload } from "../../journal/events.ts";
import { groupDigits, money, plural } from "./format.ts";

type Reached = Pick<Payload<"LIMIT_REACHED">, "limit" | "value" | "used" | "kept" | "needs" | "budget">;

/** `the tree has 2,500 tokens, 312 are used, and the next call needs about 2,900`. Without a budget's numbers: `maxTurns (3) was reached`. */
export function describeLimit({ limit, value, used, kept, needs, budget }: Reached): string {
  if (used === undefined) return `${limit} (${value}) was reached`;
  const name = budget ?? limit;
  const isMoney = name.endsWith("maxCost");
  const amount = (number: number): string => (isMoney ? money(number) : groupDigits(Math.ceil(number)));
  const has = `${name.startsWith("tree.") ? "the tree" : "the run"} has ${isMoney ? amount(value) : plural(value, "token")}`;
  const be = isMoney ? "is" : "are";
  const spent = used === 0 ? "nothing is used yet" : `${amount(used)} ${be} used`;
  const others = kept === undefined ? "" : `, ${amount(kept)} ${be} kept for the last turns of other runs`;
  const next = limit === "finalTurn" ? "a last turn" : "the next call";
  const needed = needs === undefined ? "" : `, and ${next} needs about ${amount(needs)}`;
  return `${has}, ${spent}${others}${needed}`;
}

/** The setting that has to be raised: `` `limits.tree.maxTokens` to at least 6,200 ``. Undefined if the limit is not a budget that a call exceeded. */
export function describeLeast({ limit, needs }: Reached): string | undefined {
  if (needs === undefined) return undefined;
  const least = limit.endsWith("maxCost") ? money(needs) : groupDigits(Math.ceil(needs));
  return `\`limits.${limit}\` to at least ${least}`;
}
