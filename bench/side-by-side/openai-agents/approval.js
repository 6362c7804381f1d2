import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, RunState, run, tool } from "@openai/agents";
import { z } from "zod";
import { payBack } from "../tools.js";
import { model } from "./model.js";

const refund = tool({
  name: "refund",
  description: "Refunds an order.",
  parameters: z.object({ order: z.string(), cents: z.number() }),
  needsApproval: true,
  execute: ({ order, cents }) => payBack(order, cents),
});
const agent = new Agent({ name: "clerk", model, tools: [refund] });

if (!existsSync("state.json")) {
  const result = await run(agent, "Refund order 7");
  writeFileSync("state.json", result.state.toString());
  console.log("Start again to approve.");
} else {
  const state = await RunState.fromString(agent, readFileSync("state.json", "utf8"));
  for (const request of state.getInterruptions()) state.approve(request);
  console.log((await run(agent, state)).finalOutput);
}
