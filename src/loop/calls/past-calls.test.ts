// Rules that are suggested from people's past decisions in real journals.

import { expect } from "vitest";
import { roles, scenario, turns } from "../../../test/support/scenario.ts";
import type { World } from "../../../test/support/world.ts";
import { suggestRules } from "../../permissions/suggest.ts";
import { type Decision, decideApproval } from "../commands/person-commands.ts";
import { pastCalls } from "./past-calls.ts";

const bash = (command: string) => ({ tool: "Bash", input: { command } });
const touches = ["touch a", "touch b", "touch c", "touch d", "touch e"];

async function decide(world: World, runId: string, decisions: readonly Decision[]): Promise<void> {
  for (const [at, decision] of decisions.entries()) {
    await world.settled(runId);
    await decideApproval(`${runId}:m1.${at}`, decision, "maria", world.runtime.people);
  }
  await world.seen(runId, "RUN_COMPLETED");
}

const suggestFromPast = async (world: World) => {
  const { store, people } = world.runtime;
  const past = await pastCalls(store, people);
  return { past, suggestions: suggestRules(past, people.judge, people.toolFacts) };
};

const yes: Decision = { decision: "approve" };

scenario(
  "[SG1] rejected and edited calls count as refusals; a call approved by --yes is left out",
  {
    agent: "tools: [Bash]",
    script: roles({ tester: turns({ calls: touches.map(bash) }) }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    const edit: Decision = { decision: "edit", input: { command: "touch f" } };
    await decide(world, runId, [
      yes,
      yes,
      { ...yes, automatic: true, note: "--yes" },
      edit,
      { decision: "reject", note: "no" },
    ]);
    const { past, suggestions } = await suggestFromPast(world);
    expect(past.map(({ decided, request: { tool, input } }) => [decided, tool, input])).toEqual([
      ["refused", "Bash", { command: "touch e" }],
      ["refused", "Bash", { command: "touch d" }],
      ["allowed", "Bash", { command: "touch b" }],
      ["allowed", "Bash", { command: "touch a" }],
    ]);
    expect(suggestions, "twice is no habit").toEqual([]);
  },
);

scenario(
  "[SG1] [SG2] the judge tries each suggested rule together with the rules of the agent and its ancestors",
  {
    agent: "tools: [Write]",
    config: "permissions: { ask: ['Write(src/kept/**)'] }\n",
    script: roles({
      tester: turns({
        calls: ["src/a.ts", "src/b.ts", "src/c.ts", "src/kept/d.ts"].map((path) => ({
          tool: "Write",
          input: { path, content: "x" },
        })),
      }),
    }),
  },
  async (world) => {
    await decide(world, await world.run("see to it"), [yes, yes, yes, yes]);
    const { suggestions } = await suggestFromPast(world);
    expect(suggestions, "the rule of the project is the narrower one, and still asks").toEqual([
      {
        rule: "Edit(src/**/*.ts)",
        spared: 3,
        of: 4,
        refused: 0,
        stillAsked: [expect.stringContaining("kept")],
      },
    ]);
  },
);
