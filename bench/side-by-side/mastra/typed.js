import { Agent } from "@mastra/core/agent";
import { z } from "zod";
import { model } from "./model.js";

const agent = new Agent({ id: "till", name: "till", model, instructions: "Answer." });
const structuredOutput = { schema: z.object({ refunded: z.int() }) };
console.log((await agent.generate("What was refunded?", { structuredOutput })).object.refunded);
