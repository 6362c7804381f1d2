// oxlint-disable typescript/no-redundant-type-constituents -- unknown types look redundant where the peers are not installed
// The graph that both LangGraph contenders run; they differ in how they store messages. The model is a plain function
// instead of a chat model, because that is the cheapest option LangGraph has.

import { join } from "node:path";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  isAIMessage,
  SystemMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  END,
  type MessagesDeltaValue,
  type MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { z } from "zod";
import { add, type Contender, INSTRUCTIONS, LAST_WORDS, TASK, think } from "../contender.ts";

export type { About } from "../contender.ts";

export const LANGGRAPH_PACKAGES = [
  "@langchain/langgraph",
  "@langchain/langgraph-checkpoint-sqlite",
  "@langchain/core",
  "better-sqlite3",
];

export function langgraph(
  messages: typeof MessagesValue | typeof MessagesDeltaValue,
): Pick<Contender, "run" | "close"> {
  let saver: SqliteSaver | undefined;
  let threads = 0;

  return {
    async run({ runs, steps, folder }) {
      saver ??= await openSaver(folder);
      const graph = buildGraph(messages, saver, steps);
      const done = await Promise.all(
        Array.from({ length: runs }, () => runOnce(graph, steps, `run-${++threads}`)),
      );
      return { steps: done.reduce((sum, count) => sum + count, 0) };
    },
    async close() {
      saver?.db.close();
      saver = undefined;
    },
  };
}

async function openSaver(folder: string): Promise<SqliteSaver> {
  const saver = SqliteSaver.fromConnString(join(folder, "langgraph.db"));
  await saver.getTuple({ configurable: { thread_id: "none" } });
  const mode = saver.db.pragma("synchronous", { simple: true });
  if (mode !== 1) throw new Error(`synchronous is ${mode}, not NORMAL as the table would say`);
  return saver;
}

function buildGraph(
  messages: typeof MessagesValue | typeof MessagesDeltaValue,
  saver: SqliteSaver,
  steps: number,
) {
  const State = new StateSchema({ messages: messages as typeof MessagesValue });
  return new StateGraph(State)
    .addNode("model", async (state) => ({ messages: [await answer(state.messages, steps)] }))
    .addNode("tools", new ToolNode([addTool]))
    .addEdge(START, "model")
    .addConditionalEdges("model", (state) => (hasCalls(state.messages.at(-1)) ? "tools" : END), [
      "tools",
      END,
    ])
    .addEdge("tools", "model")
    .compile({ checkpointer: saver });
}

async function runOnce(graph: ReturnType<typeof buildGraph>, steps: number, thread: string): Promise<number> {
  const input = { messages: [new SystemMessage(INSTRUCTIONS), new HumanMessage(TASK)] };
  const config = { configurable: { thread_id: thread }, recursionLimit: 2 * steps + 10 };
  const { messages } = await graph.invoke(input, config);
  if (messages.at(-1)?.content !== LAST_WORDS) throw new Error("LangGraph stopped before its last words");
  return (messages.length - 3) / 2;
}

async function answer(messages: readonly BaseMessage[], steps: number): Promise<AIMessage> {
  const turn = messages.length / 2;
  const args = await think(turn, steps);
  const call = { id: `call-${turn}`, name: "add", type: "tool_call" as const };
  const message = new AIMessage(
    args === undefined ? LAST_WORDS : { content: "", tool_calls: [{ ...call, args }] },
  );
  // LangGraph's default message type has no field for the usage that a provider reports.
  return Object.assign(message, { usage_metadata: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } });
}

const hasCalls = (message: BaseMessage | undefined): boolean =>
  message !== undefined && isAIMessage(message) && (message.tool_calls?.length ?? 0) > 0;

const addTool = tool(async (input: { a: number; b: number }) => JSON.stringify(add(input)), {
  name: "add",
  description: "Adds two numbers.",
  schema: z.object({ a: z.number(), b: z.number() }),
});
