import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { readWeather } from "../tools.js";
import { model } from "./model.js";

const weather = createTool({
  id: "weather",
  description: "Reads the weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => readWeather(city),
});
const agent = new Agent({ id: "guide", name: "guide", model, instructions: "Answer.", tools: { weather } });
console.log((await agent.generate("How is the weather in Ulm?")).text);
