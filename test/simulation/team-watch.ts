// Checks the discussions of teams: rounds come in order, and every member gets each message of the other members exactly once.
// A member continues where its previous run stopped.
// The expected messages are computed from the journal of the coordinator.

import type { RunId } from "../../src/ids.ts";
import type { EventOf, JournalEvent, Payload } from "../../src/journal/events.ts";
import { isSettled, type Nodes, type PatternNode } from "./pattern-node.ts";

interface Discussion {
  rounds: { number: number; members: readonly string[]; seq: number; closed: boolean }[];
  words: { seq: number; from: string }[];
  dropped: Set<string>;
  over: boolean;
}

export class TeamWatch {
  private readonly nodes: Nodes;
  private readonly discussions = new Map<RunId, Discussion>();
  /** The messages of the discussion that each run has received, in order. */
  private readonly heard = new Map<RunId, string[]>();

  constructor(nodes: Nodes) {
    this.nodes = nodes;
  }

  *committed(events: readonly JournalEvent[]): Generator<string> {
    for (const event of events) for (const problem of this.see(event)) yield `${problem}: ${nameOf(event)}`;
    for (const event of events) {
      if (event.type !== "RUN_STARTED" || !event.payload.team) continue;
      const parent = this.nodes.get(event.payload.parentRunId!)!;
      for (const problem of [...this.hears(event, parent), ...this.goesOn(event, parent)])
        yield `${problem}: ${nameOf(event)}`;
    }
  }

  private *see(event: JournalEvent): Generator<string> {
    const node = this.nodes.get(event.runId);
    if (!node) return;
    switch (event.type) {
      case "TEAM_ROUND_STARTED":
        yield* this.opens(node, event);
        break;
      case "TEAM_MESSAGE":
      case "TEAM_VOTE":
        yield* this.says(node, event);
        break;
      case "CONTEXT_ADDED":
        this.told(event);
        break;
      default:
    }
  }

  /** K5, K6: the rounds start in the right order and with the right members. */
  private *opens({ runId, asks }: PatternNode, { seq, payload }: EventOf<"TEAM_ROUND_STARTED">) {
    const discussion = this.discussionOf(runId);
    const { rounds, dropped, over } = discussion;
    const { round: number, members } = payload;
    if (number !== rounds.length + 1) yield `K5 round ${number} after ${rounds.length}`;
    if (rounds.at(-1)?.closed === false) yield `K2 round ${number} before the last one is closed`;
    if (number > asks.team!.maxRounds) yield `K5 round ${number} of at most ${asks.team!.maxRounds}`;
    if (over) yield "K5 a round after the discussion is over";
    const expected = [...new Set(asks.team!.members)].filter((member) => !dropped.has(member));
    if (JSON.stringify(members) !== JSON.stringify(expected)) yield `K6 with ${members.join()}`;
    rounds.push({ number, members, seq, closed: false });
  }

  /** K2: messages of a round appear only after every member has ended or run out of time. The coordinator speaks between rounds. */
  private *says(
    node: PatternNode,
    { seq, payload }: EventOf<"TEAM_MESSAGE" | "TEAM_VOTE">,
  ): Generator<string> {
    const { rounds, words, dropped } = this.discussionOf(node.runId);
    const { round: number, from } = payload;
    const round = rounds.at(-1);
    if (!round || round.number !== number) return yield `K2 said in round ${number}, which is not on`;
    words.push({ seq, from });
    if ("dropped" in payload && payload.dropped !== undefined) dropped.add(payload.dropped);
    if (from === node.start.agent) {
      if (!round.closed) yield "K2 guided before the round is closed";
      return;
    }
    const open = round.members.filter((member) => !isSettled(node, `team/${number}/${member}`));
    if (open.length > 0) yield `K2 closed before ${open.join()} has spoken`;
    if (from !== "the team" && !round.members.includes(from)) yield `K2 said by ${from}, who takes no part`;
    round.closed = true;
  }

  private told({ runId, payload }: EventOf<"CONTEXT_ADDED">): void {
    if (payload.source !== "team") return;
    if (payload.id === "discussion/over") this.discussionOf(runId).over = true;
    if (payload.id.startsWith("discussion/")) return;
    this.heard.set(runId, [...(this.heard.get(runId) ?? []), payload.id]);
  }

  /**
   * K3, K8: a member gets exactly the messages of other members that are new to it.
   * A run that replaces a member gets the same messages as the member.
   */
  private *hears({ runId, payload }: EventOf<"RUN_STARTED">, parent: PatternNode): Generator<string> {
    const { round, member } = payload.team!;
    const heard = this.heard.get(runId) ?? [];
    const expected =
      payload.trigger === "team" && round > 1
        ? this.newTo(member, round, parent.runId)
        : (this.heard.get(parent.runId) ?? []);
    if (JSON.stringify(heard) !== JSON.stringify(expected))
      yield `K3 ${member} hears ${heard.join() || "nothing"} in place of ${expected.join() || "nothing"}`;
  }

  /** The messages of other members from earlier rounds that this member has not received yet. */
  private newTo(member: string, round: number, coordinator: RunId): string[] {
    const { words, rounds } = this.discussionOf(coordinator);
    const begin = rounds[round - 1]?.seq ?? 0;
    const known = new Set(
      [...this.nodes.values()]
        .filter(({ start }) => start.trigger === "team" && start.parentRunId === coordinator)
        .filter(({ start }) => start.team!.member === member && start.team!.round < round)
        .filter(({ start }) => start.team!.round > 1)
        .flatMap((node) => this.heard.get(node.runId) ?? []),
    );
    return words
      .filter(({ from, seq }) => from !== member && seq < begin)
      .map(({ seq }) => `team/${seq}`)
      .filter((id) => !known.has(id));
  }

  /** K1, K8: a member's run continues the member's previous run. A second attempt starts from the same point as the first attempt. */
  private *goesOn({ runId, payload }: EventOf<"RUN_STARTED">, parent: PatternNode): Generator<string> {
    const last = this.lastOf(payload, runId, parent);
    const { continues } = payload;
    if (continues?.runId !== last) yield `K1 goes on from ${continues?.runId} in place of ${last}`;
  }

  private lastOf(started: Payload<"RUN_STARTED">, runId: RunId, parent: PatternNode): RunId | undefined {
    const { agent, trigger } = started;
    const own = parent.children.find((child) => child.started.child_run_id === runId);
    const before = parent.children.findLast(
      (child) =>
        child.started.agent_type === agent &&
        child.started.trigger === trigger &&
        child.started.key !== own?.started.key,
    );
    if (before) return before.started.child_run_id;
    const earlier = this.nodes.get(parent.start.continues?.runId ?? "");
    return earlier && this.lastOf(started, runId, earlier);
  }

  private discussionOf(runId: RunId): Discussion {
    const known = this.discussions.get(runId) ?? {
      rounds: [],
      words: [],
      dropped: new Set<string>(),
      over: false,
    };
    this.discussions.set(runId, known);
    return known;
  }
}

const nameOf = ({ runId, seq, type }: JournalEvent): string => `${runId} #${seq} ${type}`;
