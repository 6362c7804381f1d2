// Tests `cadre up` as its own process: who can reach the server, what it prints, and how it stops.

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { enterByLink } from "../../../test/support/enter-by-link.ts";
import { serveOnSocket } from "../../api/server/socket.ts";
import { createSocketKey } from "../../config/socket-key.ts";
import { socketPath, takeOwnership } from "../../runtime/assembly.ts";
import { project } from "../cli.fixture.ts";

const FILES = { "agents/a.md": "---\nname: a\ndescription: Helps.\n---\nYou help.\n" };

test("`cadre up` serves on the loopback address and stops gracefully; a second `cadre up` is refused and prints a link to the first server", async () => {
  await using p = await project(FILES);
  const up = p.start("up", "--port", "0", "--no-open");
  const [, link, url] = await up.shows(/^Cadre is up at ((http:\/\/127\.0\.0\.1:\d+)\/open\/\S+)\n/m);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/api/runs`)).status).toBe(401);
  expect(statSync(join(p.folder, ".cadre", "token")).mode & 0o777).toBe(0o600);
  expect((await enterByLink(link!)).cookie).toContain("=");

  const second = await p.cadre("up", "--port", "0");
  expect(second.code).toBe(1);
  expect(second.stderr).toMatch(/^cadre: Cadre is already up, as process \d+\. Link for a browser: http:/);
  const again = /http:\S+/.exec(second.stderr)![0];
  expect((await fetch(again)).status).toBe(200);

  const started = await p.cadre("run", "--rehearse", "--detach", "a", "help me");
  expect(started).toMatchObject({ code: 0 });
  expect(started.stderr).toBe(
    `cadre: the server (process ${up.process.pid}) is working on it. Follow it: cadre tail ${started.stdout.trim()}\ncadre: if it needs you, \`cadre approve\` shows why. It continues when you have answered.\n`,
  );
  const other = await p.cadre("run", "--detach", "--model", "scripted/other", "a", "help me");
  expect(other).toMatchObject({ code: 2 });
  expect(other.stderr).toContain("--model works only if no other Cadre process is running");
  up.process.kill("SIGTERM");
  expect((await up.end()).code).toBe(0);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow("fetch failed");
});

test("[26.5] `cadre up` starts while `cadre run` serves the page of the same folder, and takes over when the run has ended", async () => {
  await using p = await project({
    "agents/slow.md": "---\nname: slow\ndescription: Helps.\nmodel: scripted/slow\n---\nYou help.\n",
    "slow.script.yaml":
      "turns:\n  - { when: { turn: 1 }, calls: [{ tool: Bash, input: { command: 'until test -e go; do sleep 0.1; done' } }] }\n  - text: Done.\n",
  });
  const run = p.start("run", "--yes", "--json", "wait");
  const [, runId] = await run.shows(/"runId":"(r\w+)".*"TOOL_STARTED"/);
  const up = p.startHere("up", "--port", "0", "--no-open");
  const [, link, url] = await up.shows(/^Cadre is up at ((http:\/\/127\.0\.0\.1:\d+)\/open\/\S+)\n/m);
  await up.shows(new RegExp(`Process ${run.process.pid} works in this folder and serves the page`));
  const headers = await enterByLink(link!);
  const runs = async () => (await (await fetch(`${url}/api/runs`, { headers })).json()) as unknown;
  expect(await runs()).toMatchObject({ runs: [{ id: runId, status: "running" }] });
  await p.write("go", "");
  expect((await run.end()).code).toBe(0);
  await up.shows(/up at[\s\S]*up at[\s\S]*unfinished runs continue/);
  expect(await runs(), "the same port, and the browser is still signed in").toMatchObject({
    runs: [{ id: runId, status: "completed" }],
  });
  expect((await up.leave()).code).toBe(0);
}, 60_000);

test("[26.5] if `cadre up` stops before `cadre run`, the run continues and the server stops", async () => {
  await using p = await project({
    "agents/slow.md": "---\nname: slow\ndescription: Helps.\nmodel: scripted/slow\n---\nYou help.\n",
    "slow.script.yaml": "turns:\n  - { delay: 600000, text: Never. }\n",
  });
  const run = p.start("run", "--json", "wait");
  await run.shows(/"MODEL_CALL_STARTED"/);
  const up = p.startHere("up", "--port", "0", "--no-open");
  const [, url] = await up.shows(/Cadre is up at (http:\/\/[\d.:]+)\//);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await up.leave()).code).toBe(0);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow("fetch failed");
  expect(run.process.exitCode).toBeNull();
}, 60_000);

/** Starts a run through the API. `cadre run` is not used, because it would take over the store when the server is killed. */
async function begin(
  folder: string,
  up: { shows(pattern: RegExp): Promise<RegExpExecArray> },
  agent: string,
) {
  const [, url] = await up.shows(/Cadre is up at (http:\/\/[\d.:]+)\//);
  const token = readFileSync(join(folder, ".cadre", "token"), "utf8").trim();
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ agent, task: "help me" });
  expect((await fetch(`${url}/api/runs`, { method: "POST", headers, body })).ok).toBe(true);
}

test("[E1] after a kill and a restart, `cadre up` says that unfinished runs continue", async () => {
  await using p = await project({
    "agents/slow.md": "---\nname: slow\ndescription: Helps.\nmodel: scripted/slow\n---\nYou help.\n",
    "slow.script.yaml": "turns:\n  - { delay: 600000, text: Never. }\n",
  });
  const first = p.start("up", "--port", "0", "--no-open");
  await begin(p.folder, first, "slow");
  first.process.kill("SIGKILL");
  expect((await first.end()).stdout).not.toContain("Continuing");
  const second = p.startHere("up", "--port", "0", "--no-open");
  await second.shows(/Continuing 1 unfinished run\. Items that need you are in the inbox/);
});

test("[E1] after `cadre up` is killed, `cadre runs` says that no process drives the runs, even if a run waits for a person", async () => {
  const agent = (name: string, keys: string) =>
    `---\nname: ${name}\ndescription: Helps.\nmodel: scripted/${name}\n${keys}---\nYou help.\n`;
  await using p = await project({
    "agents/lead.md": agent("lead", "tools: []\nagents: [slow, pen]\ndelegation: { mode: parallel }\n"),
    "agents/slow.md": agent("slow", "kind: subagent\n"),
    "agents/pen.md": agent("pen", "kind: subagent\ntools: [Write]\n"),
    "lead.script.yaml":
      "turns:\n  - when: { turn: 1 }\n    calls:\n      - { tool: delegate, input: { agent: slow, task: dig } }\n      - { tool: delegate, input: { agent: pen, task: write } }\n  - text: Done.\n",
    "slow.script.yaml": "turns:\n  - { delay: 600000, text: Never. }\n",
    "pen.script.yaml":
      "turns:\n  - { when: { turn: 1 }, calls: [{ tool: Write, input: { path: a.txt, content: a } }] }\n  - text: Done.\n",
  });
  const up = p.start("up", "--port", "0", "--no-open");
  await begin(p.folder, up, "lead");
  await expect.poll(async () => (await p.cadre("approve")).stdout, { timeout: 20_000 }).toContain("a.txt");
  up.process.kill("SIGKILL");
  await up.end();
  const { stdout } = await p.cadre("runs");
  expect(stdout).toContain("Needs you");
  expect(stdout).toContain("No Cadre process is running here");
});

test("[E1] a command that only reads or records something does not prevent `cadre up` from starting", async () => {
  await using p = await project(FILES);
  await p.cadre("runs");
  const dir = join(p.folder, ".cadre");
  const owned = await takeOwnership(dir, { startedAt: 1, version: "0" });
  if ("owner" in owned) throw new Error("nobody else should have it");
  const { promise: askedAgain, resolve } = Promise.withResolvers<void>();
  let times = 0;
  const fetch = (): Response => {
    if (++times === 2) resolve();
    return Response.json({ pid: process.pid, drives: false });
  };
  const passing = await serveOnSocket({ fetch }, socketPath(dir), createSocketKey(socketPath(dir), p.env));
  const up = p.start("up", "--port", "0", "--no-open");
  await Promise.race([askedAgain, up.end().then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  await passing.close();
  owned.release();
  await up.shows(/Cadre is up at http/);
});

test("[U55] the API returns doctor's findings, for the web page", async () => {
  await using p = await project(FILES);
  const up = p.startHere("up", "--port", "0", "--no-open", "--json");
  const { url, link } = JSON.parse((await up.shows(/^\{.*"link".*\}$/m))[0]);
  const answer = await fetch(`${url}/api/checks`, { headers: await enterByLink(link) });
  const { checks } = (await answer.json()) as { checks: { name: string; state: string }[] };
  const said = (await p.cadre("doctor", "--json")).lines();
  expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(["Node", "SQLite", "sandbox"]));
  expect(said.map(({ name }) => name)).toEqual(expect.arrayContaining(checks.map(({ name }) => name)));
});

test.each([
  [{}, "set CADRE_TOKEN"],
  [{ CADRE_TOKEN: "short" }, "at least 24 characters"],
])(
  "[A06] with the environment %o, `cadre up` refuses to listen for other machines and says what is missing",
  async (env, words) => {
    await using p = await project(FILES);
    Object.assign(p.env, env);
    const { code, stdout, stderr } = await p.cadre("up", "--host", "0.0.0.0", "--port", "0");
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(stdout + stderr).not.toContain("http://");
  },
);

test("`cadre up` reports a port that is invalid or in use with a one-sentence error", async () => {
  await using p = await project(FILES);
  await using q = await project(FILES);
  const up = p.startHere("up", "--port", "0", "--no-open");
  const [, port] = await up.shows(/127\.0\.0\.1:(\d+)/);
  const taken = await q.cadre("up", "--port", port!);
  expect(taken.code).toBe(2);
  expect(taken.stderr).toBe(
    `cadre: Something else listens on 127.0.0.1:${port} already: choose another port with --port.\n`,
  );
  expect((await q.cadre("up", "--port", "x")).code).toBe(2);
  expect((await q.cadre("up", "--port", "70000")).code).toBe(2);
});

test("[P1] the run of `up --demo` waits for a person's decision, and still waits for it after all processes were killed", async () => {
  await using p = await project({});
  const startDemo = async () => {
    const up = p.start("up", "--demo", "--port", "0", "--no-open", "--json");
    const { url, link } = JSON.parse((await up.shows(/^\{.*"link".*\}$/m))[0]);
    const headers = await enterByLink(link);
    const open = async () => (await (await fetch(`${url}/api/approvals`, { headers })).json()).approvals;
    await expect.poll(open, { timeout: 30_000 }).toMatchObject([{ agent: "oncall", tool: "Bash" }]);
    const { pid } = await (await fetch(`${url}/api/health`, { headers })).json();
    return {
      items: await open(),
      kill: () => [up.process.pid!, pid].map((id) => process.kill(id, "SIGKILL")),
    };
  };
  const first = await startDemo();
  first.kill();
  expect((await startDemo()).items).toEqual(first.items);
});

test("`up --demo` uses another port if the default port is taken, says what is real, and removes copies of ended demos", async () => {
  await using p = await project({});
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  try {
    const { port } = other.address() as AddressInfo;
    p.env["CADRE_PORT"] = String(port);
    const [left, living] = [spawnSync(process.execPath, ["-v"]).pid, process.pid].map(
      (pid) => `cadre-demo-${pid}-x`,
    );
    for (const name of [left!, living!])
      mkdirSync(join(p.env["TMPDIR"]!, name, "incident"), { recursive: true });
    const demos = () => readdirSync(p.env["TMPDIR"]!).filter((name) => name.startsWith("cadre-demo-"));
    const up = p.start("up", "--demo");
    await up.shows(/^Starting the demo/);
    const [, link, found] = await up.shows(
      /signs your browser in:\s+(http:\/\/127\.0\.0\.1:(\d+)\/open\/\S+)/,
    );
    expect(Number(found)).not.toBe(port);
    expect((await enterByLink(link!)).cookie).toContain("=");
    await up.shows(
      /the model is scripted[\s\S]*export ANTHROPIC_API_KEY[\s\S]*cadre init\n[\s\S]*cadre up\n/,
    );
    expect([demos().length, demos().includes(left!)]).toEqual([2, false]);
    up.process.kill("SIGTERM");
    expect(await up.end()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Its copy was removed\.\n$/),
    });
    expect(demos()).toEqual([living]);
  } finally {
    other.close();
  }
});
