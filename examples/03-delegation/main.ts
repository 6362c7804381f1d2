// `node examples/03-delegation/main.ts`: a lead agent asks two other agents in parallel, and uses their reports to decide.

import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createCadre, type JournalEvent } from "cadre";

// The agents work in a copy of this folder. CADRE_TRUST says that you trust the settings in cadre.yaml.
const folder = await mkdtemp(join(tmpdir(), "cadre-delegation-"));
await cp(import.meta.dirname, folder, { recursive: true });
const { values } = parseArgs({ options: { model: { type: "string" } } });

await using cadre = await createCadre({ ...values, folder, env: { ...process.env, CADRE_TRUST: "1" } });
const task = "May release 2.4 go out? The tests are in tests.txt, the notes in notes.md.";
const run = cadre.run("release-lead", task);
const { id, text, cost } = await run;
const events = await run.journal();
const children = events.flatMap(({ type, payload }) =>
  type === "CHILD_RUN_STARTED" ? [payload.child_run_id] : [],
);

console.log("── the journal of release-lead");
for (const event of events)
  console.log(`${String(event.seq).padStart(3)}  ${event.type.padEnd(19)}  ${describe(event)}`);
console.log("\n── the runs");
for (const runId of [id, ...children]) {
  const { agent, status, turns, cost: own } = await cadre.get(runId).status();
  console.log(`${agent.padEnd(12)}  ${status}  ${turns} turns  $${own.toFixed(4)}`);
}
console.log(`${"together".padEnd(12)}  $${cost?.toFixed(4) ?? "?"}`);
console.log(`\n── the answer\n${text}`);
console.log(`\n  cadre show ${id} -C ${folder}`);

function describe({ type, payload }: JournalEvent): string {
  if (type === "TOOL_PROPOSED") return `${payload.name}: ${payload.verdict}`;
  if (type === "CHILD_RUN_STARTED") return `${payload.agent_type}: ${payload.task}`;
  if (type === "CHILD_RUN_COMPLETED") return payload.summary;
  return type === "RUN_SUSPENDED" ? `waits for: ${payload.waitingOn.kind}` : "";
}
