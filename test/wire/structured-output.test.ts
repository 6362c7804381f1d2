// Tests that an agent's `output` schema binds the model by the provider's own means: a strict report tool.

import { expect } from "vitest";
import { wireScenario } from "../support/wire/wire-scenario.ts";

const OUTPUT = "output: { type: object, properties: { answer: { type: number } }, required: [answer]";

interface Sent {
  name: string;
  strict?: boolean;
}

for (const model of ["openai/gpt-5", "anthropic/claude-sonnet-4-5", "google/gemini-2.5-pro", "compat/x"])
  wireScenario(
    `${model}: the report tool is strict if the provider has strict tools and the schema allows it`,
    {
      model,
      agent: `${OUTPUT}, additionalProperties: false }`,
      respond: () => ({
        parts: [
          {
            call: "final_report",
            input: { summary: "s", details: null, warnings: null, suggestions: null, output: { answer: 42 } },
          },
        ],
      }),
    },
    async (world, { requests }) => {
      const { end } = await world.settled(await world.run("answer"));
      expect(end).toMatchObject({ status: "completed", summary: "s" });
      expect(requests.flatMap(({ rejections }) => rejections)).toEqual([]);
      const tools = requests[0]!.body["tools"] as Sent[];
      const isStrict = tools.find(({ name }) => name === "final_report")?.strict === true;
      expect(isStrict).toBe(/openai|anthropic/.test(model));
    },
  );

wireScenario(
  "openai/gpt-5: a schema that OpenAI would reject is not sent as strict",
  {
    model: "openai/gpt-5",
    agent: `${OUTPUT} }`,
    respond: () => ({ parts: [{ call: "final_report", input: { summary: "s", output: { answer: 42 } } }] }),
  },
  async (world, { requests }) => {
    expect((await world.settled(await world.run("answer"))).end?.status).toBe("completed");
    const tools = requests[0]!.body["tools"] as Sent[];
    expect(tools.find(({ name }) => name === "final_report")?.strict).toBe(false);
    expect(requests.flatMap(({ rejections }) => rejections)).toEqual([]);
  },
);
