// `npm run bench patterns` does the work of each example twice: with its pattern, and led by a coordinator with tool calls. It
// counts calls and tokens in the journals, and stops if a repetition has other counts.

import { TERMINAL_TYPES } from "../src/journal/events.ts";
import type { Script, ScriptedTurn } from "../src/models/scripted/script.ts";
import { assembleRuntime, type RuntimeAssembly } from "../src/runtime/assembly.ts";
import { COORDINATORS } from "./coordinators.ts";
import { asItStands, coordinated, type Staged } from "./staged.ts";
import { median, print, whole } from "./table.ts";

const REPETITIONS = 7;

/** A tenth of the latency of a fast provider, which takes half a second to the first token and writes a hundred per second. */
const FIRST_TOKEN_MS = 50;
const TOKEN_MS = 1;

const CHARACTERS_PER_TOKEN = 4;

export async function patterns(): Promise<void> {
  const rows: string[][] = [];
  for (const coordinator of COORDINATORS) {
    await using led = await coordinated(coordinator);
    await using own = await asItStands(coordinator.example);
    rows.push(...rowsOf(coordinator.example, await measure(led), await measure(own)));
  }
  print("The same work by tool calls and by a pattern", [
    ["", "model calls", "input tokens", "output tokens", "wall ms"],
    ...rows,
  ]);
}

interface Measured {
  counts: [calls: number, input: number, output: number];
  ms: number;
}

async function measure(staged: Staged): Promise<Measured> {
  const { folder, script } = staged;
  const runtime = await assembleRuntime({
    folder,
    env: {},
    home: folder,
    scripts: { bench: likeAProvider(script) },
  });
  await runtime.start();
  try {
    const { counts } = await once(staged, runtime);
    const times: number[] = [];
    for (let round = 0; round < REPETITIONS; round++) {
      const again = await once(staged, runtime);
      if (String(again.counts) !== String(counts))
        throw new Error(`${folder} took ${again.counts.join(", ")}, and ${counts.join(", ")} before`);
      times.push(again.ms);
    }
    return { counts, ms: median(times)! };
  } finally {
    await runtime.stop();
  }
}

/** Computes tokens from the real length of prompts and answers, and time from tokens. */
function likeAProvider(script: Staged["script"]): Script {
  return (request) => {
    const turn = script(request);
    if (!turn) return undefined;
    const output = tokens(writtenIn(turn));
    const usage = { input: tokens(request.characters), output };
    return { ...turn, usage, delay: FIRST_TOKEN_MS + TOKEN_MS * output };
  };
}

const tokens = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);

function writtenIn({ text = "", calls = [], report }: ScriptedTurn): number {
  const inputs = [...calls.map(({ input }) => input), ...(report ? [report] : [])];
  return text.length + inputs.reduce((sum: number, input) => sum + JSON.stringify(input).length, 0);
}

async function once({ agent, task, says }: Staged, { admit, store }: RuntimeAssembly): Promise<Measured> {
  const ended = Promise.withResolvers<void>();
  let root = "";
  const unsubscribe = store.journal.onCommit((events) => {
    if (events.some(({ type, runId }) => runId === root && TERMINAL_TYPES.has(type))) ended.resolve();
  });
  const from = performance.now();
  const { runId } = await admit({ agent, task });
  root = runId;
  await ended.promise;
  const ms = performance.now() - from;
  unsubscribe();
  const { runs } = await store.runs.list({ root: runId, limit: 200 });
  const { status, summary = "" } = runs.find(({ id }) => id === runId)!;
  if (status !== "completed" || !summary.includes(says)) throw new Error(`${agent} ${status}: ${summary}`);
  const sum = (of: "modelCalls" | "input" | "output") => runs.reduce((all, { usage }) => all + usage[of], 0);
  return { counts: [sum("modelCalls"), sum("input"), sum("output")], ms };
}

function rowsOf(name: string, led: Measured, own: Measured): string[][] {
  const [before, after] = [led, own].map(({ counts, ms }) => [...counts, ms]) as [number[], number[]];
  return [
    [`${name}: tool calls`, ...before.map(whole)],
    [`${name}: pattern`, ...after.map(whole)],
    ["  of it", ...after.map((value, at) => (value / before[at]!).toFixed(2))],
  ];
}
