import { tool } from "@langchain/core/tools";
import { Command, interrupt } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { z } from "zod";
import { payBack } from "../tools.js";
import { model } from "./model.js";

const refund = tool(
  ({ order, cents }) =>
    interrupt({ order, cents }) === "approve" ? JSON.stringify(payBack(order, cents)) : "Rejected.",
  {
    name: "refund",
    description: "Refunds an order.",
    schema: z.object({ order: z.string(), cents: z.number() }),
  },
);
const checkpointer = SqliteSaver.fromConnString("graph.db");
const agent = createReactAgent({ llm: model, tools: [refund], checkpointer });
const config = { configurable: { thread_id: "order-7" } };
const { next } = await agent.getState(config);
const { messages } = await agent.invoke(
  next.length > 0 ? new Command({ resume: "approve" }) : { messages: "Refund order 7" },
  config,
);
console.log(
  (await agent.getState(config)).next.length > 0 ? "Start again to approve." : messages.at(-1).text,
);
