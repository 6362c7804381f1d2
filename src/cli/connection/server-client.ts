// API clients that authenticate with a token, such as a client of this folder's `cadre up`.
// On Postgres, commands open the database themselves. They need the server only to make links and to report its health.

import { setTimeout as pause } from "node:timers/promises";
import { readToken } from "../../api/access/token.ts";
import { type CadreClient, createClient, isUnreachable } from "../../api/client/client.ts";
import type { Health } from "../../api/client/types.ts";
import type { Config } from "../../config/config.ts";
import { CadreError } from "../../errors.ts";
import type { Io } from "../invocation.ts";

/** Creates a client that follows no redirects, so that the token is sent only to this address. */
export const clientWithToken = (baseUrl: string, token: string): CadreClient =>
  createClient({
    baseUrl,
    fetch(url, init) {
      const headers = new Headers(init?.headers);
      headers.set("Authorization", `Bearer ${token}`);
      return fetch(url, { ...init, headers, redirect: "error" });
    },
  });

/** If the server listens on all addresses, commands use its loopback address. */
const EVERYWHERE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

export async function withServerClient<T>(
  { server: { host, port }, dir }: Config,
  { env }: Pick<Io, "env">,
  use: (client: CadreClient) => Promise<T>,
): Promise<T> {
  const near = EVERYWHERE[host] ?? host;
  const place = `${near.includes(":") ? `[${near}]` : near}:${port}`;
  const token = env["CADRE_TOKEN"] || readToken(dir);
  const nobody = `No \`cadre up\` answers at ${place} with the token known here: ask for a link where it runs, or in its Settings. Nothing was changed.`;
  if (token === undefined) throw new CadreError("CONFLICT", nobody);
  try {
    return await use(clientWithToken(`http://${place}`, token));
  } catch (error) {
    if (isUnreachable(error) || (error instanceof CadreError && error.code === "UNAUTHORIZED"))
      throw new CadreError("CONFLICT", nobody);
    throw error;
  }
}

const ANSWER_MS = 2_000;

/** Asks this folder's `cadre up` for its health. Returns undefined if no server answers or the server uses another store. */
export async function serverHealth(
  storeId: string,
  config: Config,
  io: Pick<Io, "env">,
): Promise<Health | undefined> {
  const asked = withServerClient(config, io, (client) => client.get("/api/health")).catch(() => undefined);
  const health = await Promise.race([asked, pause(ANSWER_MS, undefined, { ref: false })]);
  return health?.storeId === storeId ? health : undefined;
}
