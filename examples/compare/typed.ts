import { defineAgent, run } from "cadre";
import { z } from "zod";
import { model } from "./model.ts";

const till = defineAgent({ name: "till", model, prompt: "Answer.", output: z.object({ refunded: z.int() }) });
console.log((await run(till, "What was refunded?", { key: "july" })).output.refunded);
