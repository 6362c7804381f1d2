// Authenticates requests to the public server before any route handles them. A request must meet these conditions:
//  G1  The Host header is a name of this server. Any other name that resolves to this machine is a DNS rebinding attack (A03).
//  G2  The sender is not a page of another origin (A01, A02, A05, A07).
//  G3  The headers contain the token, a named user's key, or a cookie with its page key (G11). Only the files of the page need no page key.
//      A key in the URL is ignored, because URLs are logged and passed on (A04, A08).
//      Headers that claim a role (A09) and proxy headers (A12) are ignored.

import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { CadreError, toCadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { type AccessKeys, COOKIE_MS, isPageKey, newKey } from "../access/keys.ts";
import type { UserConnections } from "../access/user-connections.ts";
import { MOST_PAGE_KEYS, PAGE_KEY_HEADER } from "../client/page-key.ts";
import { HttpError, statusOf } from "./http-errors.ts";

export interface DoorOptions {
  keys: AccessKeys;
  visitors: UserConnections;
  /** Host names of this server, apart from the loopback names. */
  names: readonly string[];
  /** True if other machines can reach the server. In that case any IP address is accepted as Host. */
  exposed: boolean;
  onRefused?: ((refusal: Refusal) => void) | undefined;
  /** Name of the cookie. It is unique for each store, because cookies ignore the port and another Cadre might run on this machine. */
  cookie: string;
  /** True if the path leads only to a file of the page, which is the same for every user. */
  isPageFile(path: string): boolean;
}

/** A rejected request, for the server's log. The query is left out because it might contain secrets (A08). */
export interface Refusal {
  status: number;
  method: string;
  path: string;
  host?: string;
  origin?: string;
  /** IP address of the sender, or of a proxy between the sender and this server. */
  address?: string;
}

/** Paths that require no key: the health check, one-time links, and hooks, whose messages carry a proof of their own (TR6). */
const OPEN_PATHS = /^\/(healthz|open\.js|open\/[\w-]+|hooks\/[\w-]{1,40})$/;
const HOOK = /^\/hooks\//;
/** The page shows attached files by their address. It contains the hash of the file, which no other server knows. */
const ATTACHMENT = /^\/api\/runs\/[\w-]+\/attachments\/f[0-9a-f]{64}$/;
const COOKIE_SECONDS = COOKIE_MS / 1_000;

export function door(options: DoorOptions): MiddlewareHandler {
  return async (c, next) => {
    try {
      const host = hostOf(c, options);
      refuseForeignPages(c, host);
      if (!OPEN_PATHS.test(c.req.path) && !(await isKnown(c, options))) throw missingKey();
    } catch (error) {
      options.onRefused?.(refusalOf(c, error));
      throw error;
    }
    await next();
    if (HOOK.test(c.req.path) && c.res.status >= 400)
      options.onRefused?.({ ...refusalOf(c, undefined), status: c.res.status });
  };
}

/** Shows the page of a one-time link. Its script redeems the link, so a preview or a scanner that fetches the address does not use it up (A19). */
export function showLink({ keys, onRefused }: Pick<DoorOptions, "keys" | "onRefused">) {
  return (c: Context): Response => {
    if (!keys.hasTicket(c.req.param("ticket") ?? "")) throw usedLink(c, onRefused);
    c.header("Cache-Control", "no-store");
    return c.html(
      '<!doctype html><title>Cadre</title><p>Cadre opens here. It needs JavaScript.</p><script src="/open.js"></script>',
    ) as Response;
  };
}

/** Redeems a one-time link: gives the browser its cookie, and the page its key (G11). */
export function redeemLink({ keys, visitors, cookie, onRefused }: RedeemOptions) {
  return async (c: Context): Promise<Response> => {
    const link = keys.redeemTicket(c.req.param("ticket") ?? "");
    const pageKey = newKey();
    const value =
      link?.user === undefined
        ? link && keys.newCookie(pageKey)
        : await visitors.addBrowser(link.user, pageKey);
    if (value === undefined) throw usedLink(c, onRefused);
    giveCookie(c, cookie, value);
    c.header("Cache-Control", "no-store");
    return c.json({ pageKey });
  };
}

type RedeemOptions = Pick<DoorOptions, "keys" | "visitors" | "cookie" | "onRefused">;

function usedLink(c: Context, onRefused: DoorOptions["onRefused"]): HttpError {
  const refusal = new HttpError(
    410,
    "This link was used already or is too old: `cadre up` prints a new one, and so does `cadre users link` for a user.",
  );
  onRefused?.({ ...refusalOf(c, refusal), path: "/open/…" });
  return refusal;
}

/** Wraps the route that renews the token. The browser that sent the request gets a new cookie. All other browsers are signed out. */
export function renewCookie(options: Pick<DoorOptions, "keys" | "cookie">): MiddlewareHandler {
  return async (c, next) => {
    const old = c.req.header("Authorization") ? undefined : getCookie(c, options.cookie);
    await next();
    // A named user's cookie does not depend on the token, so it is not replaced.
    if (old !== undefined && c.res.ok && !c.get("person"))
      giveCookie(c, options.cookie, options.keys.renewCookie(old));
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
  const isOurs = LOOPBACK.has(name) || names.includes(name) || (exposed && isIP(address) > 0 && host !== "");
  if (!isOurs || /[\s/@?#\\]/.test(host)) {
    throw new HttpError(
      421,
      "This server does not have that name: use the address that `cadre up` prints. Nothing was done.",
    );
  }
  return host;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

function refuseForeignPages(c: Context, host: string): void {
  const origin = c.req.header("Origin");
  const isForeign = origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`;
  const site = c.req.header("Sec-Fetch-Site") ?? "none";
  // A person can follow a link from another page. The browser sends no `SameSite=Strict` cookie then, so the request gets no access.
  const followsLink = c.req.method === "GET" && c.req.header("Sec-Fetch-Mode") === "navigate";
  if (isForeign || (site !== "none" && site !== "same-origin" && !followsLink)) {
    throw new CadreError("FORBIDDEN", "Another page may not use this server. Nothing was done.");
  }
}

async function isKnown(c: Context, options: DoorOptions): Promise<boolean> {
  const header = c.req.header("Authorization");
  if (header === undefined) return isKnownBrowser(c, options);
  if (!header.startsWith("Bearer ")) return false;
  const key = header.slice(7).trim();
  if (options.keys.isToken(key)) return true;
  const person = await options.visitors.admit(key, socketOf(c));
  c.set("person", person);
  return person !== undefined;
}

async function isKnownBrowser(c: Context, options: DoorOptions): Promise<boolean> {
  const { keys, visitors, cookie } = options;
  const value = getCookie(c, cookie) ?? "";
  if (!hasPageKey(c, value, options)) return false;
  if (keys.isCookie(value)) {
    if (keys.isAgedCookie(value)) giveCookie(c, cookie, keys.renewCookie(value));
    return true;
  }
  const person = await visitors.admitBrowser(value, socketOf(c));
  c.set("person", person);
  return person !== undefined;
}

/** Another server on this machine can get the cookie, but not the page key (G11). A page can have keys of several servers, one after another. */
function hasPageKey(c: Context, cookie: string, { isPageFile }: DoorOptions): boolean {
  const { method, path } = c.req;
  if ((method === "GET" || method === "HEAD") && (isPageFile(path) || ATTACHMENT.test(path))) return true;
  const given = c.req.header(PAGE_KEY_HEADER)?.split(",", MOST_PAGE_KEYS) ?? [];
  return given.some((key) => isPageKey(cookie, key.trim()));
}

const socketOf = (c: Context): IncomingMessage["socket"] | undefined =>
  (c.env as { incoming?: IncomingMessage } | undefined)?.incoming?.socket;

/** Maximum length of a rejected request's path and headers in the log. */
const LONGEST = 200;

function refusalOf(c: Context, error: unknown): Refusal {
  return {
    status: statusOf(toCadreError(error)),
    method: c.req.method,
    path: c.req.path.slice(0, LONGEST),
    ...omitUndefined({
      host: c.req.header("Host")?.slice(0, LONGEST),
      origin: c.req.header("Origin")?.slice(0, LONGEST),
      address: socketOf(c)?.remoteAddress,
    }),
  };
}

const missingKey = (): CadreError =>
  new CadreError(
    "UNAUTHORIZED",
    "This needs a token: send `Authorization: Bearer …` with the token in `.cadre/token` or your own, or open the link that `cadre up` prints.",
  );
