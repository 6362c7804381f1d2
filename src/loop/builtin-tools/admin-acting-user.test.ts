// An admin agent acts on behalf of a user: it can see and do only what that user is allowed to.

import { describe, expect } from "vitest";
import { charge, payloadsOf, roles, scenario } from "../../../test/support/scenario.ts";
import type { World, WorldOptions } from "../../../test/support/world.ts";
import type { Role } from "../../stores/users.ts";
import { ADMIN_TOOLS } from "./declared/admin-tools.ts";

const CONFIG = "permissions: { allow: ['mcp__admin__*'], ask: [charge] }\n";

/** Calls every admin tool. A tool about one run is called for each run that the task names. */
const calls = (task: string) =>
  ADMIN_TOOLS.flatMap(({ name: tool }) =>
    /list_runs$|health$/.test(tool)
      ? [{ tool, input: {} }]
      : task.split(" ").map((run_id) => ({ tool, input: { run_id } })),
  );

const keeper = (config = CONFIG): WorldOptions => ({
  agent: "tools: [mcp__admin__*, mcp__monitoring__*]",
  cast: { worker: "" },
  config,
  script: roles({
    worker: ({ task, turn }) =>
      task === "annold" || turn > 1 ? { text: "anndone" } : { calls: [charge("x")] },
    tester: ({ task, turn }) => {
      const call = calls(task)[turn - 1];
      return call ? { calls: [call] } : { text: "done" };
    },
  }),
});

const letIn = async (world: World, name: string, role: Role): Promise<void> => {
  await world.runtime.store.users.add({ name, role, by: "maria", key: `key of ${name}` });
};

/** Three runs of ann: one has ended, one is quarantined, one waits for her. */
async function runsOfAnn(world: World): Promise<[ended: string, aside: string, waits: string]> {
  await letIn(world, "ann", "operator");
  const start = async (task: string): Promise<string> => {
    const runId = await world.run(task, { agent: "worker", userId: "ann" });
    await world.settled(runId);
    return runId;
  };
  const [ended, aside, waits] = [await start("annold"), await start("annaside"), await start("annpay")];
  const waitingOn = { kind: "quarantine" as const, detail: "it could not be driven." };
  const { seq: after } = await world.state(aside);
  const events = [{ type: "RUN_SUSPENDED" as const, payload: { waitingOn }, key: "q" }];
  await world.runtime.store.journal.append({ runId: aside, after, events });
  return [ended, aside, waits];
}

/** Runs an agent that calls every admin tool on behalf of this user. Returns the results of the calls. */
async function keep(world: World, runIds: readonly string[], userId: string) {
  const runId = await world.run(runIds.join(" "), { userId });
  await world.seen(runId, "RUN_COMPLETED");
  const events = await world.events(runId);
  const results = payloadsOf(events, "TOOL_RESULT");
  expect(results).toHaveLength(calls(runIds.join(" ")).length);
  const failed = results.flatMap(({ isError, output }) => (isError ? [String(output)] : []));
  return { results, failed, text: JSON.stringify(events) };
}

const journals = (world: World, runIds: readonly string[]) =>
  Promise.all(runIds.map((runId) => world.events(runId)));

describe("[A23] ann's runs, as an admin agent sees them", () => {
  scenario(
    "ann's runs are invisible to another operator's agent, and stay unchanged",
    keeper(),
    async (world) => {
      const anns = await runsOfAnn(world);
      await letIn(world, "oli", "operator");
      const before = await journals(world, anns);
      const { results, failed, text } = await keep(world, anns, "oli");
      expect(text).not.toMatch(/annold|annaside|annpay|anndone/);
      expect(failed).toHaveLength(results.length - 2);
      for (const output of failed) expect(output).toMatch(/^There is no run \w+\. /);
      const { output } = results.find(({ output: told }) => (told as { runs?: unknown }).runs)!;
      expect(output).toMatchObject({ runs: { running: 1, suspended: 0 }, need_a_person: [], set_aside: [] });
      expect(await journals(world, anns)).toEqual(before);
      expect((await world.runtime.store.runs.list({ user: "ann" })).runs).toHaveLength(3);
    },
  );

  scenario("ann's own agent looks after her runs, and the journal names her", keeper(), async (world) => {
    const [ended, aside, waits] = await runsOfAnn(world);
    const { text } = await keep(world, [ended, aside, waits], "ann");
    expect(text).toMatch(/annpay/);
    const by = "ann via tester";
    expect((await world.state(waits)).cancel).toMatchObject({ by });
    expect((await world.state(aside)).cancel).toMatchObject({ by });
    const [again] = (await world.runtime.store.runs.list({ user: "ann", agent: "worker" })).runs;
    expect((await world.events(again!.id))[0]!.payload).toMatchObject({ trigger: "retry", by });
  });

  scenario("an admin's agent looks after ann's runs", keeper(), async (world) => {
    const [ended, aside, waits] = await runsOfAnn(world);
    await letIn(world, "ada", "admin");
    expect((await keep(world, [ended, aside, waits], "ada")).text).toMatch(/annpay/);
    expect((await world.state(waits)).cancel).toMatchObject({ by: "ada via tester" });
  });

  scenario(
    "other users' agents see ann's runs if the project shares runs",
    keeper(`${CONFIG}users: { see: all }\n`),
    async (world) => {
      const [ended, aside, waits] = await runsOfAnn(world);
      await letIn(world, "oli", "operator");
      expect((await keep(world, [ended, aside, waits], "oli")).text).toMatch(/annpay/);
      expect((await world.state(waits)).cancel).toMatchObject({ by: "oli via tester" });
    },
  );

  scenario(
    "an agent cannot do more than its user: viewers and revoked users change nothing",
    keeper(),
    async (world) => {
      const anns = await runsOfAnn(world);
      await letIn(world, "vera", "viewer");
      const own = await world.run("annpay", { agent: "worker", userId: "vera" });
      await world.settled(own);
      const refusals = (await keep(world, [own], "vera")).failed;
      expect(refusals).toEqual(
        Array(3).fill("This needs the role operator, and vera is a viewer. Nothing was changed."),
      );
      await world.runtime.store.users.revoke("ann");
      const { failed } = await keep(world, anns, "ann");
      expect(failed).toEqual(Array(9).fill("ann's access has been revoked. Nothing was changed."));
      expect((await world.state(anns[2])).cancel).toBeUndefined();
    },
  );
});
