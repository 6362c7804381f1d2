// Receives messages of other systems (`POST /hooks/<name>`), and shows what became of them.

import { z } from "zod";
import { SENDERS } from "../../config/inbound-hook.ts";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { TRIGGER_OUTCOMES, type TriggerEntry } from "../../stores/triggers.ts";
import type { ApiParts } from "../parts.ts";
import { HttpError } from "../server/http-errors.ts";
import { readBytes } from "./request.ts";
import { route } from "./route.ts";
import { TriggerEntryView } from "./schedules.ts";
import { namedObject } from "./schemas.ts";

export const HookReceipt = namedObject("HookReceipt", {
  id: z.string(),
  outcome: z.enum(TRIGGER_OUTCOMES),
  runId: z.string().optional(),
});

export const InboundHookView = namedObject("InboundHook", {
  name: z.string(),
  from: z.enum(SENDERS),
  agent: z.string(),
  /** The reason why the hook accepts nothing. */
  problem: z.string().optional(),
  /** The latest messages, newest first. */
  deliveries: z.array(TriggerEntryView),
});
export type InboundHookView = z.infer<typeof InboundHookView>;

const LATEST = 10;
/** An unknown hook reads no more than this, before it answers. */
const SMALL = 64 * 1_024;

export function hookRoutes({ inbound }: ApiParts) {
  return [
    route.post(
      "/hooks/{name}",
      {
        summary:
          "Receive a message of another system. It needs no token, but the signature or the secret that `triggers` names",
        answer: HookReceipt,
        status: 202,
        otherStatuses: { 401: "Its proof is missing or wrong", 429: "Too many messages came in this minute" },
        raw: true,
        role: "viewer",
      },
      async ({ params: { name } }, c) => {
        const body = await readBytes(c, inbound.limitOf(name) ?? SMALL);
        const receipt = await inbound.receive(name, { body, header: (header) => c.req.header(header) });
        if ("why" in receipt) throw new HttpError(receipt.status, receipt.why);
        const { status, id, outcome, runId } = receipt;
        return Response.json({ id, outcome, ...omitUndefined({ runId }) }, { status });
      },
    ),
    route.get(
      "/api/triggers",
      {
        summary: "The hooks for messages of other systems, with the latest messages",
        answer: z.object({ triggers: z.array(InboundHookView) }),
        role: "admin",
      },
      async () => ({
        triggers: (await inbound.list(LATEST)).map(({ name, hook: { from, agent }, problem, entries }) => ({
          ...{ name, from, agent, deliveries: entries.map(viewOf) },
          ...omitUndefined({ problem }),
        })),
      }),
    ),
    route.get(
      "/api/triggers/{name}/deliveries/{delivery}",
      {
        summary: "A message of another system, as it is kept",
        answer: z.object({ delivery: TriggerEntryView, message: z.unknown() }),
        role: "admin",
      },
      async ({ params: { name, delivery: id } }) => {
        const entry = await inbound.entry(name, id);
        if (!entry) throw unknownDelivery(name, id);
        const { message } = JSON.parse(entry.payload) as { message: unknown };
        return { delivery: viewOf(entry), message };
      },
    ),
    route.post(
      "/api/triggers/{name}/deliveries/{delivery}/retry",
      {
        summary: "Map a failed message again, with today's settings",
        answer: TriggerEntryView,
        role: "admin",
      },
      async ({ params: { name, delivery: id } }) => {
        const entry = await inbound.retry(name, id);
        if (!entry) throw unknownDelivery(name, id, "failed ");
        return viewOf(entry);
      },
    ),
  ];
}

const viewOf = ({ id, at, outcome, runId, detail }: TriggerEntry) => ({
  ...{ id, at, outcome, detail },
  ...omitUndefined({ runId }),
});

const unknownDelivery = (name: string, id: string, state = ""): CadreError =>
  new CadreError(
    "NOT_FOUND",
    `There is no ${state}message ${id} to the hook ${name}: \`cadre triggers\` lists the messages. Nothing was changed.`,
  );
