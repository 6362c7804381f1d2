import { describe, expect } from "vitest";
import {
  look,
  payloadsOf,
  resultsRead,
  roles,
  scenario,
  turns,
  typesOf,
  watchOffers,
} from "../../test/support/scenario.ts";
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
import type { Script } from "../models/scripted/script.ts";

describe("rounds", () => {
  scenario(
    "[K1] [K2] [S3-34] [S3-37] [S3-38] [S3-42] [S3-66] after two members agree in two rounds, the coordinator answers",
    {
      agent: "team: { members: [alpha, beta] }",
      cast: { alpha: "", beta: "" },
      script: roles({
        tester: turns({ report: { summary: "tea it is" } }),
        alpha: byRound([{ calls: [broadcast("I want tea"), vote(false, "not heard beta")] }], [ready()]),
        beta: byRound([{ text: "Coffee or tea." }], [ready("agreed")]),
      }),
    },
    async (world) => {
      const runId = await world.run("what do we drink?");
      const { end } = await world.settled(runId);
      expect(end).toMatchObject({
        status: "completed",
        stopReason: "final_answer",
        summary: "tea it is",
      });
      const events = await world.events(runId);
      const told = typesOf(events).filter((type) => /^(TEAM|MODEL|CHILD_RUN_STARTED|CONTEXT)/.test(type));
      expect(told).toEqual([
        "TEAM_ROUND_STARTED",
        "CHILD_RUN_STARTED",
        "CHILD_RUN_STARTED",
        "TEAM_MESSAGE",
        "TEAM_VOTE",
        "TEAM_MESSAGE",
        "TEAM_ROUND_STARTED",
        "CHILD_RUN_STARTED",
        "CHILD_RUN_STARTED",
        "TEAM_VOTE",
        "TEAM_VOTE",
        "CONTEXT_ADDED",
        "MODEL_CALL_STARTED",
      ]);
      expect(discussionIn(events)).toEqual([
        "1 alpha: I want tea",
        "1 alpha not ready: not heard beta",
        "1 beta: Coffee or tea.",
        "2 alpha ready: because",
        "2 beta ready: agreed",
      ]);
    },
  );

  scenario(
    "[K3] [S3-40] a member is told who is in the team, and reads each message of the others once, marked as untrusted",
    {
      agent: "team: { members: [alpha, beta], maxRounds: 3 }",
      cast: { alpha: "", beta: "" },
      script: roles({
        alpha: byRound([{ text: "tea" }], [{ text: "still tea" }], [ready()]),
        beta: byRound(
          [{ calls: [broadcast("coffee"), vote(false, "why tea?")] }],
          [{ text: "ok" }],
          [ready()],
        ),
      }),
    },
    async (world) => {
      const runId = await world.run("what do we drink?");
      await world.settled(runId);
      const [first, second, third] = await runsOf(world, runId, "alpha");
      expect(openingOf(first!)).toMatch(
        /^## ORIGINAL USER REQUEST\n\nwhat do we drink\?\n\n## YOUR TEAM\n\nYou are alpha, a member of a team: you and beta\. tester coordinates.*Round 1 of at most 3\.$/s,
      );
      expect(openingOf(second!)).toMatch(/^Round 2 of at most 3\. /);
      expect(heardBy(first!)).toEqual([]);
      expect(heardBy(second!)).toEqual([
        "beta says:\n<untrusted>\ncoffee\n</untrusted>",
        "beta votes to go on:\n<untrusted>\nwhy tea?\n</untrusted>",
      ]);
      expect(heardBy(third!)).toEqual(["beta says:\n<untrusted>\nok\n</untrusted>"]);
      expect(payloadsOf(second!, "RUN_STARTED")[0]).toMatchObject({
        trigger: "team",
        parentKey: "team/2/alpha",
        team: { runId, round: 2, member: "alpha" },
        continues: { runId: first![0]!.runId },
      });
    },
  );

  scenario(
    "[S3-44] [S3-66] any number of members work in parallel in each round",
    {
      agent: "team: { members: [a, b, c, d, e] }",
      cast: { a: "", b: "", c: "", d: "", e: "" },
      script: (request) => (request.agent === "tester" ? { text: "done" } : ready()),
    },
    async (world) => {
      const runId = await world.run("discuss");
      await world.settled(runId);
      const events = await world.events(runId);
      const types = typesOf(events);
      expect(types.indexOf("CHILD_RUN_COMPLETED")).toBeGreaterThan(types.lastIndexOf("CHILD_RUN_STARTED"));
      expect(roundsIn(events)).toEqual(["1: a b c d e"]);
    },
  );

  scenario(
    "[K9] a member counts as one child, even if it takes part in many rounds",
    {
      agent:
        "team: { members: [a, b], terminationMode: maxRounds, maxRounds: 3 }\nlimits: { maxChildren: 2 }",
      cast: { a: "", b: "" },
      script: roles({}),
    },
    async (world) => {
      const runId = await world.run("discuss");
      await world.settled(runId);
      expect(roundsIn(await world.events(runId))).toEqual(["1: a b", "2: a b", "3: a b"]);
    },
  );

  scenario(
    "[K1] a member can take several turns per round, and its system prompt is the same in every round",
    {
      agent: "team: { members: [a, b], terminationMode: maxRounds, maxRounds: 2 }",
      cast: { a: "", b: "" },
      script: roles({
        a: byRound(
          [
            { calls: [look("one")] },
            { calls: [broadcast("seen one"), broadcast("and more")] },
            { text: "so." },
          ],
          [ready()],
        ),
      }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      await world.settled(runId);
      const [first, second] = await runsOf(world, runId, "a");
      expect(discussionIn(await world.events(runId)).slice(0, 2)).toEqual(["1 a: seen one", "1 a: and more"]);
      const prompts = await Promise.all(
        [first!, second!].map(async (events) => {
          const [start] = payloadsOf(events, "RUN_STARTED");
          const definition = JSON.parse((await world.runtime.store.blobs.get(start!.definition))!);
          return world.runtime.parts.systemPrompt(definition, start!, 0);
        }),
      );
      expect(prompts[0]).toContain("give no report");
      expect(prompts[1]).toBe(prompts[0]);
    },
  );

  scenario(
    "[K4] a member without Finalize can speak; a member with an `output` schema need not return data",
    {
      agent: "team: { members: [a, b], maxRounds: 1 }",
      cast: {
        a: "policy: [Delegate]\nagents: [helper]",
        helper: "",
        b: "output: { type: object, required: [n] }",
      },
      script: roles({ a: byRound([{ text: "a speaks" }]), b: byRound([{ text: "b speaks" }]) }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      await world.settled(runId);
      expect(discussionIn(await world.events(runId))).toEqual(["1 a: a speaks", "1 b: b speaks"]);
    },
  );

  scenario(
    "[K4] only a member's last vote counts, and a vote together with other calls is postponed",
    {
      agent: "team: { members: [a], terminationMode: consensus, maxRounds: 1 }",
      cast: { a: "" },
      script: roles({
        a: byRound([
          { calls: [look("it"), vote(false, "too early")] },
          { calls: [vote(false, "first"), vote(true, "second")] },
        ]),
      }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      await world.settled(runId);
      const [events] = await runsOf(world, runId, "a");
      expect(resultsRead(events!)).toEqual([
        "look it: done",
        "Call vote_conclude after you have seen the results of your other calls.",
        "Received.",
        "Received.",
      ]);
      expect(discussionIn(await world.events(runId))).toEqual(["1 a ready: second"]);
    },
  );

  scenario(
    "[K4] [S3-39] [S3-46] members have no report tool, and other agents have no team tools; a refused call names the usable tools",
    {
      agent: "team: { members: [a], maxRounds: 1 }",
      cast: { a: "" },
      script: roles({
        tester: turns({ calls: [broadcast("hello?")] }, { report: { summary: "done" } }),
        a: byRound([
          { report: { summary: "mine" } },
          { calls: [{ tool: "conclude_team", input: { summary: "mine" } }] },
          { calls: [{ tool: "vote_conclude", input: { ready: "yes" } }] },
          ready(),
        ]),
      }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      expect((await world.settled(runId)).end).toMatchObject({ summary: "done" });
      const [events] = await runsOf(world, runId, "a");
      const read = resultsRead(events!);
      expect(read.slice(0, 2)).toEqual([
        "There is no `final_report` for you now: you have `broadcast` and `vote_conclude`.",
        "There is no `conclude_team` for you now: you have `broadcast` and `vote_conclude`.",
      ]);
      expect(read[2]).toMatch(/^The input of vote_conclude does not fit/);
      expect(resultsRead(await world.events(runId))[0]).toBe(
        "There is no `broadcast` for you now: you have `final_report`.",
      );
    },
  );
});

describe("a member's last turn", () => {
  const busy: Script = ({ agent, turn, purpose }) => {
    if (agent === "tester") return { text: "done" };
    return purpose === "final" ? { calls: [broadcast("no time left")] } : { calls: [look(`n${turn}`)] };
  };
  scenario(
    "[B3] [K4] a member's last turn offers the same tools as before, and its broadcast counts",
    {
      idle: true,
      agent: "team: { members: [a], memberMaxTurns: 2, maxRounds: 1 }",
      cast: { a: "" },
      script: busy,
    },
    async (world) => {
      const offers = watchOffers(world, busy);
      const runId = await world.run("discuss");
      await world.drive(runId);
      const [member] = (await world.state(runId)).children.keys();
      expect((await world.drive(member!)).end).toMatchObject({
        status: "completed",
        stopReason: "max_turns",
      });
      await world.drive(runId);
      expect(discussionIn(await world.events(runId))).toEqual(["1 a: no time left"]);
      expect(offers[0]).toEqual(expect.arrayContaining(["look", "broadcast", "vote_conclude"]));
      expect(offers[0]).not.toContain("final_report");
      expect(offers[1]).toEqual(offers[0]);
      expect(offers[2]!.at(-1)).toBe("final_report");
    },
  );

  scenario(
    "a member that has not spoken by the end of its last turn is dropped",
    {
      agent: "team: { members: [a, b], memberMaxTurns: 1, maxRounds: 2 }",
      cast: { a: "", b: "" },
      script: roles({ a: () => ({ calls: [look("on")] }) }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      await world.settled(runId);
      const events = await world.events(runId);
      expect(discussionIn(events)[1]).toBe("1 the team: a takes no further part: it failed (max_turns).");
      expect(roundsIn(events)).toEqual(["1: a b", "2: b"]);
    },
  );
});

describe("[K5] [K7] [S3-35] when the team is done", () => {
  scenario(
    "[S3-36] [S3-66] a team that never agrees ends after maxRounds",
    {
      agent: "team: { members: [a, b], maxRounds: 2 }",
      cast: { a: "", b: "" },
      script: roles({ tester: turns({ text: "they never agree" }), a: () => ready() }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      expect((await world.settled(runId)).end).toMatchObject({ summary: "they never agree" });
      const events = await world.events(runId);
      expect(roundsIn(events)).toEqual(["1: a b", "2: a b"]);
      expect(heardBy(events).join()).toMatch(/over: there are no more than 2 rounds\./);
    },
  );

  scenario(
    "consensus: every member votes ready in the same round",
    {
      agent: "team: { members: [a, b], maxRounds: 4 }",
      cast: { a: "", b: "" },
      script: roles({
        a: byRound([ready()], [{ text: "wait" }], [ready()]),
        b: byRound([{ text: "hm" }], [ready()], [ready()]),
      }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      await world.settled(runId);
      const events = await world.events(runId);
      expect(roundsIn(events)).toHaveLength(3);
      expect(heardBy(events).join()).toMatch(/over: everybody is ready to conclude\./);
    },
  );

  scenario(
    "coordinatorDecides: the coordinator guides with a broadcast or with text, and concludes",
    {
      agent: "team: { members: [a, b], terminationMode: coordinatorDecides }",
      cast: { a: "", b: "" },
      script: roles({
        tester: turns(
          { calls: [look("facts")] },
          { calls: [broadcast("look at the price")] },
          { text: "And now the colour." },
          conclude("blue, cheap"),
        ),
        a: () => ready(),
        b: () => ready(),
      }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      const { end } = await world.settled(runId);
      expect(end).toMatchObject({ status: "completed", stopReason: "final_answer", summary: "blue, cheap" });
      const events = await world.events(runId);
      expect(roundsIn(events)).toHaveLength(3);
      expect(discussionIn(events).filter((word) => word.includes("tester"))).toEqual([
        "1 tester: look at the price",
        "2 tester: And now the colour.",
      ]);
      const [, second, third] = await runsOf(world, runId, "a");
      const guidanceText = (text: string) => `Guidance of tester, who coordinates:\n${text}`;
      expect(heardBy(second!).at(-1)).toBe(guidanceText("look at the price"));
      expect(heardBy(third!).at(-1)).toBe(guidanceText("And now the colour."));
      const told = heardBy(events);
      expect(told).toHaveLength(3);
      expect(told[1]).toMatch(/^## ROUND 2\n\na votes to conclude/);
      expect(told[1]).not.toMatch(/look at the price/);
    },
  );

  scenario(
    "coordinatorDecides: repeating the same text is not a loop, and after the last round there is no decision",
    {
      agent: "team: { members: [a], terminationMode: coordinatorDecides, maxRounds: 6 }",
      cast: { a: "" },
      script: roles({
        tester: ({ turn }) =>
          turn < 6 ? { calls: [broadcast("go on")] } : { report: { summary: "enough" } },
      }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      expect((await world.settled(runId)).end).toMatchObject({ status: "completed", summary: "enough" });
      expect(roundsIn(await world.events(runId))).toHaveLength(6);
    },
  );

  scenario(
    "coordinatorDecides: a conclusion that does not fit the output schema is corrected",
    {
      agent:
        "team: { members: [a], terminationMode: coordinatorDecides }\noutput: { type: object, properties: { n: { type: number } }, required: [n] }",
      cast: { a: "" },
      script: roles({
        tester: turns(conclude("no number"), {
          calls: [{ tool: "conclude_team", input: { summary: "seven", output: { n: 7 } } }],
        }),
      }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      const { end } = await world.settled(runId);
      expect(end).toMatchObject({ status: "completed", summary: "seven" });
      expect(resultsRead(await world.events(runId))[0]).toMatch(/`output` does not fit its schema/);
    },
  );

  scenario(
    "the coordinator's last turn ends the discussion",
    {
      agent: "team: { members: [a], terminationMode: coordinatorDecides }\nlimits: { maxTurns: 2 }",
      cast: { a: "" },
      script: roles({
        tester: ({ purpose }) =>
          purpose === "final" ? { report: { summary: "my last word" } } : { text: "go on" },
      }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      const { end } = await world.settled(runId);
      expect(end).toMatchObject({ status: "completed", stopReason: "max_turns", summary: "my last word" });
      expect(roundsIn(await world.events(runId))).toHaveLength(2);
    },
  );

  scenario(
    "if consensus comes before the coordinator's decision, consensus ends the discussion",
    {
      agent: "team: { members: [a, b], terminationMode: [consensus, coordinatorDecides] }",
      cast: { a: "", b: "" },
      script: roles({
        tester: turns({ text: "go on" }, { report: { summary: "agreed" } }),
        a: () => ready(),
        b: byRound([{ calls: [vote(false)] }], [ready()]),
      }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      expect((await world.settled(runId)).end).toMatchObject({ summary: "agreed" });
      const events = await world.events(runId);
      expect(roundsIn(events)).toHaveLength(2);
      expect(payloadsOf(events, "MODEL_CALL_STARTED")).toHaveLength(2);
    },
  );

  scenario(
    "if the coordinator's decision comes before consensus, the decision ends the discussion",
    {
      agent: "team: { members: [a, b], terminationMode: [consensus, coordinatorDecides] }",
      cast: { a: "", b: "" },
      script: roles({ tester: turns(conclude("enough")), a: () => ready() }),
    },
    async (world) => {
      const runId = await world.run("discuss");
      expect((await world.settled(runId)).end).toMatchObject({ summary: "enough" });
      expect(roundsIn(await world.events(runId))).toHaveLength(1);
    },
  );
});
