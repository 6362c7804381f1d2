import { describe, expect } from "vitest";
import { charge, payloadsOf, roles, scenario, turns } from "../../test/support/scenario.ts";
import { byRound, discussionIn, heardBy, ready, roundsIn, runsOf } from "../../test/support/team.ts";
import { openApprovalIds, type World } from "../../test/support/world.ts";
import { fakeClock } from "../clock.ts";
import { cancelRun, decideApproval } from "../loop/commands/person-commands.ts";
import { promptMessages, transcriptProjection } from "../projections/folds/transcript.ts";
import { fold } from "../projections/projection.ts";

describe("[K6] a failing member", () => {
  const failing = roles({
    tester: turns({ text: "without b" }),
    a: byRound([{ text: "hm" }], [ready()]),
    b: () => ({ error: { status: 400, message: "no such model" } }),
    c: byRound([{ text: "well" }], [ready()]),
  });
  scenario(
    "a failed member is announced and takes no further part; consensus needs only the remaining members",
    { agent: "team: { members: [a, b, c] }", cast: { a: "", b: "", c: "" }, script: failing },
    async (world) => {
      const runId = await world.run("discuss");
      expect((await world.settled(runId)).end).toMatchObject({ status: "completed", summary: "without b" });
      const events = await world.events(runId);
      expect(roundsIn(events)).toEqual(["1: a b c", "2: a c"]);
      const gone = "b takes no further part: it failed (provider).";
      expect(payloadsOf(events, "TEAM_MESSAGE")).toContainEqual({
        round: 1,
        index: 0,
        from: "the team",
        text: gone,
        dropped: "b",
      });
      const [, second] = await runsOf(world, runId, "a");
      expect(heardBy(second!)).toEqual(["c says:\n<untrusted>\nwell\n</untrusted>", `The team: ${gone}`]);
    },
  );

  scenario(
    "the coordinator concludes if a failure leaves the team below its quorum",
    { agent: "team: { members: [a, b, c], quorum: 3 }", cast: { a: "", b: "", c: "" }, script: failing },
    async (world) => {
      const runId = await world.run("discuss");
      expect((await world.settled(runId)).end).toMatchObject({ status: "completed" });
      const events = await world.events(runId);
      expect(roundsIn(events)).toHaveLength(1);
      expect(heardBy(events).join()).toMatch(/over: 2 of the 3 members that it needs are left\./);
    },
  );

  scenario(
    "if the last member fails, the coordinator answers alone",
    {
      agent: "team: { members: [a, b] }\npermissions: { deny: ['delegate(a)'] }",
      cast: { a: "", b: "" },
      script: roles({
        tester: turns({ text: "alone" }),
        b: () => ({ error: { status: 400, message: "no" } }),
      }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      expect((await world.settled(runId)).end).toMatchObject({ status: "completed", summary: "alone" });
      const events = await world.events(runId);
      expect(discussionIn(events)[0]).toMatch(
        /^1 the team: a takes no further part: it could not be started: /,
      );
      expect(heardBy(events).join()).toMatch(/over: nobody is left in the team\./);
    },
  );

  scenario(
    "a member that a person cancelled is announced like a failed member",
    {
      agent: "team: { members: [a, b], maxRounds: 1 }",
      cast: { a: "", b: "tools: { ask: [charge] }" },
      script: roles({ b: () => ({ calls: [charge("card")] }) }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      const [member] = (await world.settled(runId)).waitingOn!.blockers!;
      await cancelRun(member!, "maria", undefined, world.runtime.people);
      await stateAtEnd(world, runId);
      expect(discussionIn(await world.events(runId))).toContain(
        "1 the team: b takes no further part: it was cancelled.",
      );
    },
  );
});

const clock = fakeClock();
scenario(
  "[K6] [F27] a late member is cancelled, reported to the others and dropped; its later answer changes nothing",
  {
    idle: true,
    clock,
    agent: "team: { members: [a, b], memberTimeout: 1m, maxRounds: 2 }",
    cast: { a: "", b: "" },
    script: roles({ tester: turns({ text: "in time" }), a: byRound([{ text: "here" }], [ready()]) }),
  },
  async (world) => {
    const runId = await world.run("discuss");
    await world.drive(runId);
    const [a, b] = [...(await world.state(runId)).children.keys()];
    await world.drive(a!);
    clock.advance(59_999);
    expect((await world.drive(runId)).waitingOn).toMatchObject({ kind: "child", items: [b] });
    clock.advance(1);
    expect(await world.runtime.store.leases.due(clock.now(), 10)).toContain(runId);
    await world.drive(runId);
    const events = await world.events(runId);
    expect(discussionIn(events)).toEqual([
      "1 a: here",
      "1 the team: b takes no further part: it did not answer in time.",
    ]);
    expect(roundsIn(events)).toEqual(["1: a b", "2: a"]);
    expect((await world.drive(b!)).end).toMatchObject({ status: "cancelled" });
    const second = [...(await world.state(runId)).children.keys()].at(-1)!;
    await world.drive(second);
    expect((await world.drive(runId)).end).toMatchObject({ status: "completed", summary: "in time" });
  },
);

const late = fakeClock();
let dieLate = (): void => {};
scenario(
  "[F27] a late member is cancelled when the coordinator ends, even after a crash in between",
  {
    idle: true,
    clock: late,
    agent: "team: { members: [a, b], memberTimeout: 1m, maxRounds: 1 }",
    cast: { a: "", b: "" },
    script: roles({}),
    async intercept(append, send) {
      const sent = await send();
      if (append.events.some(({ type }) => type === "TIMER_FIRED")) dieLate();
      return sent;
    },
  },
  async (world) => {
    dieLate = () => world.die();
    const runId = await world.run("discuss");
    await world.drive(runId);
    const [a, b] = [...(await world.state(runId)).children.keys()];
    await world.drive(a!);
    late.advance(60_000);
    await world.drive(runId).catch(() => {});
    await world.dead();
    await world.restart();
    expect((await world.state(b!)).cancel).toBeUndefined();
    late.advance(60_000);
    await world.drive(runId);
    expect((await world.state(b!)).cancel).toBeDefined();
    await world.drive(b!);
    expect((await world.drive(runId)).end).toMatchObject({ status: "completed" });
  },
);

const held = fakeClock();
scenario(
  "[K6] a member's timeout is suspended while the member waits for a person",
  {
    idle: true,
    clock: held,
    agent: "team: { members: [a, b], memberTimeout: 1m, maxRounds: 1 }",
    cast: { a: "", b: "tools: { ask: [charge] }\nlimits: { approvalTimeout: 2h }" },
    script: roles({ b: byRound([{ calls: [charge("card")] }, ready()]) }),
  },
  async (world) => {
    const runId = await world.run("discuss");
    await world.drive(runId);
    const [a, b] = [...(await world.state(runId)).children.keys()];
    await world.drive(b!);
    held.advance(3_600_000);
    await world.drive(a!);
    expect((await world.drive(runId)).status).toBe("suspended");
    const [id] = await openApprovalIds(world, b!);
    await decideApproval(id!, { decision: "approve" }, "maria", world.runtime.people);
    await world.drive(b!);
    await world.drive(runId);
    expect(discussionIn(await world.events(runId))).toEqual(["1 a: a is done", "1 b ready: because"]);
  },
);

describe("[K3] a process that dies in the middle of a round", () => {
  const script = roles({
    a: byRound([{ text: "one" }], [ready()]),
    b: byRound([{ text: "two" }], [ready()]),
  });
  const options = { agent: "team: { members: [a, b] }", cast: { a: "", b: "" }, script };

  for (const at of [1, 2, 3, 4]) {
    let started = 0;
    let die = (): void => {};
    scenario(
      `a crash before child ${at} is started: each message is delivered once, and no run is started twice`,
      {
        ...options,
        intercept(append, send) {
          const starts = append.events.some(({ type }) => type === "CHILD_RUN_STARTED");
          if (starts && ++started === at) die();
          return send();
        },
      },
      async (world) => {
        die = () => world.die();
        const runId = await world.run("discuss");
        await world.dead();
        await world.restart();
        expect((await world.settled(runId)).end).toMatchObject({ status: "completed" });
        const events = await world.events(runId);
        expect(payloadsOf(events, "CHILD_RUN_STARTED")).toHaveLength(4);
        const [, second] = await runsOf(world, runId, "b");
        expect(heardBy(second!)).toEqual(["a says:\n<untrusted>\none\n</untrusted>"]);
        expect(discussionIn(events)).toHaveLength(4);
        expect(heardBy(events)).toHaveLength(1);
      },
    );
  }

  let die = (): void => {};
  scenario(
    "[S3-45] after a crash before the end of a round, each message is published once, and no member is called again",
    {
      ...options,
      intercept(append, send) {
        if (append.events.some(({ type }) => type === "TEAM_MESSAGE")) die();
        return send();
      },
    },
    async (world) => {
      die = () => world.die();
      const runId = await world.run("discuss");
      await world.dead();
      await world.restart();
      expect((await world.settled(runId)).end).toMatchObject({ status: "completed" });
      const calls = await Promise.all(
        ["a", "b"].map(async (member) =>
          (await runsOf(world, runId, member)).map(
            (events) => payloadsOf(events, "MODEL_CALL_STARTED").length,
          ),
        ),
      );
      expect(calls).toEqual([
        [1, 1],
        [1, 1],
      ]);
      expect(discussionIn(await world.events(runId)).slice(0, 2)).toEqual(["1 a: one", "1 b: two"]);
    },
  );
});

scenario(
  "an approval request of a member suspends the coordinator, where a person can decide it",
  {
    agent: "team: { members: [a, b], maxRounds: 1 }",
    cast: { a: "", b: "tools: { ask: [charge] }" },
    script: roles({ b: byRound([{ calls: [charge("card")] }, ready("paid")]) }),
  },
  async (world) => {
    const runId = await world.run("discuss");
    const { waitingOn } = await world.settled(runId);
    expect(waitingOn?.kind).toBe("child_hitl");
    const [id] = await openApprovalIds(world, waitingOn!.blockers![0]!);
    await decideApproval(id!, { decision: "approve" }, "maria", world.runtime.people);
    expect((await stateAtEnd(world, runId)).end).toMatchObject({ status: "completed" });
    expect(discussionIn(await world.events(runId))).toContain("1 b ready: paid");
  },
);

scenario(
  "[P7] a cancel in the middle of a round ends all members and starts nothing new",
  {
    agent: "team: { members: [a, b] }",
    cast: { a: "", b: "tools: { ask: [charge] }" },
    script: roles({ b: () => ({ calls: [charge("card")] }) }),
  },
  async (world) => {
    const runId = await world.run("discuss");
    await world.settled(runId);
    await cancelRun(runId, "maria", "changed my mind", world.runtime.people);
    expect((await stateAtEnd(world, runId)).end).toMatchObject({ status: "cancelled", stopReason: "user" });
    const events = await world.events(runId);
    expect(roundsIn(events)).toHaveLength(1);
    const ends = payloadsOf(events, "CHILD_RUN_COMPLETED");
    expect(ends.find(({ key }) => key === "team/1/b")?.result.status).toBe("cancelled");
    expect(discussionIn(events)).toEqual([]);
  },
);

scenario(
  "[B3] when the budget is used up, members that cannot speak are dropped, and the coordinator gets its last turn",
  {
    agent: "team: { members: [a, b], terminationMode: maxRounds, maxRounds: 5 }",
    cast: { a: "", b: "" },
    script: ({ agent, round, purpose }) => {
      if (agent === "tester") return { text: `${purpose} word` };
      return { text: `round ${round}`, usage: { input: 9_000, output: 100 } };
    },
  },
  async (world) => {
    const runId = await world.run("discuss", { limits: { tree: { maxTokens: 40_000 } } });
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed", stopReason: "budget", summary: "final word" });
    expect(discussionIn(await world.events(runId)).slice(-2)).toEqual([
      "3 the team: a takes no further part: it failed (budget).",
      "3 the team: b takes no further part: it failed (budget).",
    ]);
  },
);

scenario(
  "a member with a long history compacts it and continues, round after round",
  {
    agent: "team: { members: [a, b], terminationMode: maxRounds, maxRounds: 6 }",
    cast: { a: "", b: "" },
    script: ({ agent, purpose, round }) => {
      if (agent === "tester") return { text: "done" };
      if (purpose === "summary") return { text: `SUMMARY of ${agent} in ${round}` };
      return {
        text: `${agent} in ${round}: ${"word ".repeat(200)}`,
        usage: { input: 300 * round, output: 250 },
      };
    },
  },
  async (world) => {
    const { parts } = world.runtime;
    const { models } = parts;
    parts.models = {
      resolve: (name) => models.resolve(name),
      contextWindow: () => 1_500,
      acceptedFiles: () => new Set(),
    };
    const runId = await world.run("discuss");
    expect((await stateAtEnd(world, runId)).end).toMatchObject({ status: "completed" });
    const members = await runsOf(world, runId, "a");
    expect(members).toHaveLength(6);
    const compacted = members.map((events) => payloadsOf(events, "CONTEXT_COMPACTED").length);
    expect(compacted).toEqual([0, 0, 1, 1, 1, 1]);
    const prompt = promptMessages(fold(transcriptProjection, members.flat())).map((message) =>
      JSON.stringify(message.content),
    );
    expect(prompt).toHaveLength(7);
    expect(prompt[0]).toContain("## YOUR TEAM");
    expect(prompt[1]).toContain("SUMMARY of a in 6");
    expect(prompt[2]).toContain("b in 4: ");
    expect(prompt[3]).toContain("a in 5: ");
    expect(prompt[4]).toContain("Round 6 of at most 6.");
    expect(prompt[5]).toContain("b in 5: ");
  },
);

async function stateAtEnd(world: World, runId: string) {
  await world.seen(runId, "RUN_COMPLETED", "RUN_FAILED", "RUN_CANCELLED");
  return world.state(runId);
}
