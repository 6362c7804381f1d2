// A program that embeds Cadre. The test type-checks it and runs it outside the repository, next to the installed package.

import { createRuntime, defineAgent, defineTool } from "cadre";
import { z } from "zod";

const clerk = defineAgent({
  name: "clerk",
  description: "Looks up what an order costs.",
  model: "scripted/clerk",
  prompt: "Look it up, and say what it costs.",
  tools: ["Price"],
  limits: { maxTurns: 3 },
});

// @ts-expect-error a limit must be a number: this shows that the package's types are checked
defineAgent({ name: "none", prompt: "", limits: { maxTurns: "many" } });

const price = defineTool({
  name: "Price",
  description: "What an article costs.",
  input: z.object({ article: z.string() }),
  effect: "read",
  reaches: [],
  execute: async ({ article }) => ({ output: article === "tea" ? "3 €" : "unknown" }),
});

const runtime = await createRuntime({
  folder: process.cwd(),
  flags: { store: "sqlite::memory:" },
  agents: [clerk],
  tools: [price],
  scripts: {
    clerk: ({ lastTool, lastResult }) =>
      lastTool === undefined
        ? { calls: [{ tool: "Price", input: { article: "tea" } }] }
        : { text: `Tea costs ${lastResult}.` },
  },
});
// @ts-expect-error the store is internal; programs read runs and journals instead
void runtime.store;
const awake = setInterval(() => {}, 1_000);
const ended = new Promise<string>((resolve, reject) => {
  runtime.on("agent:completed", ({ result }) => resolve(result.summary));
  runtime.on("agent:failed", ({ error }) => reject(error));
});
await runtime.start();
const { runId } = await runtime.admit({ agent: "clerk", task: "How much is tea?" });
console.log(await ended);
if ((await runtime.run(runId))?.status !== "completed") throw new Error("The run has not completed.");
await runtime.stop();
clearInterval(awake);
