// The floor: the bare loop of the AI SDK. It stores nothing, so everything a contender needs beyond it is the cost of durability.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { isStepCount, ToolLoopAgent, tool } from "ai";
import { z } from "zod";
import { type About, add, INSTRUCTIONS, LAST_WORDS, type Scenario, TASK, TREE, think } from "../contender.ts";

export const about: About = { packages: ["ai"], durability: "none: a crash loses the run" };

export async function run({ runs, steps }: Scenario): Promise<{ steps: number }> {
  const done = await Promise.all(Array.from({ length: runs }, () => runOnce(steps)));
  return { steps: done.reduce((sum, count) => sum + count, 0) };
}

/** Agents as tools of agents, as people build them when they need no durability. */
export async function tree(): Promise<void> {
  const result = await agentOf("root").generate({ prompt: TASK });
  if (result.text !== LAST_WORDS) throw new Error("the floor's tree stopped before its last words");
}

function agentOf(name: "root" | "mid" | "leaf"): ToolLoopAgent {
  const { of, count } = name === "leaf" ? { of: undefined, count: 0 } : TREE[name];
  const delegate = tool({
    description: "Delegates.",
    inputSchema: z.object({ task: z.string() }),
    execute: async ({ task }) => (await agentOf(of ?? "leaf").generate({ prompt: task })).text,
  });
  return new ToolLoopAgent({
    model: delegatingModel(count),
    instructions: INSTRUCTIONS,
    ...(of === undefined ? {} : { tools: { delegate } }),
    stopWhen: isStepCount(3),
  }) as unknown as ToolLoopAgent;
}

function delegatingModel(count: number): LanguageModelV4 {
  const { doGenerate, ...model } = instantModel(0);
  let turn = 0;
  return {
    ...model,
    async doGenerate(options) {
      turn += 1;
      if (turn > 1 || count === 0) return doGenerate(options);
      await think(1, 1);
      const content = Array.from({ length: count }, (_, index) => {
        const input = JSON.stringify({ task: `part ${index}` });
        return { type: "tool-call" as const, toolCallId: `call-${index}`, toolName: "delegate", input };
      });
      const finishReason = { unified: "tool-calls", raw: "tool_calls" } as const;
      return { content, finishReason, usage, warnings: [] };
    },
  };
}

export async function close(): Promise<void> {}

async function runOnce(steps: number): Promise<number> {
  const agent = new ToolLoopAgent({
    model: instantModel(steps),
    instructions: INSTRUCTIONS,
    tools: { add: addTool },
    stopWhen: isStepCount(steps + 2),
  });
  const result = await agent.generate({ prompt: TASK });
  if (result.text !== LAST_WORDS) throw new Error("the floor stopped before its last words");
  return result.steps.length - 1;
}

const addTool = tool({
  description: "Adds two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: async (input) => add(input),
});

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** We do not use `MockLanguageModelV4`: it keeps every prompt, which would count as memory of the floor. */
function instantModel(steps: number): LanguageModelV4 {
  let turn = 0;
  return {
    specificationVersion: "v4",
    provider: "bench",
    modelId: "instant",
    supportedUrls: {},
    async doGenerate() {
      turn += 1;
      const input = await think(turn, steps);
      if (input === undefined) {
        const finishReason = { unified: "stop", raw: "stop" } as const;
        return { content: [{ type: "text", text: LAST_WORDS }], finishReason, usage, warnings: [] };
      }
      const call = { toolCallId: `call-${turn}`, toolName: "add", input: JSON.stringify(input) };
      const finishReason = { unified: "tool-calls", raw: "tool_calls" } as const;
      return { content: [{ type: "tool-call", ...call }], finishReason, usage, warnings: [] };
    },
    doStream: () => Promise.reject(new Error("the floor does not stream")),
  };
}
