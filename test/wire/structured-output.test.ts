// Tests that an agent's `output` schema binds the model by the provider's own means: a strict report tool.

import { expect } from "vitest";
import { payloadsOf } from "../support/scenario.ts";
import { prefixBreaks } from "../support/wire/prefix-breaks.ts";
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

for (const model of ["openai/gpt-5", "anthropic/claude-sonnet-4-5"])
  wireScenario(
    `${model}: one cached prefix with the strict schema serves every turn, including the last`,
    {
      model,
      agent: `maxTurns: 4\n${OUTPUT}, additionalProperties: false }`,
      respond: ({ n, last }) => {
        const report = {
          summary: "s",
          details: null,
          warnings: null,
          suggestions: null,
          output: { answer: n },
        };
        if (last.includes("This is your last turn"))
          return { parts: [{ call: "final_report", input: report }] };
        return { parts: [{ call: "look", input: { what: `part ${n}` } }] };
      },
    },
    async (world, { requests }) => {
      const runId = await world.run("answer");
      await world.settled(runId);
      const [ended] = payloadsOf(await world.events(runId), "RUN_COMPLETED");
      expect(ended).toMatchObject({ stopReason: "max_turns", output: { answer: 4 } });
      expect(prefixBreaks(requests)).toEqual([]);
      for (const { body } of requests) {
        const tools = body["tools"] as (Sent & { parameters?: object; input_schema?: object })[];
        const report = tools.find(({ name }) => name === "final_report")!;
        expect(report.strict).toBe(true);
        expect(report.parameters ?? report.input_schema).toMatchObject({
          properties: { output: { required: ["answer"], additionalProperties: false } },
          additionalProperties: false,
        });
        expect(body["response_format"] ?? body["output_config"]).toBeUndefined();
      }
    },
  );
