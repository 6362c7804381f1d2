import { generateText, isStepCount, tool } from "ai";
import { z } from "zod";
import { readWeather } from "../tools.js";
import { model } from "./model.js";

const weather = tool({
  description: "Reads the weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => readWeather(city),
});
const { text } = await generateText({
  model,
  prompt: "How is the weather in Ulm?",
  tools: { weather },
  stopWhen: isStepCount(5),
});
console.log(text);
