import { expect } from "vitest";
import { roles, scenario } from "../../../test/support/scenario.ts";
import { broadcast, byRound, ready, vote } from "../../../test/support/team.ts";
import type { World } from "../../../test/support/world.ts";
import type { EventOf, JournalEvent } from "../../journal/events.ts";
import { causeOf, causesOf, type Journals } from "./causes.ts";
import { agentOfRun } from "./reasons.ts";

async function treeOf(world: World, runId: string): Promise<Map<string, readonly JournalEvent[]>> {
  const events = await world.events(runId);
  const children = events.flatMap(({ type, payload }) =>
    type === "CHILD_RUN_STARTED" ? payload.child_run_id : [],
  );
  const below = await Promise.all(children.map((child) => treeOf(world, child)));
  return new Map([[runId, events], ...below.flatMap((journals) => [...journals])]);
}

type Word = EventOf<"TEAM_MESSAGE" | "TEAM_VOTE">;

const wordsIn = (journals: Journals, runId: string): Word[] =>
  journals.get(runId)!.filter((event): event is Word => event.type.match(/^TEAM_(MESSAGE|VOTE)$/) !== null);

/** Names two agents: the one whose end caused a team message, and the one whose call wrote the message. */
function tracedTo(journals: Journals, word: Word): string {
  const chain = causesOf(journals, word);
  const [, end] = chain;
  const call = chain.find(({ type }) => type === "TOOL_RESULT");
  const ended =
    end?.type === "CHILD_RUN_COMPLETED" ? agentOfRun(journals, end.payload.child_run_id) : end?.type;
  return `${ended}, ${call ? agentOfRun(journals, call.runId) : "no call"}`;
}

scenario(
  "[T6] [S1-64] a team message is caused by the end of its sender's run and by the sender's call, whichever member ended last",
  {
    agent: "team: { members: [a, b, c], maxRounds: 2 }",
    cast: { a: "", b: "", c: "handoff: editor", editor: "" },
    script: roles({
      a: byRound(
        [{ calls: [broadcast("a one")] }, { calls: [vote(false, "a waits")] }],
        [ready("a is done")],
      ),
      b: byRound([{ calls: [broadcast("b one"), vote(false, "b waits")] }], [ready("b is done")]),
      c: () => ({ report: { summary: "draft" } }),
      editor: byRound([{ calls: [broadcast("c one"), vote(false, "c waits")] }], [ready("c is done")]),
    }),
  },
  async (world) => {
    const runId = await world.run("discuss");
    await world.settled(runId);
    const journals = await treeOf(world, runId);
    const said = wordsIn(journals, runId);
    expect(said).toHaveLength(9);
    for (const word of said) {
      const { from } = word.payload;
      expect(tracedTo(journals, word)).toBe(`${from}, ${from === "c" ? "editor" : from}`);
    }
    // Agent a made this broadcast in an earlier turn.
    const first = causesOf(journals, said.find(({ payload }) => payload.from === "a")!);
    const { payload } = first.find(({ type }) => type === "TOOL_RESULT") as EventOf<"TOOL_RESULT">;
    expect(payload.output).toBe("The others hear it when the next round begins.");
  },
);

scenario(
  "[T6] a notice about a dropped member is caused by that member's end; a coordinator's message is caused by its own call",
  {
    agent: "team: { members: [a, b], maxRounds: 2, terminationMode: coordinatorDecides }",
    cast: { a: "", b: "" },
    script: roles({
      tester: ({ turn }) =>
        turn === 1 ? { calls: [broadcast("Come to the point.")] } : { text: "We have it." },
      a: () => ({ error: { status: 400, message: "no" } }),
      b: byRound([{ text: "b one" }], [ready("b is done")]),
    }),
  },
  async (world) => {
    const runId = await world.run("discuss");
    await world.settled(runId);
    const journals = await treeOf(world, runId);
    const said = wordsIn(journals, runId);
    const dropped = said.find(({ payload }) => "dropped" in payload)!;
    expect(tracedTo(journals, dropped)).toMatch(/^a, /);
    const guidance = said.find(({ payload }) => "text" in payload && payload.text === "Come to the point.")!;
    expect(causeOf(journals, guidance)).toMatchObject({ type: "TOOL_RESULT", runId });
  },
);
