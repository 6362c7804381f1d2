// The project's webhooks with what their variables hold. A folder that is not trusted has none.

import type { Config } from "../config/config.ts";
import type { Env } from "../config/trust.ts";
import type { Hook } from "./deliver.ts";

export interface AddressChecks {
  isPublic(address: string): boolean;
  /** Of this machine or its network, and of no cloud's own. */
  mayBeNamed(address: string): boolean;
}

export function configuredHooks(
  { webhooks = {}, server }: Pick<Config, "webhooks" | "server">,
  env: Env,
  reach: AddressChecks,
): Hook[] {
  const host = server.names[0] ?? (server.host.includes(":") ? `[${server.host}]` : server.host);
  const base = (server.url ?? `http://${host}:${server.port}`).replace(/\/$/, "");
  const held = (name: string | undefined): string | undefined =>
    name === undefined ? undefined : env[name]?.trim() || undefined;
  return Object.entries(webhooks).map(([name, hook]) => {
    const address = hook.url ?? held(hook.urlEnv);
    const url = address === undefined ? undefined : (URL.parse(address) ?? undefined);
    const missing = [hook.urlEnv, hook.secretEnv, hook.tokenEnv].find(
      (variable) => variable !== undefined && held(variable) === undefined,
    );
    return {
      name,
      form: hook.form,
      events: hook.events,
      secret: held(hook.secretEnv),
      token: held(hook.tokenEnv),
      base,
      url,
      problem: missing === undefined ? urlProblem(url, hook.private) : `${missing} is not set`,
      judge: judgeOf(hook.private, reach),
    };
  });
}

/** One that stands in a variable was not looked at with the file. */
function urlProblem(url: URL | undefined, isPrivate: boolean): string | undefined {
  if (url?.protocol === "https:" || (isPrivate && url?.protocol === "http:")) return undefined;
  return "its address must be https, or `private: true` must be set for it";
}

function judgeOf(isPrivate: boolean, { isPublic, mayBeNamed }: AddressChecks): Hook["judge"] {
  return (address) => {
    if (isPublic(address) || (isPrivate && mayBeNamed(address))) return undefined;
    return isPrivate
      ? `${address} is nothing that a webhook may reach`
      : `${address} is a private address: set \`private: true\` for this webhook if it is meant`;
  };
}
