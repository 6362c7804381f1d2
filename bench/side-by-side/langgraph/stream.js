import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { model } from "./model.js";

const agent = createReactAgent({ llm: model, tools: [], prompt: "Greet people." });
const stream = await agent.stream({ messages: "Say hello to Ada" }, { streamMode: "messages" });
for await (const [message] of stream) process.stdout.write(message.text);
