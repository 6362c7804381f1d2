import { Agent, run } from "@openai/agents";
import { z } from "zod";
import { model } from "./model.js";

const agent = new Agent({ name: "till", model, outputType: z.object({ refunded: z.int() }) });
console.log((await run(agent, "What was refunded?")).finalOutput.refunded);
