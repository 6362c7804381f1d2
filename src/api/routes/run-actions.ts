// What people do to a run. A 202 means that it is recorded: the driver of the run acts on it.

import { z } from "zod";
import { freezeBranch, setBudget, thawBranch } from "../../loop/commands/branches.ts";
import { sendMessage } from "../../loop/commands/message-run.ts";
import { cancelRun, decideOutcome, pauseRun, resumeRun } from "../../loop/commands/person-commands.ts";
import { probeOutcome } from "../../loop/commands/probe-outcome.ts";
import type { RouteParts } from "../parts.ts";
import { Probe } from "../views/approvals.ts";
import { findRun } from "../views/read-runs.ts";
import { route } from "./route.ts";
import { Cancelled, Decided, Nothing, named, Started } from "./schemas.ts";

export const OutcomeBody = named(
  "OutcomeBody",
  z.strictObject({
    callId: z.string().min(1),
    verdict: z.enum(["happened", "run_again", "fail"]),
    output: z.string().exactOptional(),
    note: z.string().exactOptional(),
  }),
);
export type OutcomeBody = z.input<typeof OutcomeBody>;

export const ProbeBody = named("ProbeBody", z.strictObject({ callId: z.string().min(1) }));

export const CancelBody = named("CancelBody", z.strictObject({ reason: z.string().exactOptional() }));

export const MessageBody = named("MessageBody", z.strictObject({ text: z.string().trim().min(1) }));

/** What may be spent from now on: by the run itself, or with the scope `tree` by all runs that its root pays for. */
export const BudgetBody = named(
  "BudgetBody",
  z
    .strictObject({
      maxTokens: z.int().nonnegative().exactOptional(),
      maxCost: z.number().nonnegative().exactOptional(),
      scope: z.literal("tree").exactOptional(),
    })
    .refine(({ maxTokens, maxCost }) => maxTokens !== undefined || maxCost !== undefined, {
      message: "say `maxTokens` or `maxCost`",
    }),
);
export type BudgetBody = z.input<typeof BudgetBody>;

export const ForkBody = named(
  "ForkBody",
  z.strictObject({
    /** The event to fork at; absent: the latest. The fork begins there or before it, where no call was open. */
    seq: z.int().positive().exactOptional(),
    edit: z
      .strictObject({
        /** Said after what stands before the fork; in place of the task, where nothing was answered yet. */
        message: z.string().trim().min(1).exactOptional(),
        model: z.string().min(1).exactOptional(),
        /** The text of the agent's file, as it would read. */
        agent: z.string().min(1).max(1_000_000).exactOptional(),
      })
      .exactOptional(),
    /** True: calls happen as in any other run. Otherwise recorded results stand in for them, and what is not recorded asks. */
    allowEffects: z.boolean().exactOptional(),
  }),
);
export type ForkBody = z.input<typeof ForkBody>;

/** Those that were changed by it. */
export const Reached = named("Reached", z.object({ runs: z.array(z.string()) }));

export function runActionRoutes(parts: RouteParts) {
  const { store, people, retry, fork } = parts;
  const fullId = async (id: string) => (await findRun(store, id)).id;
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
        const { runId } = await retry(await fullId(id), idempotencyKey, parts.who(c.req.raw));
        return { runId };
      },
    ),
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
        const { runId } = await fork(await fullId(id), body, idempotencyKey, parts.by(c.req.raw));
        return { runId };
      },
    ),
    route(
      {
        method: "post",
        path: "/api/runs/{id}/cancel",
        summary: "End a run and all below it",
        body: CancelBody,
        answer: Cancelled,
        status: 202,
      },
      async ({ params: { id }, body: { reason } }, c) =>
        cancelRun(await fullId(id), parts.by(c.req.raw), reason, people),
    ),
    route(
      {
        method: "post",
        path: "/api/runs/{id}/message",
        summary: "Tell a run something",
        body: MessageBody,
        answer: Nothing,
        status: 202,
        idempotent: true,
      },
      async ({ params: { id }, body: { text }, idempotencyKey }, c) => {
        await sendMessage(await fullId(id), text, parts.by(c.req.raw), people, idempotencyKey);
        return {};
      },
    ),
    route(
      {
        method: "post",
        path: "/api/runs/{id}/pause",
        summary: "Nothing new begins in it",
        answer: Nothing,
        status: 202,
      },
      async ({ params: { id } }, c) => {
        await pauseRun(await fullId(id), parts.by(c.req.raw), people);
        return {};
      },
    ),
    route(
      { method: "post", path: "/api/runs/{id}/resume", summary: "It goes on", answer: Nothing, status: 202 },
      async ({ params: { id } }, c) => {
        await resumeRun(await fullId(id), parts.by(c.req.raw), people);
        return {};
      },
    ),
    route(
      {
        method: "post",
        path: "/api/runs/{id}/budget",
        summary: "What a run, or its whole tree, may spend from now on",
        body: BudgetBody,
        answer: Nothing,
        status: 202,
      },
      async ({ params: { id }, body: { scope, ...limits } }, c) => {
        await setBudget(await fullId(id), { limits, scope }, parts.by(c.req.raw), people);
        return {};
      },
    ),
    route(
      {
        method: "post",
        path: "/api/runs/{id}/freeze",
        summary: "Nothing new begins in it and all below it",
        answer: Reached,
        status: 202,
      },
      async ({ params: { id } }, c) => freezeBranch(await fullId(id), parts.by(c.req.raw), people),
    ),
    route(
      {
        method: "post",
        path: "/api/runs/{id}/thaw",
        summary: "What was frozen with it goes on",
        answer: Reached,
        status: 202,
      },
      async ({ params: { id } }, c) => thawBranch(await fullId(id), parts.by(c.req.raw), people),
    ),
    route(
      {
        method: "post",
        path: "/api/runs/{id}/outcome",
        summary: "What became of a call that nobody saw the end of",
        body: OutcomeBody,
        answer: Decided,
        status: 202,
      },
      async ({ params: { id }, body: { callId, ...verdict } }, c) =>
        decideOutcome(await fullId(id), callId, verdict, parts.by(c.req.raw), people),
    ),
    route(
      {
        method: "post",
        path: "/api/runs/{id}/probe",
        summary: "Look whether such a call took effect: it is recorded, and decides nothing",
        body: ProbeBody,
        answer: Probe,
        status: 202,
      },
      async ({ params: { id }, body: { callId } }, c) =>
        probeOutcome(await fullId(id), callId, parts.by(c.req.raw), people),
    ),
  ];
}
