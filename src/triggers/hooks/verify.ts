// Checks that a message comes from the sender that it claims to come from. Every comparison takes the same time for right and wrong secrets.
//  TR6  A message without a valid proof changes nothing. A signed time must be within five minutes of ours.

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Proof } from "../../config/inbound-hook.ts";

export interface SignedMessage {
  /** The bytes as they were received, because the signature covers them. */
  body: Uint8Array;
  header(name: string): string | undefined;
}

/** `id` is set if the signature covers an id of the delivery. */
export type Verdict = { ok: true; id?: string } | { ok: false; why: string };

const WINDOW_SECONDS = 300;

/** `now` is in milliseconds. */
export function verifyMessage(proof: Proof, secret: string, message: SignedMessage, now: number): Verdict {
  return PROOFS[proof](secret, message, now);
}

const PROOFS: Record<Proof, (secret: string, message: SignedMessage, now: number) => Verdict> = {
  bearer(secret, { header }) {
    const given = /^Bearer (.+)$/.exec(header("authorization") ?? "")?.[1];
    return given !== undefined && isSame(given, secret) ? { ok: true } : refused("the bearer token is wrong");
  },
  /** Standard Webhooks: the signature covers the id, the time and the body. */
  standard(secret, message, now) {
    const id = message.header("webhook-id") ?? "";
    const time = message.header("webhook-timestamp") ?? "";
    const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
    const expected = hmac(key, [`${id}.${time}.`, message.body]).toString("base64");
    const given = (message.header("webhook-signature") ?? "").split(" ").slice(0, MOST_SIGNATURES);
    if (!given.some((each) => isSame(each, `v1,${expected}`))) return WRONG;
    return recent(time, now) ?? { ok: true, id };
  },
  hmac: (secret, { body, header }) =>
    isSame(header("x-signature-256") ?? "", `sha256=${hmac(secret, [body]).toString("hex")}`)
      ? { ok: true }
      : WRONG,
  github: (secret, { body, header }) =>
    isSame(header("x-hub-signature-256") ?? "", `sha256=${hmac(secret, [body]).toString("hex")}`)
      ? { ok: true }
      : WRONG,
  /** The time is optional in Grafana. If the sender signs it, the signature does not fit without it, so it cannot be removed. */
  grafana(secret, { body, header }, now) {
    const time = header("x-grafana-alerting-timestamp");
    const expected = hmac(secret, time === undefined ? [body] : [`${time}:`, body]).toString("hex");
    if (!isSame(header("x-grafana-alerting-signature") ?? "", expected)) return WRONG;
    return (time === undefined ? undefined : recent(time, now)) ?? { ok: true };
  },
  pagerduty(secret, { body, header }) {
    const expected = `v1=${hmac(secret, [body]).toString("hex")}`;
    const given = (header("x-pagerduty-signature") ?? "").split(",").slice(0, MOST_SIGNATURES);
    return given.some((each) => isSame(each.trim(), expected)) ? { ok: true } : WRONG;
  },
  slack(secret, { body, header }, now) {
    const time = header("x-slack-request-timestamp") ?? "";
    const expected = `v0=${hmac(secret, [`v0:${time}:`, body]).toString("hex")}`;
    if (!isSame(header("x-slack-signature") ?? "", expected)) return WRONG;
    return recent(time, now) ?? { ok: true };
  },
};

/** A sender that changes its secret signs with the old and the new one for a while. */
const MOST_SIGNATURES = 5;

const refused = (why: string): Verdict => ({ ok: false, why });
const WRONG = refused("the signature is wrong");

function recent(time: string, now: number): Verdict | undefined {
  const distance = /^\d{1,12}$/.test(time) ? Math.abs(now / 1_000 - Number(time)) : Number.POSITIVE_INFINITY;
  return distance <= WINDOW_SECONDS
    ? undefined
    : refused("its signed time is more than five minutes away from ours");
}

function hmac(key: string | Uint8Array, parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHmac("sha256", key);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Compares hashes of both, so that texts of different lengths take the same time. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(
    createHash("sha256").update(given).digest(),
    createHash("sha256").update(expected).digest(),
  );
