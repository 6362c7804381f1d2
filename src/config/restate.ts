// Addresses of Restate and of the workers. The defaults fit Restate and one worker on this machine.

import { z } from "zod";
import { CadreError } from "../errors.ts";
import { describeIssue } from "./read-keys.ts";
import type { Env } from "./trust.ts";

const address = z.url({ protocol: /^https?$/, error: "must be an http or https address" });

const place = z.string().transform((written, context): { host: string; port: number } => {
  const [, host, port] =
    /^(?:\[([\da-f:.]+)\]|([^\s:/@[\]]+)):(\d{1,5})$/i.exec(written)?.filter(Boolean) ?? [];
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
  context.addIssue({ code: "custom", message: "must be a place to listen at, like 0.0.0.0:9080" });
  return z.NEVER;
});

export const Restate = z.strictObject({
  ingress: address.optional(),
  admin: address.optional(),
  listen: place.optional(),
  workers: address.optional(),
  identity: z.array(z.string().startsWith("publickeyv1_")).optional(),
});

export interface RestateConfig {
  /** Address that wakes are sent to. */
  ingress: string;
  /** Address where workers are registered. */
  admin: string;
  /** Address that a worker listens on. */
  listen: { host: string; port: number };
  /** Address by which Restate reaches the workers, such as their load balancer. Absent: the single worker's own. */
  workers?: string | undefined;
  /** Public keys of the Restate that may call the workers. */
  identity: string[];
}

/** Variables such as CADRE_RESTATE_LISTEN win over the file, because machines that share a file may differ in their addresses. */
export function restateConfig(values: z.output<typeof Restate> = {}, env: Env): RestateConfig {
  const read = <T>(key: keyof typeof values, schema: z.ZodType<T>): T | undefined => {
    const variable = `CADRE_RESTATE_${key.toUpperCase()}`;
    const written = env[variable];
    if (!written) return undefined;
    const result = schema.safeParse(written);
    if (result.success) return result.data;
    throw new CadreError(
      "CONFIG_INVALID",
      `${variable} ${describeIssue(result.error.issues[0]!)}, and is ${JSON.stringify(written)}. Nothing was done.`,
    );
  };
  return {
    ingress: read("ingress", address) ?? values.ingress ?? "http://127.0.0.1:8080",
    admin: read("admin", address) ?? values.admin ?? "http://127.0.0.1:9070",
    listen: read("listen", place) ?? values.listen ?? { host: "127.0.0.1", port: 9080 },
    workers: read("workers", address) ?? values.workers,
    identity: values.identity ?? [],
  };
}
