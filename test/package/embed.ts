// A program that embeds Cadre. The test type-checks it and runs it outside the repository, next to the installed package.

import { createCadre, defineAgent, defineTool } from "cadre";
import { uiResponse } from "cadre/ai";
import { createClient } from "cadre/client";
import { scriptedModel } from "cadre/testing";
import { z } from "zod";

const price = defineTool({
  name: "Price",
  description: "What an article costs.",
  input: z.object({ article: z.string() }),
  effect: "read",
  execute: ({ article }) => (article === "tea" ? "3 €" : "unknown"),
});

const clerk = defineAgent({
  name: "clerk",
  description: "Looks up what an order costs.",
  model: scriptedModel(({ lastTool, lastResult }) =>
    lastTool === undefined
      ? { calls: [{ tool: "Price", input: { article: "tea" } }] }
      : { report: { summary: `Tea costs ${lastResult}.`, output: { euros: 3 } } },
  ),
  prompt: "Look it up, and say what it costs.",
  tools: [price],
  limits: { maxTurns: 3 },
  output: z.object({ euros: z.number() }),
});

// @ts-expect-error a limit must be a number: this shows that the package's types are checked
defineAgent({ name: "none", prompt: "", limits: { maxTurns: "many" } });

await using cadre = await createCadre({ store: ":memory:", agents: [clerk] });
// @ts-expect-error the store is internal; programs read runs and journals instead
void cadre.store;
void (uiResponse satisfies (run: ReturnType<typeof cadre.get>) => Response);
const remote = createClient({ url: "http://127.0.0.1:4470", token: "none" });
// @ts-expect-error the API has no such path: this shows that the client is typed
void (() => remote.get("/api/nothing"));
const task: () => Promise<string> = async () => (await remote.get("/api/runs/{id}", { id: "r1" })).task;
void task;
const { text, output } = await cadre.run(clerk, "How much is tea?");
const euros: number = output.euros;
// @ts-expect-error the answer has the type of the output schema
void output.dollars;
if (euros !== 3) throw new Error("The answer is wrong.");
console.log(text);
