// Tests the proofs of each sender, with signatures that are made as the senders document them.

import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import type { Proof } from "../../config/inbound-hook.ts";
import { signatureOf } from "../../webhooks/message.ts";
import { verifyMessage } from "./verify.ts";

const SECRET = "a-secret-of-the-sender";
const NOW = 1_800_000_000_000;
const BODY = '{"status":"firing"}';
const seconds = (ago = 0): string => String(NOW / 1_000 - ago);
const hex = (text: string, secret = SECRET): string =>
  createHmac("sha256", secret).update(text).digest("hex");

const PROOFS: [Proof, (body: string, time: string, secret?: string) => Record<string, string>][] = [
  ["bearer", (_, __, secret = SECRET) => ({ authorization: `Bearer ${secret}` })],
  [
    "standard",
    (body, time, secret = SECRET) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": time,
      "webhook-signature": signatureOf(secret, `msg_1.${time}.${body}`),
    }),
  ],
  ["hmac", (body, _, secret) => ({ "x-signature-256": `sha256=${hex(body, secret)}` })],
  ["github", (body, _, secret) => ({ "x-hub-signature-256": `sha256=${hex(body, secret)}` })],
  [
    "grafana",
    (body, time, secret) => ({
      "x-grafana-alerting-timestamp": time,
      "x-grafana-alerting-signature": hex(`${time}:${body}`, secret),
    }),
  ],
  ["pagerduty", (body, _, secret) => ({ "x-pagerduty-signature": `v1=0000,v1=${hex(body, secret)}` })],
  [
    "slack",
    (body, time, secret) => ({
      "x-slack-request-timestamp": time,
      "x-slack-signature": `v0=${hex(`v0:${time}:${body}`, secret)}`,
    }),
  ],
];

const verify = (proof: Proof, headers: Record<string, string>, body = BODY) =>
  verifyMessage(proof, SECRET, { body: Buffer.from(body), header: (name) => headers[name] }, NOW);

test.each(PROOFS)(
  "[32.2] [TR6] [A102] %s: the right proof is accepted, every other one refused",
  (proof, sign) => {
    expect(verify(proof, sign(BODY, seconds()))).toMatchObject({ ok: true });
    expect(verify(proof, {}), "no proof").toMatchObject({ ok: false });
    expect(verify(proof, sign(BODY, seconds(), "another-secret"))).toMatchObject({ ok: false });
    expect(verify(proof, sign(BODY, seconds(), ""))).toMatchObject({ ok: false });
    if (proof !== "bearer")
      expect(verify(proof, sign(BODY, seconds()), "{}"), "another body").toMatchObject({ ok: false });
  },
);

test.each(PROOFS.filter(([proof]) => ["standard", "grafana", "slack"].includes(proof)))(
  "[32.2] [TR6] [A103] %s: a signed time that is too far away is refused, and so is an unsigned one",
  (proof, sign) => {
    for (const ago of [301, -301, 1e9])
      expect(verify(proof, sign(BODY, seconds(ago)))).toMatchObject({
        ok: false,
        why: expect.stringContaining("five minutes"),
      });
    const headers = sign(BODY, seconds(3_000));
    const time = Object.keys(headers).find((name) => name.endsWith("timestamp"))!;
    expect(verify(proof, { ...headers, [time]: seconds() })).toMatchObject({ ok: false });
    delete headers[time];
    expect(verify(proof, headers)).toMatchObject({ ok: false });
  },
);

test("[32.2] Grafana may sign without a time", () => {
  expect(verify("grafana", { "x-grafana-alerting-signature": hex(BODY) })).toEqual({ ok: true });
});
