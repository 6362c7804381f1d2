import { Agent } from "@mastra/core/agent";
import { model } from "./model.js";

const agent = new Agent({ id: "greeter", name: "greeter", model, instructions: "Greet people." });
const { textStream } = await agent.stream("Say hello to Ada");
for await (const text of textStream) process.stdout.write(text);
