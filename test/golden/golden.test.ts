// Tests that this version reads every journal of a released version, and continues the runs that were waiting (P13, F39).

import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TERMINAL_TYPES } from "../../src/journal/events.ts";
import { decideApproval, decideOutcome } from "../../src/loop/commands/person-commands.ts";
import { replayRuns } from "../../src/loop/replay/replay.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../src/runtime/assembly.ts";
import { checkInvariants } from "../support/invariants.ts";
import { oracleTools } from "../support/oracle.ts";
import { type Dump, restoreDatabase } from "./dump.ts";
import { SCENARIOS } from "./scenarios.ts";
import { scratchFolder } from "../support/scratch.ts";

const HOME = fileURLToPath(new URL(".", import.meta.url));
const recordings = readdirSync(HOME, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap((version) => readdirSync(join(HOME, version.name)).map((file) => join(version.name, file)))
  .filter((file) => file.endsWith(".json"));

let folder: string;
beforeEach(() => {
  folder = scratchFolder("cadre-golden-");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("golden journals", () => {
  it("[P13] every scenario has a recording", () => {
    for (const name of Object.keys(SCENARIOS)) expect(recordings.some((file) => file.endsWith(`${name}.json`))).toBe(true);
  });

  it.each(recordings)("[P13] [F39] %s can be read, and its run continues to its end", async (file) => {
    const name = file.replace(/^.*[/\\]/, "").replace(".json", "");
    const scenario = SCENARIOS[name]!;
    mkdirSync(join(folder, ".cadre"));
    restoreDatabase(JSON.parse(readFileSync(join(HOME, file), "utf8")) as Dump, join(folder, ".cadre", "cadre.db"));
    const oracle = join(folder, "effects.log");
    const runtime = await assembleRuntime({
      folder,
      env: {},
      home: join(folder, "home"),
      scripts: { golden: scenario.script },
      tools: oracleTools(oracle),
    });
    const ended = untilAllEnded(runtime);
    await runtime.start();
    await answerEverything(runtime);
    await ended;
    const { runs } = await runtime.store.runs.list({});
    expect(runs.map((run) => [run.status, run.summary])).toEqual([["completed", scenario.summary]]);
    await checkInvariants(runtime.store, oracle);
    const replayed = await replayRuns(
      runs.map(({ id }) => id),
      runtime.parts,
    );
    expect(replayed.divergence).toBeUndefined();
    await runtime.stop();
  });
});

async function answerEverything(runtime: RuntimeAssembly): Promise<void> {
  for (const { runId, itemId, kind } of await runtime.store.inbox.openItems()) {
    if (kind === "outcome") {
      const verdict = { verdict: "happened" as const, output: "charge card 1: done" };
      await decideOutcome(runId, itemId.replace("outcome/", ""), verdict, "person", runtime.people);
    } else {
      await decideApproval(`${runId}:${itemId}`, { decision: "approve" }, "person", runtime.people);
    }
  }
}

async function untilAllEnded(runtime: RuntimeAssembly): Promise<void> {
  const { runs } = await runtime.store.runs.list({});
  const open = new Set(runs.filter((run) => run.endedAt === undefined).map((run) => run.id));
  if (open.size === 0) return;
  await new Promise<void>((resolve) => {
    runtime.store.journal.onCommit((events) => {
      for (const event of events) if (TERMINAL_TYPES.has(event.type)) open.delete(event.runId);
      if (open.size === 0) resolve();
    });
  });
}
