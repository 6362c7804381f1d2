// Attacks the hooks over real HTTP.

import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assembleRuntime } from "../../runtime/assembly.ts";
import { createAccessKeys } from "../access/keys.ts";
import { noUsers, publicProject, TOKEN } from "../fixtures/public-server.fixture.ts";
import type { Refusal } from "./door.ts";
import { BUILT_PAGE, createPublicApp } from "./public-server.ts";

const SECRET = "a-secret-of-github";
const CONFIG = `triggers:
  issues: { from: github, agent: clerk, secretEnv: GITHUB_SECRET, filter: { event: [issues, issue_comment] } }
  alerts: { from: alertmanager, agent: clerk, secretEnv: GITHUB_SECRET }
`;

const { served, send, withToken, runCount } = publicProject((folder) => {
  writeFileSync(join(folder, "cadre.yaml"), CONFIG);
  return assembleRuntime({
    folder,
    home: folder,
    env: { XDG_CONFIG_HOME: folder, CADRE_TRUST: "1", GITHUB_SECRET: SECRET },
    scripts: { clerk: () => ({ text: "done" }) },
  });
});

const sign = (body: string, secret = SECRET): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

function post(body: string, headers: Record<string, string> = {}, name = "issues") {
  const usual = {
    "Content-Type": "application/json",
    "X-GitHub-Event": "issues",
    "X-Hub-Signature-256": sign(body),
  };
  return send(`/hooks/${name}`, { method: "POST", headers: { ...usual, ...headers }, body });
}

const issue = (title: string): string =>
  JSON.stringify({ action: "opened", issue: { title }, repository: { full_name: "shop/api" } });

test("[32.2] [TR8] GitHub's message starts a tainted run, without Cadre's token", async () => {
  const before = await runCount();
  const answer = await post(issue("It is slow, see https://evil.test/run.sh"));
  expect(answer.status).toBe(202);
  const { id, runId } = JSON.parse(answer.text);
  const events = JSON.parse((await withToken(`/api/runs/${runId}/events`)).text).events;
  expect(events[0]).toMatchObject({
    type: "RUN_STARTED",
    payload: {
      trigger: "hook",
      reason: "a message to the hook issues",
      untrusted: ["hook issues"],
      attended: false,
    },
  });
  expect(events[0].payload.task).toMatch(/^GitHub reports issues opened in shop\/api\./);
  expect(events[0].payload.hosts, "no person named this host").toBeUndefined();
  const kept = JSON.parse((await withToken(`/api/triggers/issues/deliveries/${id}`)).text);
  expect(kept).toMatchObject({ delivery: { outcome: "started", runId }, message: { event: "issues" } });
  expect(JSON.parse((await withToken("/api/triggers")).text).triggers).toMatchObject([
    { name: "issues", from: "github", deliveries: [{ id, outcome: "started" }] },
    { name: "alerts", deliveries: [] },
  ]);
  expect(await runCount()).toBe(before + 1);
});

test.each([
  [
    "[A102] a forged signature",
    401,
    () => post(issue("forged"), { "X-Hub-Signature-256": sign(issue("forged"), "guess") }),
  ],
  [
    "[A102] a signature of another body",
    401,
    () => post(issue("other"), { "X-Hub-Signature-256": sign("{}") }),
  ],
  [
    "[A102] Cadre's token in place of a signature",
    401,
    () =>
      post(issue("token"), {
        "X-Hub-Signature-256": "",
        Authorization: "Bearer a-token-that-is-long-enough-for-it",
      }),
  ],
  ["[A102] an unknown hook", 404, () => post(issue("unknown"), {}, "other")],
  ["[A102] a hook named like an object's own insides", 404, () => post(issue("proto"), {}, "__proto__")],
  ["[A102] a page of another site", 403, () => post(issue("page"), { Origin: "https://evil.test" })],
  ["[A102] another host name", 421, () => post(issue("host"), { Host: "evil.test" })],
  ["[A104] a form", 415, () => post("payload=1", { "Content-Type": "application/x-www-form-urlencoded" })],
] as const)("[32.2] %s is refused, and nothing starts", async (_, status, attack) => {
  const before = await runCount();
  expect((await attack()).status).toBe(status);
  expect(await runCount()).toBe(before);
});

test("[32.2] [A103] a replayed message starts nothing more, also under another delivery id", async () => {
  const first = JSON.parse((await post(issue("replayed"), { "X-GitHub-Delivery": "d1" })).text);
  const before = await runCount();
  for (const delivery of ["d1", "d2"]) {
    const again = await post(issue("replayed"), { "X-GitHub-Delivery": delivery });
    expect(again.status).toBe(200);
    expect(JSON.parse(again.text)).toMatchObject({ id: first.id, runId: first.runId });
  }
  expect(await runCount()).toBe(before);
});

test("[32.2] [A103] alerts that arrive in the wrong order join one session", async () => {
  const group = (status: string) =>
    JSON.stringify({ status, groupKey: "g", alerts: [{ fingerprint: "f", startsAt: "t", status }] });
  const bearer = { Authorization: `Bearer ${SECRET}` };
  const [late, early] = [
    JSON.parse((await post(group("resolved"), bearer, "alerts")).text),
    JSON.parse((await post(group("firing"), bearer, "alerts")).text),
  ];
  expect([late.outcome, early.outcome]).toEqual(["started", "joined"]);
  expect(early.runId).toBe(late.runId);
  const { events } = JSON.parse((await withToken(`/api/runs/${late.runId}/events`)).text);
  expect(events[1]).toMatchObject({
    type: "CONTEXT_ADDED",
    payload: { source: "system", untrusted: ["hook alerts"] },
  });
});

test("[32.2] [A104] a message of 20 MB is refused, whether or not it is signed", async () => {
  const body = issue("x".repeat(20 * 1024 * 1024));
  const before = await runCount();
  const answer = await post(body).catch((error) => error);
  // The server might close the connection before it can answer 413.
  expect([413, "EPIPE", "ECONNRESET"]).toContain(answer.status ?? answer.code);
  expect(await runCount()).toBe(before);
});

test("[32.2] [A102] a refused message is logged, with its path and without its content", async () => {
  const refusals: Refusal[] = [];
  const app = createPublicApp(
    served.parts,
    { keys: createAccessKeys(TOKEN), visitors: noUsers },
    {
      host: "127.0.0.1",
      port: 0,
      names: [],
      page: BUILT_PAGE,
      onRefused: (refusal) => refusals.push(refusal),
    },
  );
  const headers = {
    Host: "localhost",
    "Content-Type": "application/json",
    "X-Hub-Signature-256": "sha256=00",
  };
  await app.request("/hooks/issues", { method: "POST", headers, body: issue("logged") });
  expect(refusals).toEqual([{ status: 401, method: "POST", path: "/hooks/issues", host: "localhost" }]);
});
