// Answers for the programs of this folder, so that they need no key.

import { scriptedModel } from "cadre/testing";
import { note } from "./tools.ts";

const ask = (agent: string) => ({ tool: "delegate", input: { agent, task: "Judge the plan" } });
const CALLS: Record<string, { tool: string; input: object }[]> = {
  guide: [{ tool: "weather", input: { city: "Ulm" } }],
  clerk: [{ tool: "refund", input: { order: "7", cents: 500 } }],
  lead: [ask("critic"), ask("fan")],
};

export const model = scriptedModel(({ agent, turn, lastResult }) => {
  note("calls.log", "call");
  if (agent === "till") return { report: { summary: "500 cents.", output: { refunded: 500 } } };
  const calls = turn === 1 ? CALLS[agent] : undefined;
  return calls
    ? { calls }
    : { text: lastResult === undefined ? "Hello, Ada!" : `The tools said: ${lastResult}` };
});
