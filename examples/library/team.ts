// `node examples/library/team.ts`: a lead asks two agents in parallel, and the program prints everything that happens in the tree.

import { createCadre, defineAgent } from "cadre";
import { scriptedModel } from "cadre/testing";

const { MODEL } = process.env;

const critic = defineAgent({
  name: "critic",
  description: "Finds what is wrong with a plan.",
  model: MODEL ?? scriptedModel([{ text: "Nobody has tested the backup." }]),
  prompt: "Name the biggest risk of the plan in one sentence.",
});
const fan = defineAgent({
  name: "fan",
  description: "Finds what is good about a plan.",
  model: MODEL ?? scriptedModel([{ text: "Users wait half as long." }]),
  prompt: "Name the best part of the plan in one sentence.",
});
const lead = defineAgent({
  name: "lead",
  model:
    MODEL ??
    scriptedModel([
      {
        calls: [
          { tool: "delegate", input: { agent: "critic", task: "Judge the plan" } },
          { tool: "delegate", input: { agent: "fan", task: "Judge the plan" } },
        ],
      },
      { text: "Move on Monday, after a test of the backup." },
    ]),
  prompt: "Ask the critic and the fan at the same time, then decide in one sentence.",
  agents: [critic, fan],
  delegation: { mode: "parallel" },
});

await using cadre = await createCadre({ agents: [lead] });
const run = cadre.run(lead, "Shall we move to the new database?");
for await (const part of run.stream) {
  if (part.type === "started") console.log(`${part.agent} starts: ${part.task.split("\n")[0]}`);
  if (part.type === "tool-call") console.log(`${part.agent} calls ${part.tool}`);
  if (part.type === "text") console.log(`${part.agent}: ${part.text}`);
}
const { cost, report } = await run;
console.log(`${report.status}, ${cost === null ? "unknown cost" : `$${cost.toFixed(2)}`}`);
