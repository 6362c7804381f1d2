// A test of an agent with its tools. The model is scripted; everything else is real.

import { createCadre, defineAgent, defineTool } from "cadre";
import { scriptedModel } from "cadre/testing";
import { expect, test } from "vitest";
import { z } from "zod";

test("the clerk tells the customer if a person rejects the refund", async () => {
  const refunds: string[] = [];
  const refund = defineTool({
    name: "refund",
    description: "Refunds an order.",
    input: z.object({ order: z.string() }),
    execute: ({ order }) => {
      refunds.push(order);
      return "Refunded.";
    },
  });
  const clerk = defineAgent({
    name: "clerk",
    model: scriptedModel(({ lastTool, lastResult }) =>
      lastTool === undefined
        ? { calls: [{ tool: "refund", input: { order: "7" } }] }
        : { text: `I could not refund it: ${lastResult}` },
    ),
    prompt: "Refund orders.",
    tools: [refund],
  });
  await using cadre = await createCadre({ store: ":memory:", agents: [clerk] });
  const run = cadre.run(clerk, "Refund order 7").onApproval((request) => request.reject("It is too late."));
  expect((await run).output).toContain("It is too late.");
  expect(refunds).toEqual([]);
});
