// Records the golden journals of this version: `node test/golden/record.ts`. Run it once for each release.
// Never record a journal of a released version again. The old recording proves that newer versions can read the old format.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../../package.json" with { type: "json" };
import { decideApproval } from "../../src/loop/commands/person-commands.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../src/runtime/assembly.ts";
import type { AnyTool } from "../../src/tools/tool.ts";
import { oracleTools } from "../support/oracle.ts";
import { dumpDatabase } from "./dump.ts";
import { GOLDEN_AGENT, type GoldenScenario, SCENARIOS } from "./scenarios.ts";

const home = fileURLToPath(new URL(`./${packageJson.version}/`, import.meta.url));
mkdirSync(home, { recursive: true });
for (const [name, scenario] of Object.entries(SCENARIOS)) {
  const dump = await record(scenario);
  writeFileSync(join(home, `${name}.json`), `${JSON.stringify(dump, null, 1)}\n`);
}
process.exit(0);

async function record(scenario: GoldenScenario) {
  const folder = join(tmpdir(), "cadre-golden");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "agents"), { recursive: true });
  writeFileSync(join(folder, "agents", "golden.md"), GOLDEN_AGENT);
  if (scenario.interrupted) await liveUntilCharge(folder, scenario);
  const runtime = await open(folder, scenario, oracleTools(join(folder, "effects.log")));
  const stopped = seen(runtime, scenario.stopAt);
  if (!scenario.interrupted) await runtime.admit({ agent: "golden", task: "charge", attended: true });
  await runtime.start();
  await stopped;
  await runtime.stop();
  return dumpDatabase(join(folder, ".cadre", "cadre.db"));
}

/** Simulates a crash during the call of `charge`: the store is closed before the tool answers. */
async function liveUntilCharge(folder: string, scenario: GoldenScenario): Promise<void> {
  let begun = (): void => {};
  const charging = new Promise<void>((resolve) => (begun = resolve));
  const tools = oracleTools(join(folder, "effects.log"), {
    after: () => {
      begun();
      return new Promise<void>(() => {});
    },
  });
  const runtime = await open(folder, scenario, tools);
  const asked = seen(runtime, "RUN_SUSPENDED");
  const { runId } = await runtime.admit({ agent: "golden", task: "charge", attended: true });
  await runtime.start();
  await asked;
  await decideApproval(`${runId}:m1.0`, { decision: "approve" }, "person", runtime.people);
  await charging;
  await runtime.store.close();
}

function open(folder: string, { script }: GoldenScenario, tools: AnyTool[]): Promise<RuntimeAssembly> {
  return assembleRuntime({ folder, env: {}, home: join(folder, "home"), scripts: { golden: script }, tools });
}

function seen(runtime: RuntimeAssembly, type: string): Promise<void> {
  return new Promise((resolve) => {
    runtime.store.journal.onCommit((events) => {
      if (events.some((event) => event.type === type)) resolve();
    });
  });
}
