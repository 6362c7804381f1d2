// The keys of the public server: a token, cookies derived from the token, and one-time links that sign in a browser.
//  G4  When a new token is set, the cookies and links of the old token stop working immediately (A09).
//      A cookie works for a week. A browser that comes back gets a new one, until 30 days after it signed in (A92).
//  G11 A browser sends a cookie to every port of a host, so another server on this machine can get it. A cookie therefore works only together
//      with its page key, which the page keeps in the storage of its own origin. The cookie contains the hash of the page key (A92).
//  G5  A sign-in link works once and expires after a few minutes.

import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const LINK_MS = 10 * 60_000;
const DAY = 24 * 3_600_000;
export const COOKIE_MS = 7 * DAY;
export const SIGNED_IN_MS = 30 * DAY;

export interface AccessKeys {
  isToken(text: string): boolean;
  isCookie(text: string): boolean;
  /** True for a valid cookie that is due to be replaced. */
  isAgedCookie(text: string): boolean;
  newCookie(pageKey: string): string;
  /** Replaces a valid cookie. The new one keeps the page key and the time of the sign-in. */
  renewCookie(old: string): string;
  /** Makes a link that signs in one browser as the named user. If `user` is absent, the browser gets the token holder's access. */
  newLink(user?: string): { ticket: string; expiresAt: number };
  hasTicket(ticket: string): boolean;
  /** Uses up the ticket of a sign-in link. Returns the link's user, or undefined if the ticket is not valid. */
  redeemTicket(ticket: string): { user: string | undefined } | undefined;
  /** Sets a new token. The old token stops working. */
  replaceToken(token: string): void;
}

export function createAccessKeys(first: string, now: () => number = () => Date.now()): AccessKeys {
  let token = first;
  const links = new Map<string, { expiresAt: number; user: string | undefined }>();
  const seal = (id: string): string =>
    createHmac("sha256", token).update(`browser ${id}`).digest("base64url");
  /** The age of a cookie. Undefined if this token has not made it. */
  const ageOf = (text: string): number | undefined => {
    const [id = "", mac = ""] = text.split(".");
    if (!isSame(mac, seal(id))) return undefined;
    const age = now() - timeIn(id, 1);
    return age <= COOKIE_MS && now() - timeIn(id, 0) <= SIGNED_IN_MS ? age : undefined;
  };
  const cookieFor = (signedIn: number, pageHash: string): string => {
    const random = randomBytes(12).toString("base64url");
    const id = `${signedIn.toString(36)}-${now().toString(36)}-${random}-${pageHash}`;
    return `${id}.${seal(id)}`;
  };
  const isOpen = (ticket: string): boolean => (links.get(ticket)?.expiresAt ?? 0) >= now();
  return {
    isToken: (text) => isSame(text, token),
    isCookie: (text) => ageOf(text) !== undefined,
    isAgedCookie: (text) => (ageOf(text) ?? 0) > DAY,
    newCookie: (pageKey) => cookieFor(now(), hashKey(pageKey)),
    renewCookie: (old) => cookieFor(timeIn(old, 0), pageHashOf(old)),
    newLink(user) {
      for (const [ticket, { expiresAt }] of links) if (expiresAt < now()) links.delete(ticket);
      const ticket = randomBytes(24).toString("base64url");
      const expiresAt = now() + LINK_MS;
      links.set(ticket, { expiresAt, user });
      return { ticket, expiresAt };
    },
    hasTicket: isOpen,
    redeemTicket(ticket) {
      const found = isOpen(ticket) ? { user: links.get(ticket)?.user } : undefined;
      links.delete(ticket);
      return found;
    },
    replaceToken(next) {
      token = next;
      links.clear();
    },
  };
}

/** Makes the value of a token, a page key or a user's cookie. The value is random, so its hash needs no salt. */
export const newKey = (): string => randomBytes(32).toString("base64url");
export const hashKey = (key: string): string => createHash("sha256").update(key).digest("hex");

/** Whether this is the page key of the cookie. */
export const isPageKey = (cookie: string, given: string): boolean =>
  isSame(hashKey(given), pageHashOf(cookie));

/** The hash of the page key is the last part of a cookie's id. */
const pageHashOf = (cookie: string): string => {
  const [id = ""] = cookie.split(".");
  return id.slice(id.lastIndexOf("-") + 1);
};

/** The id of a cookie begins with the time of the sign-in and the time at which the cookie was made. */
const timeIn = (id: string, at: 0 | 1): number => Number.parseInt(id.split("-")[at] ?? "", 36);

/** Compares two secrets in constant time, so that an attacker learns nothing from the duration. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
