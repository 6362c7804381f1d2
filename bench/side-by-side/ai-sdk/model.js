// A model object of the AI SDK.

import { answer } from "../brain.js";

const usage = { inputTokens: { total: 10 }, outputTokens: { total: 5 } };

const think = ({ prompt, tools = [], responseFormat }) => {
  const lastUser = prompt.findLastIndex(({ role }) => role === "user");
  const results = prompt
    .slice(lastUser)
    .flatMap(({ role, content }) =>
      role === "tool"
        ? content
            .filter(({ type }) => type === "tool-result")
            .map(({ output }) => JSON.stringify(output.value ?? output.reason))
        : [],
    );
  const byName = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema]));
  return answer({ tools: byName, results, wantsJson: responseFormat?.type === "json" });
};

export const model = {
  ...{ specificationVersion: "v4", provider: "bench", modelId: "brain", supportedUrls: {} },
  async doGenerate(options) {
    const { text, calls } = think(options);
    const content = calls
      ? calls.map(({ id, name, input }) => ({
          ...{ type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(input) },
        }))
      : [{ type: "text", text }];
    return { content, finishReason: { unified: calls ? "tool-calls" : "stop" }, usage, warnings: [] };
  },
  async doStream(options) {
    const { text, calls } = think(options);
    const parts = calls
      ? calls.map(({ id, name, input }) => ({
          ...{ type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(input) },
        }))
      : [
          { type: "text-start", id: "1" },
          ...text.split(/(?<= )/).map((delta) => ({ type: "text-delta", id: "1", delta })),
          { type: "text-end", id: "1" },
        ];
    const finish = { type: "finish", finishReason: { unified: calls ? "tool-calls" : "stop" }, usage };
    return { stream: ReadableStream.from([{ type: "stream-start", warnings: [] }, ...parts, finish]) };
  },
};
