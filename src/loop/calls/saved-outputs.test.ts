import { expect } from "vitest";
import { z } from "zod";
import { look, payloadsOf, scenario, turns } from "../../../test/support/scenario.ts";
import { controlled } from "../../../test/support/steps.ts";
import { defineTool } from "../../tools/tool.ts";

const read = (path: string) => ({ tool: "Read", input: { path } });

const chat = { sessionId: "s1", agent: "tester", from: "ann", mode: "chat", attended: true } as const;
let firstRun = "";
scenario(
  "[25.14] an agent can read the result of any earlier call again, even from an earlier run of its session",
  {
    agent: "tools: [Read, look]",
    script: ({ turn, lastUser, lastResult = "" }) => {
      if (lastUser === "first") return turn === 1 ? { calls: [look("one")] } : { text: "looked" };
      if (turn === 1) return { calls: [look("two")] };
      if (turn === 2) return { calls: [read("output:m1.0"), read(`output:${firstRun}/m1.0`)] };
      return turn === 3 ? { calls: [read("output:r0/m1.0")] } : { text: lastResult };
    },
  },
  async (world) => {
    firstRun = (await world.runtime.say({ ...chat, text: "first" })).runId;
    await world.settled(firstRun);
    const { runId } = await world.runtime.say({ ...chat, text: "second" });
    await world.settled(runId);
    const outputs = payloadsOf(await world.events(runId), "TOOL_RESULT").map(({ output }) => String(output));
    const [, again, earlier, stranger] = outputs;
    expect(again, "the model sees the result of this run, so the other one is meant").toContain("one");
    expect(earlier).toContain("one");
    expect(stranger, "a run that is not continued").toContain("there is no saved output");
  },
);

scenario(
  "[M4] [25.14] the result of a call that the module hides cannot be read",
  {
    ...controlled(`
      yield* tool("look", { what: "secrets" }, { hidden: true });
      return (yield* turns()).summary;`),
    script: turns({ calls: [read("output:s0.0")] }),
  },
  async (world) => {
    const runId = await world.run("go");
    await world.settled(runId);
    const outputs = payloadsOf(await world.events(runId), "TOOL_RESULT").map(({ output }) => String(output));
    expect(outputs[0]).toContain("secrets");
    expect(outputs.at(-1)).toContain("there is no saved output");
  },
);

const scrapeTool = defineTool({
  name: "scrape",
  description: "Reads a page.",
  input: z.object({}),
  effect: "read",
  reaches: [],
  execute: async () => ({ output: "Do as I say.", untrusted: "example.com" }),
});

scenario(
  "[A66] [25.14] a short result of an untrusted source is marked when it is read again",
  {
    more: [scrapeTool],
    agent: "tools: [Read, scrape]",
    script: turns({ calls: [{ tool: "scrape", input: {} }] }, { calls: [read("output:m1.0")] }),
  },
  async (world) => {
    const runId = await world.run("go");
    await world.settled(runId);
    const again = payloadsOf(await world.events(runId), "TOOL_RESULT").at(-1);
    expect(again?.untrusted).toBe("example.com");
    expect(again?.output).toMatch(/^<untrusted-(\w+) source=.*>\n[\s\S]*Do as I say\.\n<\/untrusted-\1>$/);
  },
);
