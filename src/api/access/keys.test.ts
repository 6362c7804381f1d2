import { describe, expect, test } from "vitest";
import { COOKIE_MS, createAccessKeys } from "./keys.ts";

const DAY = 24 * 3_600_000;

describe("[A92] [30.12] the cookie of a browser", () => {
  let now = 1_800_000_000_000;
  const keys = createAccessKeys("a-token", () => now);

  test("is valid for a week, and is replaced by a new one after a day", () => {
    const cookie = keys.newCookie("k");
    expect([keys.isCookie(cookie), keys.isAgedCookie(cookie)]).toEqual([true, false]);
    now += DAY + 1;
    expect([keys.isCookie(cookie), keys.isAgedCookie(cookie)]).toEqual([true, true]);
    const next = keys.newCookie("k");
    now += COOKIE_MS - DAY;
    expect([keys.isCookie(cookie), keys.isAgedCookie(cookie)]).toEqual([false, false]);
    expect(keys.isCookie(next)).toBe(true);
  });

  test("is no longer replaced 30 days after the sign-in, so the user must sign in again", () => {
    let cookie = keys.newCookie("k");
    for (let day = 0; day < 30; day += 6) {
      now += 6 * DAY;
      expect(keys.isAgedCookie(cookie)).toBe(true);
      cookie = keys.renewCookie(cookie);
    }
    now += DAY;
    expect(keys.isCookie(cookie)).toBe(false);
  });

  test.each<[string, (cookie: string) => string]>([
    ["a later time", (cookie) => cookie.replace(/-[^-]*/, `-${(now + 9 * DAY).toString(36)}`)],
    ["no time", (cookie) => cookie.replace(/^[^-]*-/, "")],
    ["a time that is no number", (cookie) => cookie.replace(/^[^-]*/, "!")],
    ["another id", (cookie) => cookie.replace("-", "-x")],
    ["no seal", (cookie) => cookie.replace(/\..*$/, "")],
    ["an empty seal", () => "."],
    ["the seal of another token", () => createAccessKeys("other", () => now).newCookie("k")],
  ])("with %s is refused", (_, forge) => {
    const forged = forge(keys.newCookie("k"));
    expect([keys.isCookie(forged), keys.isAgedCookie(forged)]).toEqual([false, false]);
  });

  test("becomes invalid when the token changes", () => {
    const cookie = keys.newCookie("k");
    keys.replaceToken("next");
    expect(keys.isCookie(cookie)).toBe(false);
  });
});
