// The locked door of the public server. Every request passes here before a route looks at it, whatever its path is.
//  G1  Its Host is a name of ours: a foreign name that leads to this machine is somebody else's page (A03).
//  G2  No other origin's page sent it (A01, A02, A05, A07).
//  G3  It carries the token or a cookie made from it, or a named user's own; never in its address, which is logged and
//      passed on (A04, A08). What it says about its role counts for nothing (A09).
// What a proxy says about who asks counts for nothing (A12).

import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { CadreError, toCadreError } from "../../errors.ts";
import type { AccessKeys } from "../access/keys.ts";
import type { UserConnections } from "../access/user-connections.ts";
import { HttpError, statusOf } from "./http-errors.ts";

export interface DoorOptions {
  keys: AccessKeys;
  visitors: UserConnections;
  /** Names beside those of the loopback that this server is reached by. */
  names: readonly string[];
  /** Served beyond the loopback: then an address in place of a name is one of ours as well. */
  exposed: boolean;
  /** Told of everything that the door keeps out. */
  onRefused?: ((refusal: Refusal) => void) | undefined;
  /** Of this store alone: cookies do not keep to a port, and another Cadre may run beside this one. */
  cookie: string;
}

/** As whoever runs the server may see it: without a query, which may hold anything (A08). */
export interface Refusal {
  status: number;
  method: string;
  path: string;
  host?: string;
  origin?: string;
  /** Who is on the other end of the connection: a proxy, perhaps. */
  address?: string;
}

/** Open to everybody: whether somebody is here, and the way in. */
const OPEN_PATHS = /^\/(healthz|open\/[\w-]+)$/;
const COOKIE_SECONDS = 365 * 24 * 3600;

export function door(options: DoorOptions): MiddlewareHandler {
  return async (c, next) => {
    try {
      const host = hostOf(c, options);
      refuseForeignPages(c, host);
      if (!OPEN_PATHS.test(c.req.path) && !(await isKnown(c, options))) throw unknown();
    } catch (error) {
      options.onRefused?.(refusalOf(c, error));
      throw error;
    }
    await next();
  };
}

/** Behind a one-time link: the browser gets its cookie, and goes on to the page by itself. */
export function redeemLink({ keys, visitors, cookie, onRefused }: LetInOptions) {
  return async (c: Context): Promise<Response> => {
    if (c.req.method === "HEAD") return c.body(null);
    const link = keys.redeemTicket(c.req.param("ticket") ?? "");
    const value = link?.user === undefined ? link && keys.newCookie() : await visitors.addBrowser(link.user);
    if (value === undefined) {
      const refusal = new HttpError(
        410,
        "This link was used already or is too old: `cadre up` prints a new one, and so does `cadre users link` for a user.",
      );
      onRefused?.({ ...refusalOf(c, refusal), path: "/open/…" });
      throw refusal;
    }
    giveCookie(c, cookie, value);
    // A redirect would still count as the page's that the link stood on, and a strict cookie would stay behind.
    return c.html(
      '<!doctype html><meta http-equiv="refresh" content="0;url=/"><title>Cadre</title>',
    ) as Response;
  };
}

type LetInOptions = Pick<DoorOptions, "keys" | "visitors" | "cookie" | "onRefused">;

/** Around what changes the token: the browser that asked for it is let in by the new one, the others are not. */
export function renewCookie(options: Pick<DoorOptions, "keys" | "cookie">): MiddlewareHandler {
  return async (c, next) => {
    const isBrowser = getCookie(c, options.cookie) !== undefined && !c.req.header("Authorization");
    await next();
    // A named user's cookie is not made from the token.
    if (isBrowser && c.res.ok && !c.get("person")) giveCookie(c, options.cookie, options.keys.newCookie());
  };
}

function giveCookie(c: Context, cookie: string, value: string): void {
  setCookie(c, cookie, value, {
    httpOnly: true,
    sameSite: "Strict",
    path: "/",
    maxAge: COOKIE_SECONDS,
  });
}

function hostOf(c: Context, { names, exposed }: DoorOptions): string {
  const host = c.req.header("Host") ?? "";
  const name = URL.parse(`http://${host}`)?.hostname.toLowerCase() ?? "";
  const address = name.replace(/^\[|\]$/g, "");
  const ours = LOOPBACK.has(name) || names.includes(name) || (exposed && isIP(address) > 0 && host !== "");
  if (!ours || /[\s/@?#\\]/.test(host)) {
    throw new HttpError(
      421,
      "This server is not reached by that name: use the address that `cadre up` prints. Nothing was done.",
    );
  }
  return host;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

function refuseForeignPages(c: Context, host: string): void {
  const origin = c.req.header("Origin");
  const foreign = origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`;
  const site = c.req.header("Sec-Fetch-Site") ?? "none";
  // Following a link is no page's doing: a strict cookie does not come with it, so it opens nothing by itself.
  const follows = c.req.method === "GET" && c.req.header("Sec-Fetch-Mode") === "navigate";
  if (foreign || (site !== "none" && site !== "same-origin" && !follows)) {
    throw new CadreError("FORBIDDEN", "Another page may not use this server. Nothing was done.");
  }
}

async function isKnown(c: Context, { keys, visitors, cookie }: DoorOptions): Promise<boolean> {
  const header = c.req.header("Authorization");
  if (header !== undefined && !header.startsWith("Bearer ")) return false;
  const key = header === undefined ? (getCookie(c, cookie) ?? "") : header.slice(7).trim();
  if (header === undefined ? keys.isCookie(key) : keys.isToken(key)) return true;
  const person = await visitors.admit(key, socketOf(c));
  c.set("person", person);
  return person !== undefined;
}

const socketOf = (c: Context): IncomingMessage["socket"] | undefined =>
  (c.env as { incoming?: IncomingMessage } | undefined)?.incoming?.socket;

/** More than this nobody needs to know of a request that was not let in. */
const LONGEST = 200;

function refusalOf(c: Context, error: unknown): Refusal {
  const [host, origin] = [c.req.header("Host"), c.req.header("Origin")];
  const address = socketOf(c)?.remoteAddress;
  return {
    status: statusOf(toCadreError(error)),
    method: c.req.method,
    path: c.req.path.slice(0, LONGEST),
    ...(host === undefined ? {} : { host: host.slice(0, LONGEST) }),
    ...(origin === undefined ? {} : { origin: origin.slice(0, LONGEST) }),
    ...(address === undefined ? {} : { address }),
  };
}

const unknown = (): CadreError =>
  new CadreError(
    "UNAUTHORIZED",
    "This needs the token: send `Authorization: Bearer …` with what `.cadre/token` holds or with your own, or open the link that `cadre up` prints.",
  );
