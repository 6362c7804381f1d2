// A program that embeds Cadre and uses only what the package exports: `node embedded-program.ts <folder> <kill at>`.
// It counts the parts of the run's stream and the moments of its tools, and kills itself with SIGKILL at the requested one.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createCadre, defineAgent, defineTool } from "cadre";
import { effectLog, scriptedModel } from "cadre/testing";
import { z } from "zod";

const [folder = "", killAt = "0"] = process.argv.slice(2);
const log = effectLog(join(folder, "effects.log"));
let passed = 0;

function reach(moment: string): void {
  if (killAt === "0") return;
  appendFileSync(join(folder, "moments.log"), `${++passed} ${moment}\n`);
  if (passed === Number(killAt)) process.kill(process.pid, "SIGKILL");
}

const act = (name: string, effect: "unsafe" | "idempotent", approve: boolean) =>
  defineTool({
    ...{ name, description: `Does ${name}.`, input: z.object({ what: z.string() }), effect, approve },
    execute({ what }, { key }) {
      reach(`before ${name}`);
      const isDone =
        effect === "idempotent" && log.all().some((done) => done.name === name && done.key === key);
      if (!isDone) log.add({ name, key, detail: what });
      reach(`after ${name}`);
      return { done: what };
    },
  });

const stamper = defineAgent({
  name: "stamper",
  description: "Stamps receipts.",
  prompt: "Stamp.",
  model: scriptedModel([
    { calls: [{ tool: "stamp", input: { what: "receipt" } }] },
    { report: { summary: "Stamped.", output: { stamps: 1 } } },
  ]),
  tools: [act("stamp", "idempotent", false)],
  output: z.object({ stamps: z.number() }),
});
const clerk = defineAgent({
  name: "clerk",
  prompt: "Charge the card, and have the receipt stamped.",
  model: scriptedModel([
    { text: "First I charge.", calls: [{ tool: "charge", input: { what: "card 1" } }] },
    { calls: [{ tool: "delegate", input: { agent: "stamper", task: "Stamp it" } }] },
    { report: { summary: "Charged and stamped.", output: { charged: 500 } } },
  ]),
  tools: [act("charge", "unsafe", true)],
  agents: [stamper],
  output: z.object({ charged: z.number() }),
});

await using cadre = await createCadre({ folder, store: "cadre.db", agents: [clerk] });
const run = cadre.run(clerk, "Charge it", { key: "order-7" }).onApproval(async (request) => {
  reach(`asked about ${request.kind}`);
  if (request.kind !== "outcome") return request.approve({ by: "ann" });
  const hasHappened = log.all().some(({ key }) => key === request.key);
  return request.settle(hasHappened ? "happened" : "run_again", { by: "ann" });
});
for await (const part of run.stream) if (!part.type.endsWith("-delta")) reach(`${part.agent} ${part.type}`);
const { output, text } = await run;
console.log(JSON.stringify({ id: await run.id, charged: output.charged, text }));
