import { defineAgent, defineTool, run } from "cadre";
import { z } from "zod";
import { model } from "./model.ts";
import { readWeather } from "./tools.ts";

const weather = defineTool({
  description: "Reads the weather of a city.",
  input: z.object({ city: z.string() }),
  effect: "read",
  execute: ({ city }) => readWeather(city),
});
const guide = defineAgent({ name: "guide", model, prompt: "Answer.", tools: { weather } });
console.log((await run(guide, "How is the weather in Ulm?", { key: "ulm" })).text);
