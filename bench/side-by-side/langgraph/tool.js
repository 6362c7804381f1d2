import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { readWeather } from "../tools.js";
import { model } from "./model.js";

const weather = tool(({ city }) => readWeather(city), {
  name: "weather",
  description: "Reads the weather of a city.",
  schema: z.object({ city: z.string() }),
});
const agent = createReactAgent({ llm: model, tools: [weather] });
const { messages } = await agent.invoke({ messages: "How is the weather in Ulm?" });
console.log(messages.at(-1).text);
