// Before a delegation, a person sees what the delegate could do. These abilities are checked again when the child starts.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { delegate, payloadsOf, resultsRead, roles, scenario, turns } from "../../../test/support/scenario.ts";
import { openApprovalIds, type World } from "../../../test/support/world.ts";
import { decideApproval } from "../commands/person-commands.ts";

const ASK = "permissions: { ask: [delegate] }\n";

async function shownBlastRadius(world: World, runId: string) {
  await world.settled(runId);
  return payloadsOf(await world.events(runId), "TOOL_PROPOSED").at(-1)!.blastRadius;
}

const approve = async (world: World, runId: string): Promise<void> => {
  const [item] = await openApprovalIds(world, runId);
  await decideApproval(item!, { decision: "approve" }, "maria", world.runtime.people);
};

scenario(
  "[BR1] [BR2] [P12] before a delegation, a person sees which new abilities the delegate brings; denied abilities are not shown",
  {
    agent: "agents: [coder]\ntools: [Read, Write]\npermissions: { deny: [charge, 'Write(secret/**)'] }",
    cast: {
      coder: "agents: [helper]\ntools: [Write, charge, Bash]",
      helper: "kind: subagent\ntools: [WebFetch]",
    },
    config: `${ASK}web: { allow: [example.com] }\nlimits: { maxCost: 0.5, maxChildren: 2 }\n`,
    script: roles({ tester: turns({ calls: [delegate("coder")] }) }),
  },
  async (world) => {
    expect(await shownBlastRadius(world, await world.run("see to it"))).toEqual({
      agent: "coder",
      agents: [
        { agent: "coder", isNew: true },
        { agent: "helper", from: "coder", key: "agents", isNew: true },
      ],
      levels: 1,
      powers: [{ power: "commands", isNew: true }, { power: "files" }, { power: "network", isNew: true }],
      tools: [
        { name: "Write", by: ["coder"], files: "paths" },
        { name: "Bash", by: ["coder"], files: "any", isNew: true },
        { name: "WebFetch", by: ["helper"], isNew: true },
      ],
      hosts: [{ host: "any host", isClass: true, isNew: true }],
      never: ["Write(secret/**)"],
      runs: 3,
      turns: 300,
      maxCost: 1.5,
    });
  },
);

scenario(
  "[BR2] an ability that another branch of the tree already has is not marked as new",
  {
    agent: "agents: [coder, helper]\ntools: []\ndelegation: { mode: parallel, maxParallel: 2 }",
    cast: { coder: "tools: [Bash]", helper: "tools: [Bash, Write]" },
    config: "permissions: { ask: ['delegate(helper)', Bash] }\n",
    script: roles({
      tester: turns({ calls: [delegate("coder", "go", { await: false })] }, { calls: [delegate("helper")] }),
      coder: turns({ calls: [{ tool: "Bash", input: { command: "touch x" } }] }),
    }),
  },
  async (world) => {
    const radius = await shownBlastRadius(world, await world.run("see to it"));
    expect(radius?.tools).toEqual([
      { name: "Write", by: ["helper"], files: "paths", isNew: true },
      { name: "Bash", by: ["helper"], files: "any" },
    ]);
  },
);

scenario(
  "[BR3] if an agent's file allows more now than at the approval, the agent is not started; the model can request it again",
  {
    agent: "agents: [coder]\ntools: []",
    cast: { coder: "tools: [Write]" },
    config: ASK,
    script: roles({ tester: turns({ calls: [delegate("coder")] }, { calls: [delegate("coder")] }) }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    expect((await shownBlastRadius(world, runId))?.tools).toEqual([
      { name: "Write", by: ["coder"], files: "paths", isNew: true },
    ]);
    const file = join(world.folder, "agents/coder.md");
    writeFileSync(file, "---\nname: coder\ndescription: x\ntools: [Write, Bash]\n---\nDo it.\n");
    await approve(world, runId);
    const again = await shownBlastRadius(world, runId);
    expect(resultsRead(await world.events(runId))[0]).toBe(
      "Not started: coder could now also use Bash, any host, which it could not when a person allowed it. Ask again if it is still needed.",
    );
    expect(again?.tools.map(({ name }) => name)).toEqual(["Write", "Bash"]);
    await approve(world, runId);
    await world.seen(runId, "CHILD_RUN_COMPLETED");
    await world.settled(runId);
  },
);

scenario(
  "[BR1] runs that a pattern starts by itself need no approval; a route adds no level of depth",
  {
    agent: "router: { destinations: [coder] }",
    cast: { coder: "tools: []\nhandoff: helper", helper: "tools: [Write]" },
    config: "permissions: { ask: ['delegate(coder)'] }\n",
    script: roles({
      tester: turns({ calls: [{ tool: "route_to", input: { agent: "coder", reason: "x" } }] }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    expect(await shownBlastRadius(world, runId)).toMatchObject({
      agents: [{ agent: "coder" }, { agent: "helper", from: "coder", key: "handoff" }],
      levels: 0,
      tools: [{ name: "Write", by: ["helper"] }],
    });
    await approve(world, runId);
    await world.seen(runId, "RUN_COMPLETED");
  },
);
