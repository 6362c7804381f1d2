// `node examples/01-hello/main.ts`: one agent gives one answer, and the program prints the journal of the run.

import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createCadre, type JournalEvent } from "cadre";

// The agent works in a copy of this folder. CADRE_TRUST says that you trust the settings in cadre.yaml.
const folder = await mkdtemp(join(tmpdir(), "cadre-hello-"));
await cp(import.meta.dirname, folder, { recursive: true });
const { values } = parseArgs({ options: { model: { type: "string" } } });

await using cadre = await createCadre({ ...values, folder, env: { ...process.env, CADRE_TRUST: "1" } });
const run = cadre.run("greeter", "Say hello to Ada, who is new here.");
const { id, text, cost, usage } = await run;

console.log("── the journal of greeter");
for (const event of await run.journal())
  console.log(`${String(event.seq).padStart(3)}  ${event.type.padEnd(18)}  ${describe(event)}`);
console.log(`\n── the answer\n${text}`);
console.log(`\n${usage.input + usage.output} tokens, $${cost?.toFixed(4) ?? "?"}`);
console.log(`\n  cadre show ${id} -C ${folder}`);

function describe({ type, payload }: JournalEvent): string {
  if (type === "RUN_STARTED") return payload.task;
  if (type === "MODEL_CALL_STARTED") return payload.model;
  return type === "RUN_COMPLETED" ? payload.summary : "";
}
