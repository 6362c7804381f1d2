// The runs for the fleet tests: trees of two runs with every kind of effect, and small trees with parallel children.
// Some runs pause during a read until the test lets them continue. The provider of the agent `patient` asks it to wait.

import type { ScriptedRequest, ScriptedTurn } from "../../src/models/scripted/script.ts";

const agent = (keys: string): string =>
  `---\ndescription: one of the fleet\nmodel: scripted/fleet\n${keys}\n---\nYou do your part.\n`;

export const AGENTS: Record<string, string> = {
  lead: agent("agents: [hand]\ntools: [look]"),
  hand: agent("tools: { allow: [look, charge, stamp], ask: [], deny: [] }"),
  chief: agent("agents: [buyer, stamper]\ntools: []\ndelegation: { mode: parallel, maxParallel: 2 }"),
  buyer: agent("tools: { allow: [charge], ask: [], deny: [] }"),
  stamper: agent("tools: [stamp]"),
  waiter: agent("tools: [look]"),
  patient: agent("tools: [look]"),
};

const act = (tool: string, what: string) => ({ tool, input: { what } });
const delegate = (to: string) => ({ tool: "delegate", input: { agent: to, task: `${to}, do your part` } });
const DELAY = { delay: 20 };

/** Seconds that the provider of the agent `patient` asks it to wait (`retryAfter`). */
export const PATIENCE_S = 2;

export function script({ agent: name, turn, attempt, task }: ScriptedRequest): ScriptedTurn {
  if (name === "patient" && attempt === 1)
    return { error: { status: 429, message: "slow down", retryAfter: PATIENCE_S } };
  return says(task)[name]?.[turn - 1] ?? { text: `${name} is done.` };
}

const says = (task: string): Record<string, ScriptedTurn[]> => ({
  lead: [
    { ...DELAY, calls: [act("look", "orders")] },
    { calls: [{ tool: "delegate", input: { agent: "hand", task: "buy it" } }] },
  ],
  hand: [
    { ...DELAY, calls: [act("look", "price")] },
    { ...DELAY, calls: [act("charge", "card")] },
    { calls: [act("stamp", "receipt")] },
  ],
  chief: [{ ...DELAY, calls: [delegate("buyer"), delegate("stamper")] }],
  buyer: [{ ...DELAY, calls: [act("charge", "card")] }],
  stamper: [{ ...DELAY, calls: [act("stamp", "receipt")] }],
  waiter: [{ calls: [act("look", `wait ${/for (\w+)/.exec(task)?.[1]}`)] }],
});
