import { defineAgent, defineTool, run } from "cadre";
import { z } from "zod";
import { model } from "./model.ts";
import { isPaidBack, payBack } from "./tools.ts";

const refund = defineTool({
  name: "refund",
  description: "Refunds an order.",
  input: z.object({ order: z.string(), cents: z.number() }),
  execute: ({ order, cents }, { key }) => payBack(order, cents, key),
});
const clerk = defineAgent({ name: "clerk", model, prompt: "Refund orders.", tools: [refund] });
const result = run(clerk, "Refund order 7", { key: "order-7" }).onApproval((request) => {
  console.log(`${request.kind}: ${request.tool}`);
  if (request.kind === "outcome") return request.settle(isPaidBack(request.key) ? "happened" : "run_again");
  return process.argv[2] === "yes" ? request.approve() : process.exit();
});
console.log((await result).text);
