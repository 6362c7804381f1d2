// `node examples/library/refund.ts`: an agent refunds an order. A person approves it, and it happens once, whatever happens to the process.
// Start it, kill it with `kill -9` while it asks, and start it again: it asks the same question, and the run goes on.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { createCadre, defineAgent, defineTool } from "cadre";
import { scriptedModel } from "cadre/testing";
import { z } from "zod";

/** Stands for your payment provider, which keeps each refund under the key that you send. */
const bank = {
  refund(order: string, cents: number, key: string) {
    appendFileSync("refunds.txt", `${key} order ${order}: ${cents} cents\n`);
    return { refunded: cents };
  },
  has: (key: string) => existsSync("refunds.txt") && readFileSync("refunds.txt", "utf8").includes(key),
};

const refund = defineTool({
  name: "refund",
  description: "Refunds an order.",
  input: z.object({ order: z.string(), cents: z.number() }),
  effect: "unsafe",
  preview: ({ order, cents }) => `Refund ${cents / 100} € of order ${order}`,
  execute: ({ order, cents }, { key }) => bank.refund(order, cents, key),
});

const clerk = defineAgent({
  name: "clerk",
  // With MODEL=anthropic/claude-sonnet-4-5 and ANTHROPIC_API_KEY, a real model works here. This script needs no key.
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
  // A crash interrupted the refund. Look up whether it took effect.
  if (request.kind === "outcome") return request.settle(bank.has(request.key) ? "happened" : "run_again");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${request.preview}. Approve? (y/n) `);
  terminal.close();
  await (answer === "y" ? request.approve() : request.reject("Not today."));
});
const { output } = await run;
console.log(`Refunded: ${output.refunded} cents`);
