// The keys of the public server: a token, cookies derived from the token, and one-time links that sign in a browser.
//  G4  When a new token is set, the cookies and links of the old token stop working immediately (A09).
//      A cookie works for a week. A browser that comes back gets a new one, until 30 days after it signed in (A92).
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
  /** `old` is a valid cookie that the new one replaces: it keeps the time of the sign-in. */
  newCookie(old?: string): string;
  /** Makes a link that signs in one browser as the named user. If `user` is absent, the browser gets the token holder's access. */
  newLink(user?: string): { ticket: string; expiresAt: number };
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
  return {
    isToken: (text) => isSame(text, token),
    isCookie: (text) => ageOf(text) !== undefined,
    isAgedCookie: (text) => (ageOf(text) ?? 0) > DAY,
    newCookie(old) {
      const signedIn = old === undefined ? now() : timeIn(old, 0);
      const id = `${signedIn.toString(36)}-${now().toString(36)}-${randomBytes(12).toString("base64url")}`;
      return `${id}.${seal(id)}`;
    },
    newLink(user) {
      for (const [ticket, { expiresAt }] of links) if (expiresAt < now()) links.delete(ticket);
      const ticket = randomBytes(24).toString("base64url");
      const expiresAt = now() + LINK_MS;
      links.set(ticket, { expiresAt, user });
      return { ticket, expiresAt };
    },
    redeemTicket(ticket) {
      const link = links.get(ticket);
      links.delete(ticket);
      return link !== undefined && link.expiresAt >= now() ? { user: link.user } : undefined;
    },
    replaceToken(next) {
      token = next;
      links.clear();
    },
  };
}

/** The id of a cookie begins with the time of the sign-in and the time at which the cookie was made. */
const timeIn = (id: string, at: 0 | 1): number => Number.parseInt(id.split("-")[at] ?? "", 36);

/** Compares two secrets in constant time, so that an attacker learns nothing from the duration. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
