// The reference scenario of the crash suite: read → approval → unsafe → idempotent → final. Whoever answers the
// questions looks at the oracle first, as a person would look at the world.

import type { Script } from "../../src/models/script.ts";

export const TASK = "look, charge, stamp, report";

export const script: Script = ({ turn }) => {
  if (turn === 1) return { text: "First I look.", calls: [{ tool: "look", input: { what: "orders" } }] };
  if (turn === 2) return { calls: [{ tool: "charge", input: { what: "card 1" } }] };
  if (turn === 3) return { calls: [{ tool: "stamp", input: { what: "receipt" } }] };
  return { report: { summary: "Looked, charged, stamped." } };
};

/** `charge` is asked about, whatever its default. */
export const AGENT = `---
description: the crash suite's agent
model: scripted/crash
tools: { allow: [look, charge, stamp], ask: [charge], deny: [] }
---
You look, charge and stamp.
`;
