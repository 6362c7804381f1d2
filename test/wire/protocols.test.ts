// Tests runs over all four provider APIs with the real provider packages. The simulator rejects what the real APIs reject.

import { expect } from "vitest";
import { prefixBreaks } from "../support/wire/prefix-breaks.ts";
import type { Respond } from "../support/wire/protocol.ts";
import { wireScenario } from "../support/wire/wire-scenario.ts";

const MODELS = [
  "anthropic/claude-sonnet-4-5",
  "anthropic/claude-opus-5-5",
  "openai/gpt-5",
  "google/gemini-2.5-pro",
  "google/gemini-3-pro-preview",
  "compat/local-model",
];

/** Two parallel calls, then one call, then the answer. Each turn begins with a thought. */
const looksTwice: Respond = ({ turn, results }) => {
  if (turn === 1)
    return {
      parts: [
        { thinking: "I should look at both." },
        { text: "I look." },
        { call: "look", input: { what: "left" } },
        { call: "look", input: { what: "right" } },
      ],
    };
  if (turn === 2) return { parts: [{ thinking: "Once more." }, { call: "look", input: { what: "again" } }] };
  return { parts: [{ thinking: "Done." }, { text: `Seen: ${results.join("; ")}` }] };
};

for (const model of MODELS)
  wireScenario(
    `[J10] ${model} reads the results of its calls in order`,
    { model, respond: looksTwice },
    async (world, wire) => {
      const { end } = await world.settled(await world.run("Look around."));
      expect(end).toMatchObject({
        status: "completed",
        summary: "Seen: look left: done; look right: done; look again: done",
      });
      expect(wire.requests.flatMap(({ rejections }) => rejections)).toEqual([]);
      expect(wire.requests).toHaveLength(3);
      expect(prefixBreaks(wire.requests)).toEqual([]);
    },
  );
