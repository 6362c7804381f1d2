// `node examples/02-approval/main.ts`: reading needs no approval. The program approves an edit and rejects a command, and the agent reports both.

import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createCadre, type JournalEvent } from "cadre";

// The agent works in a copy of this folder. CADRE_TRUST says that you trust the settings in cadre.yaml.
const folder = await mkdtemp(join(tmpdir(), "cadre-approval-"));
await cp(import.meta.dirname, folder, { recursive: true });
const { values } = parseArgs({ options: { model: { type: "string" } } });

await using cadre = await createCadre({ ...values, folder, env: { ...process.env, CADRE_TRUST: "1" } });
const task = "The export times out after 5 seconds. Give it 30, and put that live.";
const run = cadre.run("keeper", task).onApproval((request) => {
  console.log(`── ${request.agent} wants to call ${request.tool}\n${request.preview}\n`);
  if (request.tool === "Edit") return request.approve({ by: "ann" });
  return request.reject("Not before noon.", { by: "ann" });
});
const { id, text } = await run;

console.log("── the journal of keeper");
for (const event of await run.journal())
  console.log(`${String(event.seq).padStart(3)}  ${event.type.padEnd(18)}  ${describe(event)}`);
console.log(`\n── the answer\n${text}`);
console.log(`\n  cadre show ${id} -C ${folder}`);

function describe({ type, payload }: JournalEvent): string {
  if (type === "TOOL_PROPOSED") return `${payload.name}: ${payload.verdict}`;
  if (type === "APPROVAL_DECIDED") return `${payload.decision} by ${payload.by}`;
  if (type === "TOOL_RESULT") return String(payload.output).split("\n", 1)[0]!;
  return type === "RUN_SUSPENDED" ? `waits for: ${payload.waitingOn.kind}` : "";
}
