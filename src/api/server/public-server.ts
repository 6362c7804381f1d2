// Serves the API and the web page on a port, with access checks.
// By default the server listens only on the loopback. To be reachable from other machines, it needs an explicitly set token (A06).

import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Hono, type MiddlewareHandler } from "hono";
import { NONCE, secureHeaders } from "hono/secure-headers";
import { CadreError } from "../../errors.ts";
import { type AccessKeys, createAccessKeys } from "../access/keys.ts";
import {
  createUserConnections,
  type UserConnections,
  type UserConnectionsOptions,
} from "../access/user-connections.ts";
import { OPEN_SCRIPT } from "../client/page-key.ts";
import type { ApiParts } from "../parts.ts";
import type { LinkView } from "../routes/schemas.ts";
import { addErrorHandlers, createApp } from "./app.ts";
import { compressJson } from "./compressed-file.ts";
import { door, type Refusal, redeemLink, renewCookie, showLink } from "./door.ts";
import { createHttpServer, type Served } from "./http-server.ts";
import { createLivenessCheck } from "./liveness.ts";
import { isPagePath, pageFiles, servePageFiles } from "./page-files.ts";
import { createRefusalPage, type SignInHint } from "./refusal-page.ts";

/** The folder where `npm run build` puts the web page. */
export const BUILT_PAGE = fileURLToPath(new URL("../../../dashboard/dist", import.meta.url));

export interface PublicOptions {
  host: string;
  port: number;
  token: string;
  names: readonly string[];
  /** The runs that users without the role `admin` see (default: their own). */
  sees?: UserConnectionsOptions["sees"] | undefined;
  /** Folder with the built web page. */
  page: string;
  onRefused?: (refusal: Refusal) => void;
}

export interface PublicServer extends Served {
  /** URL of the server, such as `http://127.0.0.1:4470`. */
  url: string;
  /** Makes a link that signs in one browser as the named user. If `user` is absent, the browser gets the token holder's access. */
  newLink(user?: string): LinkView;
  /** Replaces the token. Closes all connections that used the old token, including streams. */
  replaceToken(token: string): void;
}

export async function startPublicServer(parts: ApiParts, options: PublicOptions): Promise<PublicServer> {
  const keys = createAccessKeys(options.token);
  const visitors = createUserConnections({
    users: parts.store.users,
    sees: options.sees ?? "own",
    cut: (sockets) => void cut(sockets),
    onProblem: parts.onProblem,
  });
  const { server, cut, close } = createHttpServer(createPublicApp(parts, { keys, visitors }, options));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(notListening(error, options)));
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const shown = options.host.includes(":") ? `[${options.host}]` : options.host;
  const url = `http://${shown}:${port}`;
  return {
    url,
    newLink(user) {
      const { ticket, expiresAt } = keys.newLink(user);
      return { url: `${url}/open/${ticket}`, expiresAt };
    },
    replaceToken(token) {
      keys.replaceToken(token);
      void cut();
    },
    close() {
      visitors.close();
      return close();
    },
  };
}

export function createPublicApp(
  parts: ApiParts,
  { keys, visitors }: { keys: AccessKeys; visitors: UserConnections },
  options: Omit<PublicOptions, "token">,
): Hono {
  const { host, names, page, onRefused } = options;
  const cookie = `cadre-${parts.store.id.slice(0, 8)}`;
  const app = new Hono();
  app.use(keepOwnPolicy(secureHeaders(HEADERS)));
  const files = pageFiles(page);
  const isPageFile = (path: string): boolean => files.has(path) || isPagePath(path) || isNowhere(path, app);
  app.use(door({ keys, visitors, names, exposed: !isLoopback(host), cookie, onRefused, isPageFile }));
  app.get("/open/:ticket", showLink({ keys, onRefused }));
  app.post("/open/:ticket", redeemLink({ keys, visitors, cookie, onRefused }));
  app.get("/open.js", (c) => c.body(OPEN_SCRIPT, 200, { "Content-Type": "text/javascript; charset=utf-8" }));
  app.use("/api/token", renewCookie({ keys, cookie }));
  const isWell = createLivenessCheck(parts);
  app.get("/healthz", async (c) =>
    (await isWell()) ? c.json({ status: "ok" }) : c.json({ status: "unwell" }, 503),
  );
  servePageFiles(app, page, files);
  app.use("/api/*", compressJson);
  app.route("/", createApp(parts, app));
  return addErrorHandlers(app, parts, createRefusalPage(wayIn(parts, host)));
}

/** True if no route begins like this path. A person who mistypes a page's address then reads that there is no such page. */
const isNowhere = (path: string, { routes }: Hono): boolean =>
  !routes.some((route) => route.path !== "/*" && route.path.split("/")[1] === path.split("/")[1]);

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);

/** Tells people how to sign in. The hint for other machines does not reveal folders of this machine. */
const wayIn = ({ info }: ApiParts, host: string): SignInHint =>
  isLoopback(host)
    ? { command: `${info.command} up`, where: "in a terminal" }
    : { command: "cadre up", where: "in the project's folder, on the machine that serves it" };

/** Forbids frames, referrers and content of other sites. Forbids inline code, except styles that our own script adds (A08, A62). */
const HEADERS: Parameters<typeof secureHeaders>[0] = {
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", NONCE],
    imgSrc: ["'self'", "data:"],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  referrerPolicy: "no-referrer",
  xFrameOptions: "DENY",
  crossOriginResourcePolicy: "same-origin",
  crossOriginOpenerPolicy: "same-origin",
  // On the loopback the server has no TLS, and HSTS would break every other server on `localhost`.
  strictTransportSecurity: false,
};

/** Keeps the policy of an answer that sets its own. Otherwise the headers that every answer gets would replace it. */
const keepOwnPolicy =
  (setHeaders: MiddlewareHandler): MiddlewareHandler =>
  async (c, next) => {
    let own: string | null = null;
    await setHeaders(c, async () => {
      await next();
      own = c.res.headers.get(POLICY);
    });
    if (own !== null) c.header(POLICY, own);
  };

const POLICY = "Content-Security-Policy";

function notListening(error: NodeJS.ErrnoException, { host, port }: PublicOptions): Error {
  const where = `${host}:${port}`;
  if (error.code === "EADDRINUSE")
    return new CadreError(
      "USAGE",
      `Something else listens on ${where} already: choose another port with --port.`,
    );
  if (error.code === "EACCES" || error.code === "EADDRNOTAVAIL")
    return new CadreError(
      "USAGE",
      `This machine does not let us listen on ${where} (${error.code}): choose another --host or --port.`,
    );
  return error;
}
