import { describe, expect } from "vitest";
import { payloadsOf, roles, scenario, turns, typesOf } from "../../test/support/scenario.ts";
import type { World } from "../../test/support/world.ts";
import type { JournalEvent } from "../journal/events.ts";
import type { Script, ScriptedTurn } from "../models/script.ts";

const broadcast = (message: string) => ({ tool: "broadcast", input: { message } });
const vote = (ready: boolean, reason = "because") => ({ tool: "vote_conclude", input: { ready, reason } });
const ready = (reason?: string): ScriptedTurn => ({ calls: [vote(true, reason)] });

describe("rounds", () => {
  scenario(
    "[S3-34] [S3-37] [S3-38] [S3-42] [S3-66] two members, two rounds, consensus: the coordinator answers",
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
    "[S3-40] a member reads who is in the team, and then what the others said, marked and once",
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
      expect(plain(openingOf(first!))).toMatch(
        /^## ORIGINAL USER REQUEST\n\nwhat do we drink\?\n\n## YOUR TEAM\n\nYou are alpha, a member of a team: you and beta\. tester coordinates.*Round 1 of at most 3\.$/s,
      );
      expect(plain(openingOf(second!))).toMatch(/^Round 2 of at most 3\. /);
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
});

/** What a member says, round by round and turn by turn. */
function byRound(...rounds: ScriptedTurn[][]): Script {
  return ({ round, turn }) => rounds[round - 1]?.[turn - 1] ?? { text: "nothing more" };
}

/** The journals of a member, round by round. */
async function runsOf(world: World, runId: string, member: string): Promise<JournalEvent[][]> {
  const started = payloadsOf(await world.events(runId), "CHILD_RUN_STARTED");
  const ids = started.filter(({ key }) => key.endsWith(`/${member}`)).map(({ child_run_id: id }) => id);
  return Promise.all(ids.map((id) => world.events(id)));
}

function discussionIn(events: readonly JournalEvent[]): string[] {
  return events.flatMap(({ type, payload }) => {
    if (type === "TEAM_MESSAGE") return [`${payload.round} ${payload.from}: ${payload.text}`];
    if (type !== "TEAM_VOTE") return [];
    return [`${payload.round} ${payload.from} ${payload.ready ? "ready" : "not ready"}: ${payload.reason}`];
  });
}

const openingOf = (events: readonly JournalEvent[]): string =>
  payloadsOf(events, "CONTEXT_ADDED").find(({ opening }) => opening)!.text;

const heardBy = (events: readonly JournalEvent[]): string[] =>
  payloadsOf(events, "CONTEXT_ADDED")
    .filter(({ source }) => source === "team")
    .map(({ text }) => plain(text));

const plain = (text: string): string =>
  text.replaceAll(/<(\/?)untrusted-\w+( source="[^"]*")?>/g, "<$1untrusted>");
