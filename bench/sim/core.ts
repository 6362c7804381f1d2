// Measures what the core writes for runs of realistic size. The real loop plays each run with a model that answers with texts
// of that size, in a store in memory. The sizes are exact; only durations come from a model (simulate.ts).

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { systemClock } from "../../src/clock.ts";
import type { JournalEvent } from "../../src/journal/events.ts";
import { drive } from "../../src/loop/drive/drive.ts";
import type { Script } from "../../src/models/scripted/script.ts";
import { assembleRuntime } from "../../src/runtime/assembly.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { defineTool } from "../../src/tools/tool.ts";
import type { Step } from "./sizes.ts";

export interface PlayedStep {
  events: number;
  /** Bytes of payloads. */
  bytes: number;
  /** Characters that the model writes, which take time. */
  written: number;
  /** The run waits until a person answers. */
  waits: boolean;
}

export async function play(trajectories: readonly Step[][]): Promise<PlayedStep[][]> {
  const folder = mkdtempSync(join(tmpdir(), "cadre-sim-"));
  mkdirSync(join(folder, "agents"));
  writeFileSync(join(folder, "agents", "clerk.md"), AGENT);
  const store = openSqliteStore({ path: ":memory:", clock: systemClock });
  const runtime = await assembleRuntime({
    folder,
    env: {},
    home: join(folder, "home"),
    scripts: { sim: scriptOf(trajectories) },
    tools: [answerTool],
    store,
  });
  const played: PlayedStep[][] = [];
  for (const [index, steps] of trajectories.entries()) {
    const limits = { maxTurns: steps.length + 2 };
    const { runId } = await runtime.admit({ agent: "clerk", task: `${index}`, limits });
    await drive(runId, runtime.parts, new AbortController().signal);
    played.push(byStep(await store.journal.read(runId), steps));
  }
  await runtime.stop();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
  return played;
}

const AGENT = "---\ndescription: helps\nmodel: scripted/sim\ntools: [answer]\n---\nYou help people.\n";

const scriptOf =
  (trajectories: readonly Step[][]): Script =>
  ({ turn, task }) => {
    const step = trajectories[Number(task)]?.[turn - 1];
    if (!step) return { text: "Done." };
    const input = { text: "x".repeat(step.asked), answered: step.answered + step.heard, turn };
    return { text: "y".repeat(step.said), calls: [{ tool: "answer", input }] };
  };

const answerTool = defineTool({
  name: "answer",
  description: "Answers as much as it is told.",
  input: z.object({ text: z.string(), answered: z.number(), turn: z.number() }),
  effect: "read",
  reaches: [],
  execute: async ({ answered }) => ({ output: "z".repeat(answered) }),
});

/** Events before the first model call count with it, and events after the last model call with that one. */
function byStep(events: readonly JournalEvent[], steps: readonly Step[]): PlayedStep[] {
  const played: PlayedStep[] = steps.map(({ said, asked, heard }, index) => ({
    events: 0,
    bytes: 0,
    written: said + asked,
    waits: heard > 0 && index > 0,
  }));
  let at = -1;
  for (const { type, payload } of events) {
    if (type === "MODEL_CALL_STARTED") at++;
    const step = played[Math.min(Math.max(at, 0), played.length - 1)]!;
    step.events++;
    step.bytes += JSON.stringify(payload).length;
  }
  return played;
}
