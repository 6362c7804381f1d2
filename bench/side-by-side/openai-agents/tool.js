import { Agent, run, tool } from "@openai/agents";
import { z } from "zod";
import { readWeather } from "../tools.js";
import { model } from "./model.js";

const weather = tool({
  name: "weather",
  description: "Reads the weather of a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => readWeather(city),
});
const agent = new Agent({ name: "guide", model, tools: [weather] });
console.log((await run(agent, "How is the weather in Ulm?")).finalOutput);
