// Tests `cadre triggers` with messages that a running server received.

import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

const config = (task: string): string =>
  `triggers:\n  jobs: { from: json, verify: bearer, agent: a, secretEnv: JOBS_TOKEN, task: "${task}" }\n`;

test("[32.2] [TR9] a message that could not be mapped is listed, shown and tried again", async () => {
  await using p = await project({
    "agents/a.md": agent("a"),
    "a.script.yaml": "turns:\n  - text: Done and told.\n",
    "cadre.yaml": config("Run {{job.name}}"),
  });
  Object.assign(p.env, { CADRE_TRUST: "1", JOBS_TOKEN: "a-token-of-jobs" });
  const first = p.startHere("up", "--port", "0", "--no-open");
  const [, url] = await first.shows(/Cadre is up at (http:\/\/127\.0\.0\.1:\d+)/);
  const headers = { Authorization: "Bearer a-token-of-jobs", "Content-Type": "application/json" };
  const body = JSON.stringify({ job: "nightly" });
  const answer = await fetch(`${url}/hooks/jobs`, { method: "POST", headers, body });
  expect(answer.status).toBe(422);
  const listed = await p.cadre("triggers");
  const [, id] = /failed +(\w+) +the message has no text or number `job\.name`/.exec(listed.stdout)!;
  expect((await p.cadre("triggers", "show", "jobs", id!)).stdout).toMatch(/^failed: [\s\S]*"job": "nightly"/);
  expect((await p.cadre("triggers", "retry", "jobs", id!)).code).toBe(1);
  await first.leave();
  await p.write("cadre.yaml", config("Run {{job}}"));
  const second = p.startHere("up", "--port", "0", "--no-open");
  await second.shows(/Cadre is up/);
  const retried = await p.cadre("triggers", "retry", "jobs", id!);
  expect(retried.stdout).toMatch(/^started: run r/);
  expect((await p.cadre("triggers", "retry", "jobs", id!)).stderr).toContain("There is no failed message");
});

test("[32.2] [A101] in an untrusted folder, there are no hooks", async () => {
  await using p = await project({ "agents/a.md": agent("a"), "cadre.yaml": config("Run") });
  expect((await p.cadre("triggers")).stdout).toContain("There are no hooks");
});
