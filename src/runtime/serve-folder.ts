// Serves the API of a program that embeds Cadre: to the commands of its folder, and to the program's own server.
// The library loads this file only when it is needed.

import { createApp } from "../api/server/app.ts";
import { serveOnSocket } from "../api/server/socket.ts";
import { createSocketKey } from "../config/socket-key.ts";
import { CadreError } from "../errors.ts";
import { apiParts } from "./api-parts.ts";
import type { RuntimeAssembly } from "./assembly.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** @internal */
export const serveFolder = (
  assembly: RuntimeAssembly,
  socket: string,
  env: Env,
): Promise<{ close(): Promise<void> }> =>
  serveOnSocket(createApp(apiParts(assembly, true, env)), socket, createSocketKey(socket, env));

export interface HandlerOptions {
  /** Returns the name of the person who sent the request, or undefined if the request is refused. The name is recorded with decisions. */
  authorize(request: Request): string | undefined | Promise<string | undefined>;
  /** The path under which the program serves the API, such as `/cadre`. Default: none. */
  basePath?: string | undefined;
}

/**
 * A web-standard handler for the whole API. Everyone whom `authorize` lets in may do everything that the API offers.
 * @internal
 */
export function createHandler(
  assembly: RuntimeAssembly,
  drives: boolean,
  env: Env,
  { authorize, basePath = "" }: HandlerOptions,
): (request: Request) => Promise<Response> {
  const people = new WeakMap<Request, string>();
  const who = (request: Request): string => {
    const name = people.get(request);
    if (name === undefined)
      throw new CadreError("UNAUTHORIZED", "This request was not authorized. Nothing was done.");
    return name;
  };
  const app = createApp({ ...apiParts(assembly, drives, env), who });
  return async (request) => {
    if (isForeignPage(request))
      return refused(403, "FORBIDDEN", "Another site's page may not use this server. Nothing was done.");
    const name = await authorize(request);
    if (name === undefined || name === "")
      return refused(401, "UNAUTHORIZED", "Sign in first. Nothing was done.");
    const url = new URL(request.url);
    if (!url.pathname.startsWith(`${basePath}/`))
      return refused(404, "NOT_FOUND", `The API is below ${basePath}/.`);
    url.pathname = url.pathname.slice(basePath.length);
    const inner = new Request(url, request);
    people.set(inner, name);
    return app.fetch(inner);
  };
}

/**
 * True if a page of another site sends a request that could change something, and the browser adds the person's cookie to it (A77).
 * A request with an Authorization header is harmless: a page of another site does not know what to write into the header.
 */
function isForeignPage({ method, headers }: Request): boolean {
  if (method === "GET" || method === "HEAD" || headers.has("authorization")) return false;
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "cross-site";
  const origin = headers.get("origin");
  const host = headers.get("host");
  return origin !== null && host !== null && URL.parse(origin)?.host !== host;
}

const refused = (status: number, code: string, message: string): Response =>
  Response.json({ error: { code, message } }, { status });
