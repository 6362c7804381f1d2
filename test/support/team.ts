// Helpers for tests of teams: scripts for members, and functions that search their journals.

import type { JournalEvent } from "../../src/journal/events.ts";
import type { Script, ScriptedTurn } from "../../src/models/scripted/script.ts";
import { payloadsOf } from "./scenario.ts";
import type { World } from "./world.ts";

export const broadcast = (message: string) => ({ tool: "broadcast", input: { message } });
export const vote = (ready: boolean, reason = "because") => ({
  tool: "vote_conclude",
  input: { ready, reason },
});
export const ready = (reason?: string): ScriptedTurn => ({ calls: [vote(true, reason)] });
export const conclude = (summary: string): ScriptedTurn => ({
  calls: [{ tool: "conclude_team", input: { summary } }],
});

/** A member's script for each round and turn. After the last entry, the member says "nothing more". */
export function byRound(...rounds: ScriptedTurn[][]): Script {
  return ({ round, turn }) => rounds[round - 1]?.[turn - 1] ?? { text: "nothing more" };
}

/** The journals of the run's children with this agent, in the order in which the children started. */
export async function runsOf(world: World, runId: string, agent: string): Promise<JournalEvent[][]> {
  const started = payloadsOf(await world.events(runId), "CHILD_RUN_STARTED");
  const ids = started.filter(({ agent_type: name }) => name === agent).map(({ child_run_id: id }) => id);
  return Promise.all(ids.map((id) => world.events(id)));
}

export function discussionIn(events: readonly JournalEvent[]): string[] {
  return events.flatMap(({ type, payload }) => {
    if (type === "TEAM_MESSAGE") return [`${payload.round} ${payload.from}: ${payload.text}`];
    if (type !== "TEAM_VOTE") return [];
    return [`${payload.round} ${payload.from} ${payload.ready ? "ready" : "not ready"}: ${payload.reason}`];
  });
}

export const roundsIn = (events: readonly JournalEvent[]): string[] =>
  payloadsOf(events, "TEAM_ROUND_STARTED").map(({ round, members }) => `${round}: ${members.join(" ")}`);

/** The text with which the run starts instead of its task. */
export const openingOf = (events: readonly JournalEvent[]): string =>
  plain(payloadsOf(events, "CONTEXT_ADDED").find(({ opening }) => opening)!.text);

/** The messages of the discussion that this member received. */
export const heardBy = (events: readonly JournalEvent[]): string[] =>
  payloadsOf(events, "CONTEXT_ADDED")
    .filter(({ source }) => source === "team")
    .map(({ text }) => plain(text));

export const plain = (text: string): string =>
  text.replaceAll(/<(\/?)untrusted-\w+( source="[^"]*")?>/g, "<$1untrusted>");
