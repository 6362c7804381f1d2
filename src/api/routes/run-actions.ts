// What people do to a run. 202: it is recorded; whoever drives the run acts on it.

import type { z } from "zod";
import { freezeBranch, setBudget, thawBranch } from "../../loop/commands/branches.ts";
import { sendMessage } from "../../loop/commands/message-run.ts";
import { cancelRun, decideOutcome, pauseRun, resumeRun } from "../../loop/commands/person-commands.ts";
import { probeOutcome } from "../../loop/commands/probe-outcome.ts";
import {
  BudgetBody,
  CancelBody,
  EmptyBody,
  ForkBody,
  MessageBody,
  type NoQuery,
  OutcomeBody,
  Probe,
  ProbeBody,
} from "../client/types.ts";
import type { RouteParts } from "../route-parts.ts";
import { findRun } from "../views/read-runs.ts";
import { type Route, type RouteRequest, type RouteSpec, route } from "./route.ts";
import { Cancelled, Decided, Nothing, Reached, Started } from "./wire.ts";

export function runActionRoutes(parts: RouteParts): Route[] {
  const { store, people, retry } = parts;
  const act = actionsOf(parts);
  return [
    route(
      {
        method: "post",
        path: "/api/runs/{id}/retry",
        summary: "A new run that goes on where an ended one stopped",
        answer: Started,
        status: 202,
        idempotent: true,
      },
      async ({ params: { id }, idempotencyKey }, c) => {
        const { runId } = await retry((await findRun(store, id)).id, idempotencyKey, parts.who(c.req.raw));
        return { runId };
      },
    ),
    forkRoute(parts),
    act(
      { name: "cancel", summary: "End a run and all below it", body: CancelBody, answer: Cancelled },
      (id, { body: { reason } }, by) => cancelRun(id, by, reason, people),
    ),
    act(
      {
        name: "message",
        summary: "Tell a run something",
        body: MessageBody,
        answer: Nothing,
        idempotent: true,
      },
      async (id, { body: { text }, idempotencyKey }, by) => {
        await sendMessage(id, text, by, people, idempotencyKey);
        return {};
      },
    ),
    act(
      { name: "pause", summary: "Nothing new begins in it", body: EmptyBody, answer: Nothing },
      async (id, _, by) => {
        await pauseRun(id, by, people);
        return {};
      },
    ),
    act({ name: "resume", summary: "It goes on", body: EmptyBody, answer: Nothing }, async (id, _, by) => {
      await resumeRun(id, by, people);
      return {};
    }),
    ...branchRoutes(parts, act),
    act(
      {
        name: "outcome",
        summary: "What became of a call that nobody saw the end of",
        body: OutcomeBody,
        answer: Decided,
      },
      (id, { body: { callId, ...verdict } }, by) => decideOutcome(id, callId, verdict, by, people),
    ),
    act(
      {
        name: "probe",
        summary: "Look whether such a call took effect: it is recorded, and decides nothing",
        body: ProbeBody,
        answer: Probe,
      },
      (id, { body: { callId } }, by) => probeOutcome(id, callId, by, people),
    ),
  ];
}

function branchRoutes({ people }: RouteParts, act: Act): Route[] {
  return [
    act(
      {
        name: "budget",
        summary: "What a run, or its whole tree, may spend from now on",
        body: BudgetBody,
        answer: Nothing,
      },
      async (id, { body: { scope, ...limits } }, by) => {
        await setBudget(id, { limits, scope }, by, people);
        return {};
      },
    ),
    act(
      {
        name: "freeze",
        summary: "Nothing new begins in it and all below it",
        body: EmptyBody,
        answer: Reached,
      },
      (id, _, by) => freezeBranch(id, by, people),
    ),
    act(
      { name: "thaw", summary: "What was frozen with it goes on", body: EmptyBody, answer: Reached },
      (id, _, by) => thawBranch(id, by, people),
    ),
  ];
}

const forkRoute = ({ store, fork, by }: RouteParts): Route =>
  route(
    {
      method: "post",
      path: "/api/runs/{id}/fork",
      summary: "A new root that goes another way from an event of a run, which stays as it is",
      body: ForkBody,
      answer: Started,
      status: 202,
      idempotent: true,
    },
    async ({ params: { id }, body, idempotencyKey }, c) => {
      const { runId } = await fork((await findRun(store, id)).id, body, idempotencyKey, by(c.req.raw));
      return { runId };
    },
  );

type ActionPath = `/api/runs/{id}/${string}`;
type ActionSpec<B extends z.ZodType, A extends z.ZodType> = Pick<
  RouteSpec<ActionPath, typeof NoQuery, B, A>,
  "summary" | "body" | "answer" | "idempotent"
>;

type Act = ReturnType<typeof actionsOf>;

function actionsOf({ store, by }: RouteParts) {
  return function act<B extends z.ZodType, A extends z.ZodType>(
    { name, ...spec }: { name: string } & ActionSpec<B, A>,
    action: (
      runId: string,
      asked: RouteRequest<ActionPath, typeof NoQuery, B>,
      by: string,
    ) => Promise<z.input<A>>,
  ): Route {
    const path: ActionPath = `/api/runs/{id}/${name}`;
    return route({ method: "post", path, status: 202, ...spec }, async (asked, c) => {
      const { id } = await findRun(store, asked.params.id);
      return action(id, asked, by(c.req.raw));
    });
  };
}
