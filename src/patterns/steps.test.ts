import { expect } from "vitest";
import { payloadsOf, scenario, typesOf } from "../../test/support/scenario.ts";
import type { Script } from "../models/script.ts";

const IMPORT = `import { type Steps, type StepsInput, ask, delegate, parallel, prompt, sleep, tool, turn, turns } from "cadre";\n`;

/** An agent that is controlled by this body of a generator. */
const controlled = (body: string, keys = "") => ({
  agent: `steps: ./tester.steps.ts\n${keys}`,
  files: { "agents/tester.steps.ts": module(body) },
});

const module = (body: string): string =>
  `${IMPORT}export default function* ({ task, input }: StepsInput): Steps {\n${body}\n}\n`;

const says =
  (...texts: string[]): Script =>
  ({ turn }) => ({ text: texts[turn - 1] ?? "nothing more" });

scenario(
  "[S1-33] [S1-34] prompt, turns and return: the module's answer is the run's",
  {
    ...controlled(`
      yield prompt("First list the risks of: " + task);
      const risks = yield* turns();
      yield prompt("Now the plan.");
      const plan = yield* turns();
      return { summary: risks.summary + " / " + plan.summary, details: "two prompts" };`),
    script: says("fire", "a bucket"),
  },
  async (world) => {
    const runId = await world.run("the barn");
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({
      status: "completed",
      stopReason: "final_answer",
      summary: "fire / a bucket",
    });
    const events = await world.events(runId);
    expect(typesOf(events)).toEqual([
      "RUN_STARTED",
      "CONTEXT_ADDED",
      "STEP_YIELDED",
      "MODEL_CALL_STARTED",
      "AGENT_THOUGHT",
      "STEP_YIELDED",
      "CONTEXT_ADDED",
      "STEP_YIELDED",
      "MODEL_CALL_STARTED",
      "AGENT_THOUGHT",
      "STEP_YIELDED",
      "RUN_COMPLETED",
    ]);
    expect(payloadsOf(events, "STEP_YIELDED")[1]).toEqual({
      index: 1,
      kind: "turns",
      arguments: {},
      answer: { done: true, summary: "fire" },
    });
  },
);
