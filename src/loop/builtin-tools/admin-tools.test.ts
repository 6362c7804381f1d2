// Tests an agent that administers a project's runs: what it can see and do, and what only a person can do.

import { describe, expect } from "vitest";
import { effects } from "../../../test/support/oracle.ts";
import {
  charge,
  delegate,
  familyOf,
  payloadsOf,
  resultsRead,
  roles,
  scenario,
  turns,
  watchOffers,
} from "../../../test/support/scenario.ts";
import { hear, hearTool, ORDER, STRANGER } from "../../../test/support/stranger.ts";
import { openApprovalIds, type World } from "../../../test/support/world.ts";
import { fakeClock } from "../../clock.ts";
import { acquireRun, modelCallStarted } from "../../stores/contract/kit.contract.ts";
import { decideApproval, pauseRun } from "../commands/person-commands.ts";
import { SILENT_MS } from "../drive/check-on-runs.ts";

const list = { tool: "mcp__admin__list_runs", input: {} };
const health = { tool: "mcp__monitoring__health", input: {} };
const about = (tool: string, run_id: string) => ({ tool, input: { run_id } });
const KEEPER = "tools: [mcp__admin__*, mcp__monitoring__*]\ndisallowedTools: [Bash, Write, Edit]";

const proposals = async (world: World, runId: string) =>
  payloadsOf(await world.events(runId), "TOOL_PROPOSED");

async function approve(world: World, runId: string): Promise<void> {
  await world.settled(runId);
  const [id] = await openApprovalIds(world, runId);
  await decideApproval(id!, { decision: "approve" }, "maria", world.runtime.people);
}

/** Parses a result in JSON, without the first and last line, which mark it as untrusted. */
const parseMarkedJson = (text: string): unknown => JSON.parse(text.split("\n").slice(1, -1).join("\n"));

describe("reading about runs", () => {
  scenario(
    "[S1-1] the agent lists runs and their status without approval, and text from the runs is marked as untrusted",
    {
      agent: KEEPER,
      cast: { worker: "" },
      script: roles({
        worker: () => ({ text: ORDER }),
        tester: turns({ calls: [list] }, { calls: [health] }),
      }),
    },
    async (world) => {
      const other = await world.run("dig a hole", { agent: "worker" });
      await world.seen(other, "RUN_COMPLETED");
      const runId = await world.run("look after them");
      await world.seen(runId, "RUN_COMPLETED");
      const [listed] = resultsRead(await world.events(runId));
      const stand = payloadsOf(await world.events(runId), "TOOL_RESULT")[1]?.output;
      expect(listed).toMatch(/^<untrusted-\w+ source="runs of this project">/);
      expect(parseMarkedJson(listed!)).toMatchObject({
        more: false,
        runs: [
          { run_id: runId, agent: "tester", status: "running" },
          { run_id: other, agent: "worker", status: "completed", task: "dig a hole", summary: ORDER },
        ],
      });
      expect(stand).toMatchObject({
        runs: { running: 1, completed: 1 },
        need_a_person: [],
        stuck: [],
      });
      expect((await proposals(world, runId)).map(({ rule }) => rule)).toEqual([
        "default allow mcp__admin__list_runs",
        "default allow mcp__monitoring__health",
      ]);
      expect(payloadsOf(await world.events(runId), "TOOL_RESULT")[0]).not.toHaveProperty("untrusted");
    },
  );

  const clock = fakeClock();
  scenario(
    "[S1-1] [S1-71] the health tool counts every run; among hundreds of runs it finds those that are stuck or need a person",
    {
      idle: true,
      clock,
      agent: KEEPER,
      cast: { worker: "", asker: "tools: { allow: [charge], ask: [charge] }" },
      script: roles({ asker: turns({ calls: [charge("x")] }), tester: turns({ calls: [health] }) }),
    },
    async (world) => {
      const { store, people } = world.runtime;
      const asks = await world.run("charge", { agent: "asker" });
      await world.drive(asks);
      const begin = async () => {
        const runId = await world.run("dig", { agent: "worker" });
        await (await acquireRun(store, runId)).append([modelCallStarted("m1", { model: "scripted/test" })]);
        return runId;
      };
      const hangs = await begin();
      clock.advance(SILENT_MS + 1);
      for (let runs = 0; runs < 201; runs++) await begin();
      for (let runs = 0; runs < 3; runs++) await pauseRun(await world.run("wait"), "ann", people);
      const runId = await world.run("look after them");
      await world.drive(runId);
      const [stand] = payloadsOf(await world.events(runId), "TOOL_RESULT");
      expect(stand?.output).toMatchObject({
        runs: { running: 203, suspended: 4, completed: 0 },
        need_a_person: [asks],
        set_aside: [],
        stuck: [hangs],
        more: [],
      });
    },
  );

  scenario(
    "[A66] an agent that lists a tainted run becomes tainted",
    {
      agent: `${KEEPER}\nagents: []`,
      cast: { worker: "tools: [hear]" },
      more: [hearTool],
      script: roles({
        worker: turns({ calls: [hear] }, { text: ORDER }),
        tester: turns({ calls: [list] }),
      }),
    },
    async (world) => {
      const other = await world.run("listen", { agent: "worker" });
      await world.seen(other, "RUN_COMPLETED");
      const runId = await world.run("look after them");
      await world.seen(runId, "RUN_COMPLETED");
      expect((await world.state(runId)).taint.sources).toEqual([STRANGER]);
    },
  );

  for (const [title, tools, has] of [
    ["an agent whose file lists the admin tools has them", KEEPER, true],
    ["an agent whose file lists no tools does not have the admin tools", "", false],
    ["an agent whose file lists every tool by '*' does not have the admin tools", "tools: '*'", false],
    [
      "an agent whose file lists and denies the admin tools has them, but cannot use them",
      `${KEEPER}\npermissions: { deny: [mcp__admin__*] }`,
      true,
    ],
    ["an agent whose file lists only other tools does not have the admin tools", "tools: [Read]", false],
  ] as const) {
    scenario(`[S1-25] ${title}`, { agent: tools, script: turns({ calls: [list] }) }, async (world) => {
      const offers = watchOffers(world, turns({ calls: [list] }));
      const runId = await world.run("look after them");
      await world.seen(runId, "RUN_COMPLETED");
      expect(offers[0]!.includes("mcp__admin__list_runs")).toBe(has);
      const [result] = payloadsOf(await world.events(runId), "TOOL_RESULT");
      const refused = !has || tools.includes("permissions");
      expect(result?.outcome).toBe(refused ? "denied" : undefined);
    });
  }
});

describe("changing runs", () => {
  scenario(
    "[S1-1] [S1-78] the agent cancels a run after a person's approval, and the preview shows the run",
    {
      agent: KEEPER,
      cast: { worker: "" },
      script: roles({
        worker: turns({ calls: [charge("x")] }),
        tester: ({ turn, task }) =>
          turn === 1 ? { calls: [about("mcp__admin__cancel_run", task)] } : { text: "done" },
      }),
    },
    async (world) => {
      const other = await world.run("dig a hole", {
        agent: "worker",
        permissions: { allow: [], ask: ["charge"], deny: [] },
      });
      await world.settled(other);
      const runId = await world.run(other);
      await world.settled(runId);
      expect((await proposals(world, runId))[0]).toMatchObject({
        effect: "unsafe",
        rule: "default ask mcp__admin__cancel_run",
        preview: expect.stringContaining("worker, suspended: dig a hole"),
      });
      expect((await world.state(other)).cancel).toBeUndefined();
      await approve(world, runId);
      await world.seen(other, "RUN_CANCELLED");
      await world.seen(runId, "RUN_COMPLETED");
      expect((await world.state(other)).cancel).toMatchObject({ by: "tester" });
    },
  );

  scenario(
    "[S1-1] the agent retries an ended run, and the agent's budget pays for the new run",
    {
      agent: KEEPER,
      cast: { worker: "" },
      script: roles({
        worker: () => ({ text: "dug" }),
        tester: ({ turn, task }) =>
          turn === 1 ? { calls: [about("mcp__admin__retry_run", task)] } : { text: "done" },
      }),
    },
    async (world) => {
      const other = await world.run("dig a hole", { agent: "worker" });
      await world.seen(other, "RUN_COMPLETED");
      const runId = await world.run(other);
      await approve(world, runId);
      await world.seen(runId, "RUN_COMPLETED");
      const again = (await world.runtime.store.runs.list({ agent: "worker" })).runs[0]!;
      expect(again).toMatchObject({ trigger: "retry", budgetRunId: runId });
      await world.seen(again.id, "RUN_COMPLETED");
    },
  );

  const ids = new Map<string, string>();
  scenario(
    "[A22] no rule can allow the agent to change its own run, one of its ancestors, or a run that waits for a person",
    {
      agent: "agents: [keeper]",
      cast: { keeper: KEEPER, worker: "" },
      config: "permissions: { allow: ['mcp__admin__*'], ask: [charge] }\n",
      script: roles({
        worker: turns({ calls: [charge("x")] }),
        tester: turns({ calls: [delegate("keeper")] }),
        keeper: ({ turn, lastResult = "" }) => {
          if (turn === 1) return { calls: [list] };
          const { runs = [] } =
            turn === 2 ? (parseMarkedJson(lastResult) as { runs: Record<string, string>[] }) : {};
          for (const { agent, run_id } of runs) ids.set(agent!, run_id!);
          const call = [
            about("mcp__admin__cancel_run", ids.get("keeper")!),
            about("mcp__admin__cancel_run", ids.get("tester")!),
            about("mcp__admin__retry_run", ids.get("worker")!),
            about("mcp__admin__recover_run", ids.get("worker")!),
            about("mcp__admin__cancel_run", "nobody"),
            about("mcp__admin__cancel_run", ids.get("worker")!),
            about("mcp__admin__cancel_run", ids.get("worker")!),
          ][turn - 2];
          return call ? { calls: [call] } : { text: "done" };
        },
      }),
    },
    async (world) => {
      const asked = await world.run("dig", { agent: "worker" });
      await world.settled(asked);
      const root = await world.run("go");
      await world.seen(root, "RUN_COMPLETED");
      const keeper = (await familyOf(world, root))[1]!;
      const [, ...said] = resultsRead(await world.events(keeper.id)).map((text) =>
        text.replaceAll(/\b[0-9a-z]{20,}\b/g, "ID"),
      );
      expect(said.slice(0, 5)).toEqual([
        "ID is your own run, or one that you work for: end with your report instead.",
        "ID is your own run, or one that you work for: end with your report instead.",
        "ID has not ended (suspended): there is nothing to try again.",
        "ID was not set aside (suspended). What waits for a person is for that person.",
        "There is no run nobody. mcp__admin__list_runs shows those that there are.",
      ]);
      expect(payloadsOf(await world.events(keeper.id), "TOOL_RESULT")[6]?.output).toMatchObject({
        status: "cancelling",
        cancelled: [asked],
      });
      await world.seen(asked, "RUN_CANCELLED");
      expect(effects(world.oracle)).toEqual([]);
    },
  );

  scenario(
    "[E5] [S1-78] the agent recovers a quarantined run",
    {
      agent: KEEPER,
      cast: { worker: "" },
      config: "permissions: { allow: ['mcp__admin__*'] }\n",
      idle: true,
      script: roles({
        tester: ({ turn, task }) =>
          turn === 1 ? { calls: [about("mcp__admin__recover_run", task)] } : { text: "done" },
      }),
    },
    async (world) => {
      const { store } = world.runtime;
      const other = await world.run("dig", { agent: "worker" });
      const waitingOn = { kind: "quarantine" as const, detail: "it could not be driven." };
      await store.journal.append({
        runId: other,
        after: 1,
        events: [{ type: "RUN_SUSPENDED", payload: { waitingOn }, key: "q" }],
      });
      const runId = await world.run(other);
      await world.drive(runId);
      expect((await world.state(other)).waitingOn).toBeUndefined();
      expect((await world.drive(other)).status).toBe("completed");
    },
  );
});
