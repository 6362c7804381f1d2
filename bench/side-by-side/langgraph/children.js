import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { model } from "./model.js";

const child = (name, description) => {
  const agent = createReactAgent({ llm: model, tools: [], prompt: description });
  return tool(async ({ task }) => (await agent.invoke({ messages: task })).messages.at(-1).text, {
    name,
    description,
    schema: z.object({ task: z.string() }),
  });
};
const tools = [child("critic", "Finds what is wrong."), child("fan", "Finds what is good.")];
const lead = createReactAgent({ llm: model, tools, prompt: "Ask both, then decide." });
console.log((await lead.invoke({ messages: "Shall we move?" })).messages.at(-1).text);
