import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { generateText, isStepCount, tool } from "ai";
import { z } from "zod";
import { payBack } from "../tools.js";
import { model } from "./model.js";

const refund = tool({
  description: "Refunds an order.",
  inputSchema: z.object({ order: z.string(), cents: z.number() }),
  execute: ({ order, cents }) => payBack(order, cents),
});
const ask = (messages) =>
  generateText({
    model,
    messages,
    tools: { refund },
    toolApproval: { refund: "user-approval" },
    stopWhen: isStepCount(5),
  });

if (!existsSync("messages.json")) {
  const question = [{ role: "user", content: "Refund order 7" }];
  const { responseMessages } = await ask(question);
  writeFileSync("messages.json", JSON.stringify([...question, ...responseMessages]));
  console.log("Start again to approve.");
} else {
  const messages = JSON.parse(readFileSync("messages.json", "utf8"));
  const requests = messages.at(-1).content.filter(({ type }) => type === "tool-approval-request");
  const content = requests.map(({ approvalId }) => ({
    type: "tool-approval-response",
    approvalId,
    approved: true,
  }));
  const { text } = await ask([...messages, { role: "tool", content }]);
  console.log(text);
}
