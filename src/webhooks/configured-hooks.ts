// Reads the project's webhooks from its configuration, and their secrets from environment variables.
// An untrusted folder has no webhooks.

import type { Config } from "../config/config.ts";
import type { Env } from "../config/trust.ts";
import type { Hook } from "./deliver.ts";

export interface AddressChecks {
  isPublic(address: string): boolean;
  /** True for addresses of this machine and its local network. False for a cloud's metadata service. */
  isIntranet(address: string): boolean;
}

export function configuredHooks(
  { webhooks = {}, server }: Pick<Config, "webhooks" | "server">,
  env: Env,
  checks: AddressChecks,
): Hook[] {
  const host = server.names[0] ?? (server.host.includes(":") ? `[${server.host}]` : server.host);
  const base = (server.url ?? `http://${host}:${server.port}`).replace(/\/$/, "");
  const variable = (name: string | undefined): string | undefined =>
    name === undefined ? undefined : env[name]?.trim() || undefined;
  return Object.entries(webhooks).map(([name, hook]) => {
    const address = hook.url ?? variable(hook.urlEnv);
    const url = address === undefined ? undefined : (URL.parse(address) ?? undefined);
    const missing = [hook.urlEnv, hook.secretEnv, hook.tokenEnv].find(
      (name) => name !== undefined && variable(name) === undefined,
    );
    return {
      name,
      form: hook.form,
      events: hook.events,
      secret: variable(hook.secretEnv),
      token: variable(hook.tokenEnv),
      base,
      url,
      problem: missing === undefined ? urlProblem(url, hook.private) : `${missing} is not set`,
      judge: addressJudge(hook.private, checks),
    };
  });
}

/** Checks the URL's scheme again, because a URL from an environment variable was not checked when the configuration was read. */
function urlProblem(url: URL | undefined, isPrivate: boolean): string | undefined {
  if (url?.protocol === "https:" || (isPrivate && url?.protocol === "http:")) return undefined;
  return "its address must be https, or `private: true` must be set for it";
}

function addressJudge(isPrivate: boolean, { isPublic, isIntranet }: AddressChecks): Hook["judge"] {
  return (address) => {
    if (isPublic(address) || (isPrivate && isIntranet(address))) return undefined;
    return isPrivate
      ? `webhooks may not reach ${address}`
      : `${address} is a private address: set \`private: true\` for this webhook if you mean it`;
  };
}
