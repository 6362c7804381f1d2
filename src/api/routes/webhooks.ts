// Lists webhooks with their latest deliveries, and tests them. Only a URL's host is shown, because the URL might contain a secret.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { ApiParts } from "../parts.ts";
import { route } from "./route.ts";

export const WebhookView = z.object({
  name: z.string(),
  form: z.enum(["json", "slack", "ntfy"]),
  events: z.array(z.enum(["needs-you", "done", "failed"])),
  host: z.string().optional(),
  /** The reason why this webhook cannot send notices. */
  problem: z.string().optional(),
  /** Time of the next attempt, if the last delivery failed. */
  retryAt: z.number().optional(),
  /** Notices that were not delivered yet, oldest first. `more` is true if there are more than are listed. */
  owed: z.object({
    notices: z.array(z.object({ event: z.string(), runId: z.string(), at: z.number() })),
    more: z.boolean(),
  }),
  deliveries: z.array(
    z.object({
      id: z.string(),
      event: z.string(),
      runId: z.string(),
      at: z.number(),
      attempts: z.int(),
      outcome: z.enum(["delivered", "failed", "given up"]),
      detail: z.string(),
    }),
  ),
});
export type WebhookView = z.infer<typeof WebhookView>;

export const WebhookList = z.object({ webhooks: z.array(WebhookView) });

/** `taken` is true if the receiver confirmed the notice. */
export const WebhookTestResult = z.object({ taken: z.boolean(), detail: z.string() });

const LATEST = 10;

export function webhookRoutes(parts: ApiParts) {
  const { webhooks } = parts;
  return [
    route.get(
      "/api/webhooks",
      {
        summary: "Webhooks with their owed notices and latest deliveries",
        answer: WebhookList,
        role: "admin",
      },
      async () => {
        const cursors = await parts.store.outbox.cursors();
        const views = (webhooks?.hooks ?? []).map(async (hook) => {
          const { name, form, events, url, problem } = hook;
          return {
            name,
            form,
            events: [...events],
            ...omitUndefined({
              host: url?.host,
              problem,
              retryAt: cursors.find(({ webhook }) => webhook === name)?.retryAt,
            }),
            owed: (await webhooks?.owed(hook)) ?? { notices: [], more: false },
            deliveries: await parts.store.outbox.deliveries(name, LATEST),
          };
        });
        return { webhooks: await Promise.all(views) };
      },
    ),
    route.post(
      "/api/webhooks/{name}/test",
      { summary: "Send a test notice", answer: WebhookTestResult, role: "admin" },
      async ({ params: { name } }) => {
        const answer = await webhooks?.test(name);
        if (!answer)
          throw new CadreError(
            "NOT_FOUND",
            `There is no webhook ${name} in cadre.yaml: \`cadre webhooks\` lists all webhooks. Nothing was sent.`,
          );
        const { status, detail } = answer;
        return { taken: status !== undefined && status >= 200 && status < 300, detail };
      },
    ),
  ];
}
