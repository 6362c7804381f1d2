import { Agent } from "@mastra/core/agent";
import { model } from "./model.js";

const agent = new Agent({ id: "greeter", name: "greeter", model, instructions: "Greet people." });
console.log((await agent.generate("Say hello to Ada")).text);
