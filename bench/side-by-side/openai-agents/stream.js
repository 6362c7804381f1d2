import { Agent, run } from "@openai/agents";
import { model } from "./model.js";

const agent = new Agent({ name: "greeter", model, instructions: "Greet people." });
const result = await run(agent, "Say hello to Ada", { stream: true });
for await (const text of result.toTextStream()) process.stdout.write(text);
