// Reads the addresses of Restate and of the workers. The defaults are for Restate and one worker on this machine.

import { z } from "zod";
import { HttpUrl } from "./hosts.ts";
import { parseSetting } from "./read-keys.ts";
import type { Env } from "./trust.ts";

const ListenAddress = z.string().transform((written, context): { host: string; port: number } => {
  const [, host, port] =
    /^(?:\[([\da-f:.]+)\]|([^\s:/@[\]]+)):(\d{1,5})$/i.exec(written)?.filter(Boolean) ?? [];
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
  context.addIssue({ code: "custom", message: "must be a place to listen at, like 0.0.0.0:9080" });
  return z.NEVER;
});

export const Restate = z.strictObject({
  ingress: HttpUrl.optional(),
  admin: HttpUrl.optional(),
  listen: ListenAddress.optional(),
  workers: HttpUrl.optional(),
  identity: z.array(z.string().startsWith("publickeyv1_")).optional(),
});

export interface RestateConfig {
  /** Address of Restate to which Cadre sends wake-ups. */
  ingress: string;
  /** Address of Restate at which workers are registered. */
  admin: string;
  /** Address that a worker listens on. */
  listen: { host: string; port: number };
  /** Address at which Restate reaches the workers, such as a load balancer. The default is the address of the single worker. */
  workers?: string | undefined;
  /** Public keys of the Restate servers that are allowed to call the workers. */
  identity: string[];
}

/** Variables such as CADRE_RESTATE_LISTEN win over the file, because machines that share a file can have different addresses. */
export function restateConfig(values: z.output<typeof Restate> = {}, env: Env): RestateConfig {
  const read = <T>(key: keyof typeof values, schema: z.ZodType<T>): T | undefined => {
    const variable = `CADRE_RESTATE_${key.toUpperCase()}`;
    return env[variable] ? parseSetting(variable, env[variable], schema) : undefined;
  };
  return {
    ingress: read("ingress", HttpUrl) ?? values.ingress ?? "http://127.0.0.1:8080",
    admin: read("admin", HttpUrl) ?? values.admin ?? "http://127.0.0.1:9070",
    listen: read("listen", ListenAddress) ?? values.listen ?? { host: "127.0.0.1", port: 9080 },
    workers: read("workers", HttpUrl) ?? values.workers,
    identity: values.identity ?? [],
  };
}
