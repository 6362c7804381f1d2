import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { LibSQLStore } from "@mastra/libsql";
import { z } from "zod";
import { payBack } from "../tools.js";
import { model } from "./model.js";

const refund = createTool({
  id: "refund",
  description: "Refunds an order.",
  inputSchema: z.object({ order: z.string(), cents: z.number() }),
  requireApproval: true,
  execute: async ({ order, cents }) => payBack(order, cents),
});
const clerk = new Agent({
  id: "clerk",
  name: "clerk",
  model,
  instructions: "Refund orders.",
  tools: { refund },
});
const storage = new LibSQLStore({ id: "store", url: "file:mastra.db" });
const agent = new Mastra({ agents: { clerk }, storage, logger: false }).getAgent("clerk");

if (!existsSync("run.json")) {
  const { runId, suspendPayload } = await agent.generate("Refund order 7");
  writeFileSync("run.json", JSON.stringify({ runId, toolCallId: suspendPayload.toolCallId }));
  console.log("Start again to approve.");
} else {
  console.log((await agent.approveToolCallGenerate(JSON.parse(readFileSync("run.json", "utf8")))).text);
}
