// Mutants that break a pattern.
// Some mutants wrap the store. Other mutants replace a method of the pattern object and restore it later.

import { vi } from "vitest";
import type { EventBody } from "../../src/journal/events.ts";
import type { Action, PatternRun } from "../../src/patterns/action.ts";
import { advisors } from "../../src/patterns/advisors.ts";
import { bestOf } from "../../src/patterns/best-of.ts";
import { handoff } from "../../src/patterns/handoff.ts";
import type { DecisionView, Pattern, TakeTurn } from "../../src/patterns/pattern.ts";
import { router } from "../../src/patterns/router.ts";
import { injectMessage, messagesAfter, team } from "../../src/patterns/team.ts";
import { childCompletedEvent } from "../../src/projections/folds/parent-events.ts";
import { replace, withAppend, withSpawn } from "./breaking.ts";
import type { Findable } from "./surroundings.ts";

const { childCompletedEvent: completed } = await vi.importActual<
  typeof import("../../src/projections/folds/parent-events.ts")
>("../../src/projections/folds/parent-events.ts");

export const PATTERN_MUTANTS: readonly Findable[] = [
  {
    name: "a handoff starts its target twice",
    found: /^F26 /,
    install: () =>
      change(handoff, "onFinish", (action) => withRuns(action, (run) => [run, { ...run, key: "handoff/2" }])),
  },
  {
    name: "an advisor is started twice",
    found: /^(H1|D0|F26) /,
    store: (store) =>
      withAppend(store, async (append) => {
        const answer = await store.journal.append(append);
        if (answer.refused || append.spawn?.start.trigger !== "advisor") return answer;
        const runId = `${append.spawn.runId}x`;
        const events = append.events.map((event) => withChildId(event, runId));
        await store.journal.append({ ...append, events, spawn: { ...append.spawn, runId } });
        return answer;
      }),
  },
  {
    name: "an agent calls its model again after it has handed off its work",
    found: /^H2 thinks /,
    install: () => change(handoff, "next", (action) => (action?.type === "suspend" ? TAKE_TURN : action)),
  },
  {
    name: "a router calls its model again after its choice",
    found: /^H3 /,
    install: () => change(router, "next", (action) => (action?.type === "suspend" ? TAKE_TURN : action)),
  },
  {
    name: "an agent begins before its advisors have answered",
    found: /^H4 /,
    install: () => change(advisors, "next", (action) => (action?.type === "suspend" ? undefined : action)),
  },
  {
    name: "the judge starts before all drafts have ended",
    found: /^H5 /,
    install: () => change(bestOf, "next", (action, view) => judgeEarly(action, view)),
  },
  {
    name: "a team member gets the same message twice",
    found: /^K3 /,
    store: (store) =>
      withSpawn(store, (spawn) => ({ ...spawn, events: (spawn.events ?? []).flatMap(saidTwice) })),
  },
  {
    name: "a team member gets its own message",
    found: /^K3 /,
    install: () =>
      change(team, "next", (action, view) => withRuns(action, (run) => [echoOwnWords(run, view)])),
  },
  {
    name: "a run that replaces a team member does not get the member's messages",
    found: /^K3 /,
    install: () =>
      change(handoff, "onFinish", (action) => withRuns(action, (run) => [{ ...run, messages: [] }])),
  },
  {
    name: "a team member does not continue its run of the previous round",
    found: /^K1 /,
    install: () =>
      change(team, "next", (action) => withRuns(action, (run) => [{ ...run, continues: undefined }])),
  },
  {
    name: "a round is closed before every member has spoken",
    found: /^K2 /,
    install: () => change(team, "next", closedEarly),
  },
  {
    name: "the depth limit also counts children that a pattern starts",
    found: /^H1 depth /,
    store: (store) =>
      withSpawn(store, (spawn) => {
        const { depth, trigger } = spawn.start;
        return trigger === "delegation" ? spawn : { ...spawn, start: { ...spawn.start, depth: depth + 1 } };
      }),
  },
  {
    name: "the usage of a team member is not added to its parent",
    found: /^B1 /,
    install: () =>
      replace(childCompletedEvent, (row, ended) => {
        const event = completed(row, ended);
        if (row.trigger !== "team" || event?.type !== "CHILD_RUN_COMPLETED") return event;
        const { usage: _, cost: __, ...payload } = event.payload;
        return { ...event, payload };
      }),
  },
];

type Next = Action | TakeTurn | undefined;

const TAKE_TURN: TakeTurn = { type: "take-turn" };

/** Wraps a method of a pattern. Returns a function that restores the method. */
function change(
  pattern: Pattern,
  method: "next" | "onFinish",
  broken: (action: Next, view: DecisionView) => Next,
): () => void {
  const real = pattern[method] as (view: DecisionView, more: never) => Next;
  const wrapper = (view: DecisionView, more: never): Next => broken(real(view, more), view);
  Object.assign(pattern, { [method]: wrapper });
  return () => Object.assign(pattern, { [method]: real });
}

function withRuns(action: Next, made: (run: PatternRun) => PatternRun[]): Next {
  return action?.type === "start-runs" ? { ...action, runs: action.runs.flatMap(made) } : action;
}

/** Starts the judge too early, while a draft is still running. */
function judgeEarly(action: Next, { state }: DecisionView): Next {
  const [first] = state.children.values();
  if (action?.type !== "suspend" || !first || [...state.children.values()].some(({ key }) => key === "judge"))
    return action;
  const { task } = state.start!;
  const judge = { key: "judge", trigger: "best_of" as const, agent: first.agent, task };
  return { type: "start-runs", runs: [judge] };
}

function closedEarly(action: Next, { state, definition }: DecisionView): Next {
  const round = state.team.rounds.at(-1);
  if (action?.type !== "suspend" || !round) return action;
  const from = definition.team!.members[0]!;
  const payload = { round: round.number, index: 0, from, text: "nothing yet" };
  return { type: "record", events: [{ type: "TEAM_MESSAGE", payload }] };
}

function saidTwice(event: EventBody): EventBody[] {
  if (event.type !== "CONTEXT_ADDED" || event.payload.source !== "team") return [event];
  return [event, { ...event, payload: { ...event.payload, id: `${event.payload.id}/again` } }];
}

function echoOwnWords(run: PatternRun, view: DecisionView): PatternRun {
  const own = messagesAfter(view, 0).filter(({ from }) => from === run.agent);
  return { ...run, messages: [...(run.messages ?? []), ...own.map((word) => injectMessage(view, word))] };
}

function withChildId(event: EventBody, runId: string): EventBody {
  if (event.type !== "CHILD_RUN_STARTED") return event;
  return { ...event, payload: { ...event.payload, child_run_id: runId } };
}
