import { isStepCount, ToolLoopAgent, tool } from "ai";
import { z } from "zod";
import { model } from "./model.js";

const child = (instructions) => {
  const agent = new ToolLoopAgent({ model, instructions });
  return tool({
    description: instructions,
    inputSchema: z.object({ task: z.string() }),
    execute: async ({ task }) => (await agent.generate({ prompt: task })).text,
  });
};
const lead = new ToolLoopAgent({
  model,
  instructions: "Ask both, then decide.",
  tools: { critic: child("Finds what is wrong."), fan: child("Finds what is good.") },
  stopWhen: isStepCount(5),
});
console.log((await lead.generate({ prompt: "Shall we move?" })).text);
