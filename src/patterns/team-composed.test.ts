import { describe, expect } from "vitest";
import { payloadsOf, resultsRead, roles, scenario, turns } from "../../test/support/scenario.ts";
import {
  broadcast,
  byRound,
  conclude,
  discussionIn,
  heardBy,
  openingOf,
  ready,
  roundsIn,
  runsOf,
  vote,
} from "../../test/support/team.ts";
import type { World } from "../../test/support/world.ts";

describe("a member that has a handoff", () => {
  scenario(
    "[K8] [S3-43] [S3-67] the last stage speaks for the member, and each stage continues its own run from the previous round",
    {
      agent: "team: { members: [a, b] }",
      cast: { a: "handoff: editor", editor: "", b: "" },
      script: roles({
        a: byRound([{ report: { summary: "draft one" } }], [{ report: { summary: "draft two" } }]),
        editor: byRound([{ calls: [broadcast("edited one"), vote(false, "wait")] }], [ready("edited two")]),
        b: byRound([{ text: "b here" }], [ready()]),
      }),
    },
    async (world) => {
      const runId = await world.run("write it");
      expect((await world.settled(runId)).end).toMatchObject({ status: "completed" });
      expect(discussionIn(await world.events(runId))).toEqual([
        "1 a: edited one",
        "1 a not ready: wait",
        "1 b: b here",
        "2 a ready: edited two",
        "2 b ready: because",
      ]);
      const drafts = await runsOf(world, runId, "a");
      const [one, two] = await Promise.all(
        drafts.map(async ([start]) => (await runsOf(world, start!.runId, "editor"))[0]!),
      );
      expect(payloadsOf(two!, "RUN_STARTED")[0]).toMatchObject({
        trigger: "handoff",
        team: { runId, round: 2, member: "a" },
        continues: { runId: one![0]!.runId },
      });
      expect(openingOf(one!)).toMatch(/write it.*## YOUR TEAM.*## RESULT FROM a\n\n<untrusted>\ndraft one/s);
      expect(openingOf(two!)).toMatch(/^Round 2 .*## RESULT FROM a\n\n<untrusted>\ndraft two/s);
      expect(heardBy(one!)).toEqual([]);
      expect(heardBy(two!)).toEqual(["b says:\n<untrusted>\nb here\n</untrusted>"]);
      expect(heardBy(drafts[1]!)).toEqual(heardBy(two!));
    },
  );

  scenario(
    "[K3] [K8] if a stage of the member is retried, the member gets no message twice",
    {
      agent: "team: { members: [a, b], maxRounds: 2 }",
      cast: {
        a: "handoff: { agent: editor, onFailure: retry }",
        editor: "",
        b: "",
      },
      script: (() => {
        const seen: string[] = [];
        return roles({
          editor: ({ runId, round }) => {
            if (round === 2 && !seen.includes(runId)) seen.push(runId);
            return seen.length === 1
              ? { error: { status: 400, message: "no" } }
              : { text: `edited ${round}` };
          },
          b: byRound([{ text: "b here" }], [ready()]),
        });
      })(),
    },
    async (world) => {
      const runId = await world.run("write it");
      expect((await world.settled(runId)).end).toMatchObject({ status: "completed" });
      const [one, two] = await runsOf(world, runId, "a");
      const [edited] = await runsOf(world, one![0]!.runId, "editor");
      const attempts = await runsOf(world, two![0]!.runId, "editor");
      expect(attempts).toHaveLength(2);
      for (const attempt of attempts) {
        expect(payloadsOf(attempt, "RUN_STARTED")[0]).toMatchObject({
          continues: { runId: edited![0]!.runId },
        });
        expect(heardBy(attempt)).toEqual(["b says:\n<untrusted>\nb here\n</untrusted>"]);
      }
    },
  );

  scenario(
    "the member takes no further part if its stage fails",
    {
      agent: "team: { members: [a, b], maxRounds: 2 }",
      cast: { a: "handoff: editor", editor: "", b: "" },
      script: roles({ editor: () => ({ error: { status: 400, message: "no" } }) }),
    },
    async (world) => {
      const runId = await world.run("write it");
      await world.settled(runId);
      expect(roundsIn(await world.events(runId))).toEqual(["1: a b", "2: b"]);
    },
  );
});

scenario(
  "[K8] [S3-67] if a member is a router, the agent that it chooses speaks for it and gets the same messages",
  {
    agent: "team: { members: [a, b] }",
    cast: { a: "router: { destinations: [red, blue] }", red: "", blue: "", b: "" },
    script: roles({
      a: () => ({ calls: [{ tool: "route_to", input: { agent: "blue", reason: "it is blue" } }] }),
      blue: byRound([{ text: "blue speaks" }], [ready("blue is ready")]),
      b: byRound([{ text: "b here" }], [ready()]),
    }),
  },
  async (world) => {
    const runId = await world.run("which colour?");
    expect((await world.settled(runId)).end).toMatchObject({ status: "completed" });
    expect(discussionIn(await world.events(runId))).toEqual([
      "1 a: blue speaks",
      "1 b: b here",
      "2 a ready: blue is ready",
      "2 b ready: because",
    ]);
    const choices = await runsOf(world, runId, "a");
    const [one, two] = await Promise.all(
      choices.map(async ([start]) => (await runsOf(world, start!.runId, "blue"))[0]!),
    );
    expect(openingOf(one!)).toContain("## YOUR TEAM");
    expect(heardBy(two!)).toEqual(["b says:\n<untrusted>\nb here\n</untrusted>"]);
    expect(payloadsOf(two!, "RUN_STARTED")[0]?.continues?.runId).toBe(one![0]!.runId);
  },
);

describe("[K8] an agent that starts in a later round gets the request and the discussion", () => {
  const later = async (world: World, agent: string) => {
    const runId = await world.run("write it");
    await world.settled(runId);
    const [, second] = await runsOf(world, runId, "a");
    const [events] = await runsOf(world, second![0]!.runId, agent);
    return events!;
  };
  const knows = (events: Awaited<ReturnType<typeof runsOf>>[number]): void => {
    expect(openingOf(events)).toMatch(/^## ORIGINAL USER REQUEST\n\nwrite it\n\nRound 2 of at most 2\./);
    expect(heardBy(events)).toEqual(["b says:\n<untrusted>\nb is done\n</untrusted>"]);
  };
  const two = { agent: "team: { members: [a, b], terminationMode: maxRounds, maxRounds: 2 }" };

  scenario(
    "a destination that a router chooses for the first time reads the request and the discussion",
    {
      ...two,
      cast: { a: "router: { destinations: [legal, risk] }", b: "", legal: "", risk: "" },
      script: roles({
        a: ({ round }) => ({
          calls: [{ tool: "route_to", input: { agent: round === 1 ? "legal" : "risk", reason: "r" } }],
        }),
      }),
    },
    async (world) => {
      knows(await later(world, "risk"));
    },
  );

  scenario(
    "a member's advisors read the request and the discussion",
    { ...two, cast: { a: "advisors: [legal]", b: "", legal: "" }, script: roles({}) },
    async (world) => {
      knows(await later(world, "legal"));
    },
  );

  scenario(
    "a member's drafts read the request and the discussion",
    { ...two, cast: { a: "bestOf: 1", b: "" }, script: roles({}) },
    async (world) => {
      knows(await later(world, "a"));
    },
  );
});

scenario(
  "[S3-3] advisors are asked once, and every member reads their advice",
  {
    agent: "team: { members: [a, b], maxRounds: 1 }\nadvisors: [wise]",
    cast: { wise: "", a: "", b: "" },
    script: roles({ wise: turns({ text: "mind the budget" }) }),
  },
  async (world) => {
    const runId = await world.run("plan it");
    await world.settled(runId);
    const [member] = await runsOf(world, runId, "a");
    expect(openingOf(member!)).toMatch(/plan it.*## ANALYSIS GATHERED.*mind the budget.*## YOUR TEAM/s);
    expect(await runsOf(world, runId, "wise")).toHaveLength(1);
  },
);

describe("[K8] a team inside a team", () => {
  scenario(
    "the inner coordinator leads its team, then speaks and votes in the outer team; the inner members hear the outer discussion",
    {
      agent: "team: { members: [inner, b] }",
      cast: { inner: "team: { members: [x, y] }", x: "", y: "", b: "" },
      script: roles({
        inner: ({ round, turn }) => {
          if (round === 1 && turn === 1) return { calls: [broadcast("we say yes")] };
          return round === 1 ? { calls: [vote(false, "unsure")] } : ready("sure now");
        },
        x: () => ready("x agrees"),
        y: () => ready("y agrees"),
        b: byRound([{ text: "b says no" }], [ready()]),
      }),
    },
    async (world) => {
      const runId = await world.run("yes or no?");
      expect((await world.settled(runId)).end).toMatchObject({ status: "completed" });
      expect(discussionIn(await world.events(runId))).toEqual([
        "1 inner: we say yes",
        "1 inner not ready: unsure",
        "1 b: b says no",
        "2 inner ready: sure now",
        "2 b ready: because",
      ]);
      const inner = await runsOf(world, runId, "inner");
      expect(inner.map(roundsIn)).toEqual([["1: x y"], ["1: x y"]]);
      const outer = "b says:\n<untrusted>\nb says no\n</untrusted>";
      expect(heardBy(inner[1]!)[0]).toBe(outer);
      const [one] = await runsOf(world, inner[0]![0]!.runId, "x");
      const [two] = await runsOf(world, inner[1]![0]!.runId, "x");
      expect(heardBy(two!)).toEqual([outer]);
      expect(payloadsOf(two!, "RUN_STARTED")[0]?.continues?.runId).toBe(one![0]!.runId);
    },
  );

  scenario(
    "concluding the inner team does not end its coordinator's turn in the outer team",
    {
      agent: "team: { members: [inner], maxRounds: 1 }",
      cast: { inner: "team: { members: [x], terminationMode: coordinatorDecides }", x: "" },
      script: roles({
        inner: turns({ calls: [broadcast("for x only")] }, conclude("we have it"), {
          calls: [broadcast("for the others"), vote(true, "all said")],
        }),
      }),
    },
    async (world) => {
      const runId = await world.run("yes or no?");
      expect((await world.settled(runId)).end).toMatchObject({ status: "completed" });
      expect(discussionIn(await world.events(runId))).toEqual([
        "1 inner: for the others",
        "1 inner ready: all said",
      ]);
      const [inner] = await runsOf(world, runId, "inner");
      expect(roundsIn(inner!)).toHaveLength(2);
      expect(discussionIn(inner!)).toContain("1 inner: for x only");
      expect(resultsRead(inner!)[1]).toMatch(/^Your team is done\. /);
    },
  );

  scenario(
    "an inner coordinator with one turn left speaks in the outer team without an inner round",
    {
      agent: "team: { members: [inner], maxRounds: 1, memberMaxTurns: 1 }",
      cast: { inner: "team: { members: [x], terminationMode: coordinatorDecides }", x: "" },
      script: roles({ inner: turns({ text: "in short: yes" }) }),
    },
    async (world) => {
      const runId = await world.run("yes or no?");
      await world.settled(runId);
      expect(discussionIn(await world.events(runId))).toEqual(["1 inner: in short: yes"]);
    },
  );
});

scenario(
  "[S3-60] [S3-68] each model call counts once, and the trigger of a run shows whether its cost belongs to the discussion",
  {
    agent: "team: { members: [a, b] }",
    cast: { a: "handoff: editor", editor: "", b: "" },
    script: ({ agent, round }) => {
      const usage = { input: 100, output: 10 };
      if (agent === "tester") return { text: "done", usage };
      if (agent === "a") return { report: { summary: "draft" }, usage };
      return round === 1 ? { text: "hm", usage } : { ...ready(), usage };
    },
  },
  async (world) => {
    const runId = await world.run("discuss");
    await world.settled(runId);
    const rows = await below(world, runId);
    expect(rows.map(({ trigger, agent }) => `${trigger} ${agent}`).sort()).toEqual([
      "handoff editor",
      "handoff editor",
      "team a",
      "team a",
      "team b",
      "team b",
      "user tester",
    ]);
    const sum = (pick: (row: (typeof rows)[number]) => boolean) =>
      rows.filter(pick).reduce((all, { usage }) => all + usage.input, 0);
    const { tree } = payloadsOf(await world.events(runId), "RUN_COMPLETED")[0]!;
    expect(tree?.usage).toMatchObject({ input: 700, output: 70 });
    expect(sum(() => true)).toBe(700);
    expect(sum(({ trigger }) => trigger === "team")).toBe(400);
  },
);

const below = async (world: World, root: string) => (await world.runtime.store.runs.list({ root })).runs;
