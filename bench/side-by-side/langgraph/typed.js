import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { model } from "./model.js";

const agent = createReactAgent({ llm: model, tools: [], responseFormat: z.object({ refunded: z.int() }) });
const { structuredResponse } = await agent.invoke({ messages: "What was refunded?" });
console.log(structuredResponse.refunded);
