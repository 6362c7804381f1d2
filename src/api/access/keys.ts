// What opens the door: the token, which a person or a script holds; a browser's cookie, which is made from it; and
// one-time links, by which a browser gets its cookie.
//  G4  A new token closes the door to everything that the old one opened, at once: cookies are bound to it (A09).
//  G5  A link works once, and for a few minutes.

import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const LINK_MS = 10 * 60_000;

export interface AccessKeys {
  isToken(text: string): boolean;
  isCookie(text: string): boolean;
  newCookie(): string;
  /** `user`: for a browser of theirs; otherwise of whoever holds the token. */
  newLink(user?: string): { ticket: string; expiresAt: number };
  /** For whom the ticket was good, if it was; it no longer is. */
  redeemTicket(ticket: string): { user: string | undefined } | undefined;
  /** From now on only this token counts. */
  replaceToken(token: string): void;
}

export function createAccessKeys(first: string, now: () => number = Date.now): AccessKeys {
  let token = first;
  const links = new Map<string, { expiresAt: number; user: string | undefined }>();
  const seal = (id: string): string =>
    createHmac("sha256", token).update(`browser ${id}`).digest("base64url");
  return {
    isToken: (text) => isSame(text, token),
    isCookie(text) {
      const [id = "", mac = ""] = text.split(".");
      return isSame(mac, seal(id));
    },
    newCookie() {
      const id = randomBytes(12).toString("base64url");
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

/** Takes the same time wherever the two differ: what it takes tells nobody how much was right. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
