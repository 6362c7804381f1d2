// Replays recorded conversations of other people's agents. The provider must receive exactly what was recorded.
// The variable CADRE_TRAJECTORIES is the path of a folder with airline-100.json, which has conversations in OpenAI's chat format.
// If the variable is not set, the tests are skipped, and a message says so.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { EventBody, JournalEvent } from "../../src/journal/events.ts";
import { createModels } from "../../src/models/registry.ts";
import { promptMessagesFor, transcriptProjection } from "../../src/projections/folds/transcript.ts";
import { fold } from "../../src/projections/projection.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { prefixBreaks } from "../support/wire/prefix-breaks.ts";
import { type Ask, type Body, type ProtocolName, type Respond, textIn } from "../support/wire/protocol.ts";
import { startWire } from "../support/wire/server.ts";
import { wireScenario } from "../support/wire/wire-scenario.ts";

interface Recorded {
  role: "system" | "user" | "assistant" | "tool";
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** One step of a conversation, in a form that all protocols share. */
type Step =
  | { role: "user" | "assistant"; text: string }
  | { role: "call"; id: string; name: string; input: unknown }
  | { role: "result"; id: string; output: string };

const folder = process.env["CADRE_TRAJECTORIES"];
if (!folder) console.log("CADRE_TRAJECTORIES is not set: recorded conversations are not replayed");

const conversations: Recorded[][] = folder
  ? (JSON.parse(readFileSync(join(folder, "airline-100.json"), "utf8")) as { traj: Recorded[] }[]).map(
      ({ traj }) => traj.filter(({ role }) => role !== "system"),
    )
  : [];

const MODELS: Record<ProtocolName, string> = {
  anthropic: "anthropic/claude-sonnet-4-5",
  responses: "openai/gpt-5",
  chat: "compat/local-model",
  google: "google/gemini-2.5-pro",
};

describe.skipIf(!folder).each(Object.entries(MODELS) as [ProtocolName, string][])(
  "recorded conversations over %s",
  (protocol, model) => {
    test("[J10] every recorded conversation reaches the provider with the same order, roles, ids, arguments and results", async () => {
      await using wire = await startWire(() => ({ parts: [{ text: "done" }] }));
      const { env, config } = wire;
      const { resolve } = createModels({ env, providers: providersIn(config) });
      for (const recorded of conversations) {
        const prompt = promptMessagesFor(model, fold(transcriptProjection, journalOf(recorded, model)));
        const { stream } = await resolve(model).doStream({ prompt: prompt as never, tools: [] });
        await Array.fromAsync(stream);
        const { body, rejections } = wire.requests.at(-1)!;
        expect(rejections).toEqual([]);
        expect(stepsIn[protocol](body)).toEqual(expectedSteps(recorded, protocol));
      }
    });
  },
);

describe.skipIf(!folder)("recorded conversations as sessions of the runtime", () => {
  const longest = conversations.toSorted((one, other) => other.length - one.length).slice(0, 2);
  for (const [protocol, model] of Object.entries(MODELS) as [ProtocolName, string][])
    for (const [index, recorded] of longest.entries())
      wireScenario(
        `[J10] [J11] over ${protocol}: conversation ${index + 1} is sent as it was recorded`,
        {
          model,
          agent: "maxTurns: 60",
          more: toolsOf(recorded),
          respond: recordedAnswers(recorded),
        },
        async (world, { requests }) => {
          const said = recorded.filter(({ role }) => role === "user");
          for (const { content } of said) {
            const message = { sessionId: "s1", agent: "tester", from: "ann", mode: "chat" } as const;
            const { runId } = await world.runtime.say({ ...message, text: content! });
            await world.settled(runId);
          }
          const { body } = requests.at(-1)!;
          expect(requests.flatMap(({ rejections }) => rejections)).toEqual([]);
          expect(prefixBreaks(requests), "each message of a session extends the prompt").toEqual([]);
          expect(stepsIn[protocol](body)).toEqual(expectedSteps(recorded, protocol));
        },
      );
});

const providersIn = (config: string) => {
  const [, google, compat] = /google: .*"(.*)".*\n.*compat: .*"(.*?)"/.exec(config)!;
  return {
    google: { type: "google" as const, baseURL: google! },
    compat: { type: "openai-compatible" as const, baseURL: compat!, apiKeyEnv: "COMPAT_API_KEY" },
  };
};

/** The journal of a run that had this conversation. */
function journalOf([task, ...rest]: readonly Recorded[], model: string): JournalEvent[] {
  const bodies: EventBody[] = [start(task!.content!)];
  let calls = 0;
  for (const { role, content, tool_calls = [] } of rest) {
    if (role === "user")
      bodies.push({
        type: "CONTEXT_ADDED",
        payload: { id: `${bodies.length}`, source: "person", text: content! },
      });
    if (role === "tool")
      bodies.push({ type: "TOOL_RESULT", payload: { toolCallId: `m${calls}.0`, output: content } });
    if (role !== "assistant") continue;
    const callId = `m${++calls}`;
    bodies.push({ type: "MODEL_CALL_STARTED", payload: { callId, model } });
    const said = content === null ? [] : [{ type: "text" as const, text: content }];
    const parts = tool_calls.map((call) => ({
      ...{ type: "tool-call" as const, toolCallId: call.id, toolName: call.function.name },
      input: JSON.parse(call.function.arguments),
    }));
    const counted = { usage: { input: 1, output: 1 }, cost: null, finish: "stop", ms: 1 };
    bodies.push({ type: "AGENT_THOUGHT", payload: { callId, content: [...said, ...parts], ...counted } });
  }
  // The next call shows the messages that the model has not seen yet.
  bodies.push({ type: "MODEL_CALL_STARTED", payload: { callId: "next", model } });
  return bodies.map(
    (body, index) => ({ ...body, seq: index + 1, ts: 0, runId: "r1" }) as unknown as JournalEvent,
  );
}

const start = (task: string): EventBody =>
  ({ type: "RUN_STARTED", payload: { task, trigger: "cli", limits: {} } }) as unknown as EventBody;

const inputOf = (call: { function: { arguments: string } }): unknown => JSON.parse(call.function.arguments);

/** The recorded steps. Some ids repeat within a conversation, and providers reject that, so Cadre replaces a repeated id. */
function expectedSteps(recorded: readonly Recorded[], protocol: ProtocolName): Step[] {
  const seen = new Set<string>();
  let current = "";
  const steps = recorded.flatMap(({ role, content, tool_calls = [] }): Step[] => {
    if (role === "tool") return [{ role: "result", id: current, output: content ?? "" }];
    const said: Step[] = content ? [{ role: role as "user" | "assistant", text: content }] : [];
    const calls = tool_calls.map((call): Step => {
      current = seen.has(call.id) ? expect.stringMatching(/^m\d+_0/) : call.id;
      seen.add(call.id);
      return { role: "call", id: current, name: call.function.name, input: inputOf(call) };
    });
    return [...said, ...calls];
  });
  return protocol === "google" ? steps.map(withoutId) : steps;
}

/** Google's API has no ids for calls: results follow the order of their calls. */
const withoutId = (step: Step): Step => ("id" in step ? { ...step, id: "" } : step);

interface Block {
  type: string;
  text: string;
  id: string;
  name: string;
  input: unknown;
  tool_use_id: string;
  content: unknown;
}

const stepsIn: Record<ProtocolName, (body: Body) => Step[]> = {
  anthropic: ({ messages }) =>
    (messages as { role: "user" | "assistant"; content: Block[] }[]).flatMap(({ role, content }) =>
      content.map((block): Step => {
        if (block.type === "tool_use")
          return { role: "call", id: block.id, name: block.name, input: block.input };
        if (block.type === "tool_result")
          return { role: "result", id: block.tool_use_id, output: String(block.content) };
        return { role, text: block.text };
      }),
    ),
  responses: ({ input }) =>
    (input as Record<string, unknown>[])
      .filter(({ role }) => role !== "system" && role !== "developer")
      .map((item): Step => {
        const id = String(item["call_id"]);
        if (item["type"] === "function_call")
          return {
            role: "call",
            id,
            name: String(item["name"]),
            input: JSON.parse(String(item["arguments"])),
          };
        if (item["type"] === "function_call_output")
          return { role: "result", id, output: String(item["output"]) };
        return { role: item["role"] as "user", text: textIn(item["content"]) };
      }),
  chat: ({ messages }) =>
    (messages as Recorded[])
      .filter(({ role }) => role !== "system")
      .flatMap(({ role, content, tool_calls = [], tool_call_id }): Step[] => {
        if (role === "tool") return [{ role: "result", id: tool_call_id!, output: content! }];
        const calls = tool_calls.map((call): Step => {
          return { role: "call", id: call.id, name: call.function.name, input: inputOf(call) };
        });
        return [...(content ? [{ role: role as "user", text: content }] : []), ...calls];
      }),
  google: ({ contents }) =>
    (contents as { role: string; parts: GooglePart[] }[]).flatMap(({ role, parts }) =>
      parts.map(({ text = "", functionCall: call, functionResponse: response }): Step => {
        if (call) return { role: "call", id: "", name: call.name, input: call.args };
        if (response) return { role: "result", id: "", output: response.response.content };
        return { role: role === "model" ? "assistant" : "user", text };
      }),
    ),
};

interface GooglePart {
  text?: string;
  functionCall?: { name: string; args: unknown };
  functionResponse?: { response: { content: string } };
}

/** Tools that return the recorded results, in the order of the recording. */
function toolsOf(recorded: readonly Recorded[]) {
  const calls = recorded.flatMap(({ tool_calls = [] }) => tool_calls);
  const results = recorded.filter(({ role }) => role === "tool").map(({ content }) => content!);
  let done = 0;
  return [...new Set(calls.map((call) => call.function.name))].map((name) =>
    defineTool({
      ...{ name, description: `Does ${name}.`, effect: "read", reaches: [] },
      input: z.looseObject({}),
      execute: async () => ({ output: results[done++]! }),
    }),
  );
}

/** Answers each request as recorded. The recorded request is the one with the same number of messages. */
function recordedAnswers(recorded: readonly Recorded[]): Respond {
  const answers = recorded.filter(({ role }) => role === "assistant");
  return ({ turn }: Ask) => {
    const { content, tool_calls = [] } = answers[turn - 1] ?? { content: "The end." };
    const calls = tool_calls.map((call) => ({
      call: call.function.name,
      id: call.id,
      input: inputOf(call) as object,
    }));
    return { parts: [...(content === null ? [] : [{ text: content }]), ...calls] };
  };
}
