// Tests that a program's reported cost is checked against the budgets of its run and its tree while the program works.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { delegate, familyOf, payloadsOf, roles, scenario, turns } from "../../test/support/scenario.ts";
import type { World, WorldOptions } from "../../test/support/world.ts";
import { setBudget } from "../loop/commands/branches.ts";
import { openItems } from "../projections/folds/approvals.ts";

const AGENT = join(import.meta.dirname, "../../test/support/acp-agent.ts");
const coder = (env = ""): string =>
  `runner: {acp: {command: "${process.execPath}", args: ["${AGENT}"], env: {${env}}}}`;

/** A task that lists the program's actions, one per line. */
const script = (...lines: string[]): string => `SCRIPT\n${lines.join("\n")}`;

/** A lead that delegates all work to an agent that is an external program. */
const optionsOfLead = (limits: string, work: string, env = ""): WorldOptions => ({
  agent: "agents: [coder]",
  cast: { coder: coder(env) },
  config: `sandbox: none\nlimits: ${limits}\n`,
  script: roles({ tester: turns({ calls: [delegate("coder", work)] }) }),
});

const logOf = ({ folder }: World): string => {
  const file = join(folder, "acp.log");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};

async function childOf(world: World, root: string): Promise<string> {
  await world.seen(root, "CHILD_RUN_STARTED");
  return (await familyOf(world, root))[1]!.id;
}

scenario(
  "[RN7] a program whose cost exceeds the tree's budget is stopped before its next request or action",
  optionsOfLead("{tree: {maxCost: 0.2}}", script("cost 5", "ask execute touch x", "wait")),
  async (world) => {
    const root = await world.run("go");
    const child = await childOf(world, root);
    const { end, usage } = await world.settled(child);
    expect(end).toMatchObject({ status: "failed", stopReason: "budget" });
    expect(usage.cost).toBe(5);
    const events = await world.events(child);
    expect(payloadsOf(events, "LIMIT_REACHED")[0]).toMatchObject({
      limit: "tree.maxCost",
      value: 0.2,
      hard: true,
    });
    expect(payloadsOf(events, "TOOL_PROPOSED").filter(({ verdict }) => verdict === "ask")).toEqual([]);
    expect(logOf(world)).not.toContain("did touch x");
    await world.settled(root);
  },
);

const SUSPEND = "{onBudget: suspend, tree: {maxCost: 0.2}}";

scenario(
  "[RN7] with `onBudget: suspend` the program is stopped and a person is asked; the program continues after the budget is raised",
  optionsOfLead(SUSPEND, script("cost 0.25", "wait", "THEN", "cost 0.5", "say Went on.")),
  async (world) => {
    const root = await world.run("go");
    const child = await childOf(world, root);
    const { waitingOn, usage } = await world.settled(child);
    expect(waitingOn).toMatchObject({ kind: "budget" });
    expect(usage.cost).toBe(0.25);
    await setBudget(child, { limits: { maxCost: 2 }, scope: "tree" }, "sam", world.runtime.people);
    await world.seen(child, "RUN_COMPLETED");
    const state = await world.state(child);
    expect(state.end).toMatchObject({ summary: "Went on." });
    expect(state.usage.cost).toBe(0.5);
    expect(logOf(world).match(/^new /gm)).toHaveLength(1);
    await world.seen(root, "RUN_COMPLETED");
  },
);

scenario(
  "[RN8] a program that ended before its budget was raised is not started again, because the effects of its work are unknown",
  optionsOfLead(SUSPEND, script("run execute touch x", "cost 0.25", "wait")),
  async (world) => {
    const root = await world.run("go");
    const child = await childOf(world, root);
    expect((await world.settled(child)).waitingOn).toMatchObject({ kind: "budget" });
    world.runtime.parts.drainMs = 0;
    world.die();
    await world.restart();
    await setBudget(child, { limits: { maxCost: 2 }, scope: "tree" }, "sam", world.runtime.people);
    await world.seen(child, "TOOL_STARTED");
    await expect
      .poll(async () => openItems(await world.state(child))[0], { timeout: 30_000 })
      .toMatchObject({ kind: "outcome", tool: "prompt" });
    expect(logOf(world).match(/^prompt /gm)).toHaveLength(1);
  },
);

scenario(
  "[RN7] while a program waits for a person, the cost it has caused so far is recorded",
  optionsOfLead("{}", script("cost 0.25", "ask execute touch x", "cost 0.4", "say Done.")),
  async (world) => {
    const root = await world.run("go");
    const child = await childOf(world, root);
    const { waitingOn, usage } = await world.settled(child);
    expect(waitingOn).toMatchObject({ kind: "approval" });
    expect(usage.cost).toBe(0.25);
    expect((await world.runtime.store.runs.get(child))!.usage.cost).toBe(0.25);
  },
);
