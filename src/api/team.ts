// What goes over the wire about users and webhooks.

import { z } from "zod";

export { LinkView } from "./routes/answers.ts";

export const RoleView = z.enum(["viewer", "operator", "admin"]);
export type RoleView = z.infer<typeof RoleView>;

export const Me = z.object({ name: z.string(), role: RoleView, sees: z.enum(["own", "all"]) });
export type Me = z.infer<typeof Me>;

/** Small letters alone: no two names look alike. */
export const NewUser = z.strictObject({
  name: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9._-]{0,39}$/,
      "must be up to 40 small letters, digits, dots, hyphens or underscores",
    ),
  role: RoleView,
});
export type NewUser = z.infer<typeof NewUser>;

export const NewRole = z.strictObject({ role: RoleView });

export const UserView = z.object({
  name: z.string(),
  role: RoleView,
  madeAt: z.number(),
  madeBy: z.string(),
  /** When the token was made that counts now. */
  rotatedAt: z.number(),
  /** Comes in no more. */
  revokedAt: z.number().optional(),
});
export type UserView = z.infer<typeof UserView>;

export const UserList = z.object({ users: z.array(UserView) });

export const CreatedUser = z.object({
  name: z.string(),
  /** Shown this once. */
  token: z.string(),
  /** For one browser of theirs, once; absent: no web page is served here. */
  link: z.string().optional(),
});
export type CreatedUser = z.infer<typeof CreatedUser>;

export const WebhookView = z.object({
  name: z.string(),
  form: z.enum(["json", "slack", "ntfy"]),
  events: z.array(z.enum(["needs-you", "done", "failed"])),
  host: z.string().optional(),
  /** Why nothing can be sent. */
  problem: z.string().optional(),
  /** When the delivery that failed last is tried again. */
  retryAt: z.number().optional(),
  /** The latest first. */
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

/** `taken`: the other end said that it has it. */
export const WebhookTestResult = z.object({ taken: z.boolean(), detail: z.string() });
export type WebhookTestResult = z.infer<typeof WebhookTestResult>;
