// The fields of the form that starts a run, and pure functions that build the request from these fields.

import type { StartRun } from "../../../../src/api/client/types.ts";
import { omitUndefined } from "../../../../src/omit-undefined.ts";

export interface Draft {
  agent: string;
  task: string;
  mode: "auto" | "chat";
  /** The text that the user typed as a limit. If it is empty, only the agent's own limit applies. */
  maxCost: string;
  maxTurns: string;
}

/** Says why the run cannot start yet; undefined if it can start. */
export function draftProblem({ task, maxCost, maxTurns }: Draft): string | undefined {
  if (task.trim() === "") return "Describe the task.";
  if (maxCost.trim() !== "" && !(dollars(maxCost) > 0))
    return "Enter the cost as an amount in dollars, like 0.50.";
  if (maxTurns.trim() !== "" && !/^[1-9]\d{0,5}$/.test(maxTurns.trim()))
    return "Enter the turns as a whole number, like 20.";
  return undefined;
}

export function toRequest({ agent, task, mode, maxCost, maxTurns }: Draft): StartRun {
  const limits = omitUndefined({
    maxTurns: maxTurns.trim() === "" ? undefined : Number(maxTurns),
    tree: maxCost.trim() === "" ? undefined : { maxCost: dollars(maxCost) },
  });
  return {
    agent,
    task: task.trim(),
    mode,
    attended: true,
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}

const dollars = (text: string): number =>
  /^\$?\s*\d{1,9}([.,]\d{1,6})?$/.test(text.trim())
    ? Number(text.replace(/[$\s]/g, "").replace(",", "."))
    : Number.NaN;
