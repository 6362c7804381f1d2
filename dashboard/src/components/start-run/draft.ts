// What was typed into the form, and the request that it makes. Pure.

import type { StartRun } from "../../../../src/api/client/types.ts";

export interface Draft {
  agent: string;
  task: string;
  mode: "auto" | "chat";
  /** As typed; empty: no limit beyond the agent's own. */
  maxCost: string;
  maxTurns: string;
}

/** In a sentence; undefined: it can be started. */
export function draftProblem({ task, maxCost, maxTurns }: Draft): string | undefined {
  if (task.trim() === "") return "Say what is to be done.";
  if (maxCost.trim() !== "" && !(dollars(maxCost) > 0)) return "Money is an amount in dollars, like 0.50.";
  if (maxTurns.trim() !== "" && !/^[1-9]\d{0,5}$/.test(maxTurns.trim()))
    return "Turns is a whole number, like 20.";
  return undefined;
}

export function toRequest({ agent, task, mode, maxCost, maxTurns }: Draft): StartRun {
  const limits = {
    ...(maxTurns.trim() === "" ? {} : { maxTurns: Number(maxTurns) }),
    ...(maxCost.trim() === "" ? {} : { tree: { maxCost: dollars(maxCost) } }),
  };
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
