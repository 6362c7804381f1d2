import { generateText, Output } from "ai";
import { z } from "zod";
import { model } from "./model.js";

const schema = z.object({ refunded: z.int() });
const { output } = await generateText({
  model,
  prompt: "What was refunded?",
  output: Output.object({ schema }),
});
console.log(output.refunded);
