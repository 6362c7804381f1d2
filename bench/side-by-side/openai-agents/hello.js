import { Agent, run } from "@openai/agents";
import { model } from "./model.js";

const agent = new Agent({ name: "greeter", model, instructions: "Greet people." });
console.log((await run(agent, "Say hello to Ada")).finalOutput);
