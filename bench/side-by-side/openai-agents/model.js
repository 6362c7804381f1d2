// A model of the OpenAI Agents SDK.

import { Usage } from "@openai/agents";
import { answer } from "../brain.js";

const tokens = { inputTokens: 10, outputTokens: 5, totalTokens: 15, requests: 1 };

function think({ input, tools, outputType }) {
  const items = typeof input === "string" ? [] : input;
  const results = items.flatMap(({ type, output }) =>
    type === "function_call_result" ? [typeof output === "string" ? output : output.text] : [],
  );
  const byName = Object.fromEntries(tools.map(({ name, parameters }) => [name, parameters]));
  const { text, calls } = answer({ tools: byName, results, wantsJson: outputType !== "text" });
  const output = calls
    ? calls.map(({ id, name, input: given }) => ({
        ...{
          type: "function_call",
          id,
          callId: id,
          name,
          status: "completed",
          arguments: JSON.stringify(given),
        },
      }))
    : [
        {
          type: "message",
          id: "1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text }],
        },
      ];
  return { text, output };
}

export const model = {
  async getResponse(request) {
    return { usage: new Usage(tokens), output: think(request).output };
  },
  async *getStreamedResponse(request) {
    const { text, output } = think(request);
    yield { type: "response_started" };
    for (const delta of (text ?? "").split(/(?<= )/)) yield { type: "output_text_delta", delta };
    yield { type: "response_done", response: { id: "1", usage: tokens, output } };
  },
};
