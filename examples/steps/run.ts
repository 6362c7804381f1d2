// `node examples/steps/run.ts [--helpless]`: plays the example in a copy of this folder and checks what came of it.
// `--helpless`: the model only talks, and after three attempts a person is asked.

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, decideApproval, type Runtime } from "cadre";

const helpless = process.argv.includes("--helpless");
const folder = mkdtempSync(join(tmpdir(), "cadre-steps-"));
cpSync(import.meta.dirname, folder, { recursive: true });
try {
  process.exitCode = await play();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function play(): Promise<number> {
  const runtime = await createRuntime({
    folder,
    // The folder is a copy of our own: its module may run.
    env: { ...process.env, CADRE_TRUST: "1" },
    ...(helpless ? { scripts: { mender: () => ({ text: "I have no idea." }) } } : {}),
  });
  const done = end(runtime);
  answerQuestions(runtime);
  await runtime.start();
  await runtime.admit({ agent: "mender", task: "Make the tests pass.", attended: true });
  const summary = await done;
  await runtime.stop();
  return judge(summary);
}

function end(runtime: Runtime): Promise<string> {
  return new Promise((resolve, reject) => {
    runtime.on("agent:message", ({ message }) => console.log(`  mender: ${JSON.stringify(message.content)}`));
    runtime.on("agent:completed", ({ result }) => resolve(result.summary));
    runtime.on("agent:failed", ({ error }) => reject(error));
  });
}

/** Somebody who is asked leaves it. */
function answerQuestions(runtime: Runtime): void {
  runtime.store.onCommit((events) => {
    for (const { type, payload, runId } of events) {
      if (type !== "RUN_SUSPENDED" || payload.waitingOn.kind !== "question") continue;
      console.log(`  asked: ${payload.waitingOn.detail}`);
      const id = `${runId}:${payload.waitingOn.items![0]}`;
      void decideApproval(id, { decision: "answer", answer: "leave it" }, "you", runtime.people);
    }
  });
}

function judge(summary: string): number {
  const isGreen = spawnSync(process.execPath, ["--test", "mean.test.mjs"], { cwd: folder }).status === 0;
  const wanted = helpless ? "The tests fail. A person takes over." : "The tests pass after 2 attempts.";
  console.log(`${summary} (${isGreen ? "green" : "red"})`);
  return summary === wanted && isGreen !== helpless ? 0 : 1;
}
