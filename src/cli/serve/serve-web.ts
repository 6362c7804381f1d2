// Serves the web page and the API of a store on a port.

import { MIN_TOKEN, readOrCreateToken, renewToken } from "../../api/access/token.ts";
import type { ApiParts } from "../../api/parts.ts";
import {
  BUILT_PAGE,
  isLoopback,
  type PublicOptions,
  type PublicServer,
  startPublicServer,
} from "../../api/server/public-server.ts";
import type { Config } from "../../config/config.ts";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { usageError } from "../invocation.ts";

export interface ServeWith {
  /** The token from the environment variable CADRE_TOKEN. */
  set: string | undefined;
  onRefused: PublicOptions["onRefused"];
  port: number;
}

export async function serveWeb(
  parts: ApiParts,
  config: Config,
  { set, onRefused, port }: ServeWith,
): Promise<PublicServer> {
  refuseExposed(config.server.host, set);
  const token = set ?? readOrCreateToken(config.dir);
  // The token might be new, so it is masked from now on like other secrets.
  parts.people.mask.refresh();
  const server = await startPublicServer(parts, {
    ...config.server,
    port,
    token,
    sees: config.users?.see,
    page: BUILT_PAGE,
    ...omitUndefined({ onRefused }),
  });
  parts.web.served = {
    newLink: server.newLink,
    renewToken() {
      if (set !== undefined)
        throw new CadreError("CONFLICT", "The token is set by CADRE_TOKEN: change it there, and restart.");
      server.replaceToken(renewToken(config.dir));
      parts.people.mask.refresh();
    },
  };
  return server;
}

/** A06: refuses to listen for other machines unless the person has set CADRE_TOKEN to a long token. */
function refuseExposed(host: string, set: string | undefined): void {
  if (set !== undefined && set.length < MIN_TOKEN)
    throw usageError(`CADRE_TOKEN must have at least ${MIN_TOKEN} characters. Nothing was started.`);
  if (isLoopback(host) || set !== undefined) return;
  throw usageError(
    `${host} can be reached from other machines: set CADRE_TOKEN to a secret of at least ${MIN_TOKEN} characters, or leave out --host. Nothing was started.`,
  );
}
