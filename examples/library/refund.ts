// `node examples/library/refund.ts`: an agent refunds an order. A person approves it, and it happens once, whatever happens to the process.
// Start it, kill it with `kill -9` while it asks, and start it again: it asks the same question, and the run goes on.

import { createInterface } from "node:readline/promises";
import { createCadre, defineAgent, defineTool } from "cadre";
import { scriptedModel } from "cadre/testing";
import { z } from "zod";

const refund = defineTool({
  name: "refund",
  description: "Refunds an order.",
  input: z.object({ order: z.string(), cents: z.number() }),
  effect: "unsafe",
  preview: ({ order, cents }) => `Refund ${cents / 100} € of order ${order}`,
  execute: ({ order, cents }, { key }) => {
    console.log(`Refunding order ${order} (idempotency key ${key.slice(0, 8)}…)`);
    return { refunded: cents };
  },
});

const clerk = defineAgent({
  name: "clerk",
  model:
    process.env["MODEL"] ??
    scriptedModel([
      { calls: [{ tool: "refund", input: { order: "7", cents: 500 } }] },
      { report: { summary: "Order 7 is refunded.", output: { refunded: 500 } } },
    ]),
  prompt: "You refund orders. Refund what the customer paid, never more.",
  tools: [refund],
  output: z.object({ refunded: z.number() }),
});

await using cadre = await createCadre({ agents: [clerk] });
const run = cadre.run(clerk, "Refund order 7, which cost 5 €", { key: "ticket-7" });
run.onApproval(async (request) => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${request.preview}. Approve? (y/n) `);
  terminal.close();
  await (answer === "y" ? request.approve() : request.reject("Not today."));
});
const { output } = await run;
console.log(`Refunded: ${output.refunded} cents`);
