import { Agent, run } from "@openai/agents";
import { model } from "./model.js";

const child = (toolName, toolDescription) =>
  new Agent({ name: toolName, model, instructions: toolDescription }).asTool({ toolName, toolDescription });
const tools = [child("critic", "Finds what is wrong."), child("fan", "Finds what is good.")];
const lead = new Agent({ name: "lead", model, instructions: "Ask both, then decide.", tools });
console.log((await run(lead, "Shall we move?")).finalOutput);
