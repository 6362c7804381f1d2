import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { model } from "./model.js";

const agent = createReactAgent({ llm: model, tools: [], prompt: "Greet people." });
const { messages } = await agent.invoke({ messages: "Say hello to Ada" });
console.log(messages.at(-1).text);
