// One life of the kill loop: opens the store, starts a few trees, plays the person, and continues until it is killed.
// `node kill-child.ts <folder> <trees to start> <name of this life>`. A life whose name begins with `poison` also starts the poison run.
// The process prints a line when it begins to drive. It exits with 0 when every run has ended or is quarantined.

import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { assembleRuntime } from "../../src/runtime/assembly.ts";
import { beThePerson } from "../support/honest-person.ts";
import { oracleTools } from "../support/oracle.ts";
import { KINDS, script } from "./kill-trees.ts";

const [folder = "", trees = "0", life = ""] = process.argv.slice(2);
const oracle = join(folder, "effects.log");
const runtime = await assembleRuntime({
  folder,
  env: { CADRE_TRUST: "1" },
  home: join(folder, "home"),
  scripts: { kills: script },
  tools: oracleTools(oracle, {
    // Only the poison run calls `look`, which kills the process.
    before: async (tool) => {
      if (tool === "look") process.kill(process.pid, "SIGKILL");
    },
  }),
});
for (let n = 0; n < Number(trees); n++) {
  const agent = KINDS[((Number.parseInt(life, 10) || 0) + n) % KINDS.length]!;
  await runtime.admit({ agent, task: "do your part", attended: true }, `${life}/${n}`);
}
if (life.startsWith("poison"))
  await runtime.admit({ agent: "poison", task: "look", attended: true }, "poison");
await runtime.start();
process.stdout.write("driving\n");
for (;;) {
  await beThePerson(runtime, oracle);
  const { runs } = await runtime.store.runs.list({
    status: ["pending", "running", "waiting", "suspended"],
    limit: 500,
  });
  if (runs.every(({ waitingOn }) => waitingOn?.kind === "quarantine")) break;
  await setTimeout(20);
}
await runtime.stop();
process.exit(0);
