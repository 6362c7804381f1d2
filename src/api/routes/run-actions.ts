// Actions of people on a run. The status 202 means that the request is recorded. The run's driver carries it out later.

import { z } from "zod";
import { freezeBranch, setBudget, thawBranch } from "../../loop/commands/branches.ts";
import { sendMessage } from "../../loop/commands/messages.ts";
import { cancelRun, decideOutcomes, pauseRun, resumeRun } from "../../loop/commands/person-commands.ts";
import { probeOutcome } from "../../loop/commands/probe-outcome.ts";
import type { RouteParts } from "../parts.ts";
import { Probe } from "../views/approvals.ts";
import { findRun } from "../views/read-runs.ts";
import { route } from "./route.ts";
import {
  Cancelled,
  Decided,
  MEGABYTES_WITH_FILES,
  namedObject,
  namedStrictObject,
  nameSchema,
  SentFiles,
  Started,
} from "./schemas.ts";

export const OutcomeBody = namedStrictObject("OutcomeBody", {
  callId: z.string().min(1),
  verdict: z.enum(["happened", "run_again", "fail"]),
  output: z.string().exactOptional(),
  note: z.string().exactOptional(),
  /** Ids of other open items with an unknown outcome, in any run of the tree. Their calls get the same verdict and note. */
  alsoFor: z.array(z.string().min(1)).max(1_000).exactOptional(),
});
export type OutcomeBody = z.input<typeof OutcomeBody>;

export const ProbeBody = namedStrictObject("ProbeBody", { callId: z.string().min(1) });

export const CancelBody = namedStrictObject("CancelBody", { reason: z.string().exactOptional() });

export const MessageBody = namedStrictObject("MessageBody", {
  text: z.string().trim().min(1),
  attachments: SentFiles.exactOptional(),
});

/** New limits for one run. If the scope is `tree`, the limits apply to all runs of the tree together. */
export const BudgetBody = nameSchema(
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

export const ForkBody = namedStrictObject("ForkBody", {
  /** The event to fork at (default: the latest). If a call was open at that event, the fork starts before the call. */
  seq: z.int().positive().exactOptional(),
  edit: z
    .strictObject({
      /** A message to add to the inherited messages. If the agent had not answered yet, the message replaces the task. */
      message: z.string().trim().min(1).exactOptional(),
      model: z.string().min(1).exactOptional(),
      /** New content of the agent's file. */
      agent: z.string().min(1).max(1_000_000).exactOptional(),
    })
    .exactOptional(),
  /** If true, the fork runs calls like any other run. Otherwise it uses recorded results, and a call without a result needs approval. */
  allowEffects: z.boolean().exactOptional(),
});
export type ForkBody = z.input<typeof ForkBody>;

/** Ids of the runs that were frozen or thawed. */
export const Reached = namedObject("Reached", { runs: z.array(z.string()) });

export function runActionRoutes(parts: RouteParts) {
  const { store, people, retry, fork } = parts;
  const fullId = async (id: string) => (await findRun(store, id)).id;
  return [
    route.post(
      "/api/runs/{id}/retry",
      {
        summary: "Start a run that continues where an ended one stopped",
        answer: Started,
        status: 202,
        idempotent: true,
      },
      async ({ params: { id }, idempotencyKey }, c) => {
        const { runId } = await retry(await fullId(id), idempotencyKey, parts.who(c.req.raw));
        return { runId };
      },
    ),
    route.post(
      "/api/runs/{id}/fork",
      {
        summary: "Start a new root from an event of a run; the run itself stays as it is",
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
    route.post(
      "/api/runs/{id}/cancel",
      { summary: "Cancel a run and its descendants", body: CancelBody, answer: Cancelled, status: 202 },
      async ({ params: { id }, body: { reason } }, c) =>
        cancelRun(await fullId(id), parts.by(c.req.raw), reason, people),
    ),
    route.post(
      "/api/runs/{id}/message",
      {
        summary: "Send a message to a run",
        body: MessageBody,
        maxMegabytes: MEGABYTES_WITH_FILES,
        status: 202,
        idempotent: true,
      },
      async ({ params: { id }, body: { text, attachments }, idempotencyKey }, c) =>
        sendMessage(await fullId(id), text, parts.by(c.req.raw), people, idempotencyKey, attachments),
    ),
    route.post(
      "/api/runs/{id}/pause",
      { summary: "Pause a run: nothing new starts in it", status: 202 },
      async ({ params: { id } }, c) => pauseRun(await fullId(id), parts.by(c.req.raw), people),
    ),
    route.post(
      "/api/runs/{id}/resume",
      { summary: "Resume a run", status: 202 },
      async ({ params: { id } }, c) => resumeRun(await fullId(id), parts.by(c.req.raw), people),
    ),
    route.post(
      "/api/runs/{id}/budget",
      {
        summary: "Set the budget of a run, or of its whole tree, from now on",
        body: BudgetBody,
        status: 202,
      },
      async ({ params: { id }, body: { scope, ...limits } }, c) =>
        setBudget(await fullId(id), { limits, scope }, parts.by(c.req.raw), people),
    ),
    route.post(
      "/api/runs/{id}/freeze",
      {
        summary: "Freeze a run and its descendants: nothing new starts in them",
        answer: Reached,
        status: 202,
      },
      async ({ params: { id } }, c) => freezeBranch(await fullId(id), parts.by(c.req.raw), people),
    ),
    route.post(
      "/api/runs/{id}/thaw",
      { summary: "Thaw a run, and everything that was frozen with it", answer: Reached, status: 202 },
      async ({ params: { id } }, c) => thawBranch(await fullId(id), parts.by(c.req.raw), people),
    ),
    route.post(
      "/api/runs/{id}/outcome",
      {
        summary: "Say what became of a call with an unknown outcome",
        body: OutcomeBody,
        answer: Decided,
        status: 202,
      },
      async ({ params: { id }, body: { callId, ...verdict } }, c) =>
        decideOutcomes(await fullId(id), callId, verdict, parts.by(c.req.raw), people),
    ),
    route.post(
      "/api/runs/{id}/probe",
      {
        summary: "Probe whether such a call took effect; recorded, decides nothing",
        body: ProbeBody,
        answer: Probe,
        status: 202,
      },
      async ({ params: { id }, body: { callId } }, c) =>
        probeOutcome(await fullId(id), callId, parts.by(c.req.raw), people),
    ),
  ];
}
