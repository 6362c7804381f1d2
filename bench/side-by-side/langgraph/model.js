// A chat model of LangChain.

import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { answer } from "../brain.js";

class Brain extends BaseChatModel {
  constructor(tools = {}) {
    super({});
    this.tools = tools;
  }
  _llmType() {
    return "brain";
  }
  bindTools(tools) {
    return new Brain(Object.fromEntries(tools.map(({ name, schema }) => [name, toJsonSchema(schema)])));
  }
  withStructuredOutput() {
    return { invoke: async () => JSON.parse(answer({ tools: {}, results: [], wantsJson: true }).text) };
  }
  think(messages) {
    const results = messages.flatMap((message) => (message.getType() === "tool" ? [message.content] : []));
    return answer({ tools: this.tools, results, wantsJson: false });
  }
  async _generate(messages) {
    const { text = "", calls = [] } = this.think(messages);
    const tool_calls = calls.map(({ id, name, input }) => ({ id, name, args: input }));
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls }) }] };
  }
  async *_streamResponseChunks(messages, _options, runManager) {
    const { text = "", calls = [] } = this.think(messages);
    for (const piece of calls.length > 0 ? [""] : text.split(/(?<= )/)) {
      const tool_calls = calls.map(({ id, name, input }) => ({ id, name, args: input }));
      yield new ChatGenerationChunk({
        text: piece,
        message: new AIMessageChunk({ content: piece, tool_calls }),
      });
      await runManager?.handleLLMNewToken(piece);
    }
  }
}

export const model = new Brain();
