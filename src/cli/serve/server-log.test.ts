// Tests the log that `cadre up` writes to stderr without a terminal: one line of JSON per event, without secrets.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { enterByLink } from "../../../test/support/enter-by-link.ts";
import { CadreError } from "../../errors.ts";
import { agent, type Project, project, type Started } from "../cli.fixture.ts";
import { createServerLog } from "./server-log.ts";

function createTestLog() {
  const clock = { now: Date.parse("2026-01-02T03:04:05Z") };
  let text = "";
  const log = createServerLog(
    (line) => {
      text += line;
    },
    () => clock.now,
  );
  return { log, clock, text: () => text, lines: () => parseLines(text) };
}

const parseLines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test("[A68] a name with line breaks or control characters is logged as one line", () => {
  const { log, text, lines } = createTestLog();
  const name = 'x\r\n{"level":"info","event":"started"}\u2028\u2029\u0085\u202e\u001b[2J';
  log.log("run_ended", { agent: name });
  log.problem({ message: name, error: new CadreError("STORAGE_FULL", name) });
  log.refused({ status: 401, method: "GET", path: name });
  expect(lines()).toMatchObject([
    { time: "2026-01-02T03:04:05.000Z", level: "info", event: "run_ended", agent: name },
    { level: "error", event: "problem", code: "STORAGE_FULL", message: name },
    { level: "warn", event: "refused", path: name },
  ]);
  expect(text()).toMatch(/^[\x20-\x7e\n]*$/);
});

test("[G7] the log limits events that outsiders can cause, and says how many it dropped", () => {
  const { log, clock, lines } = createTestLog();
  const knock = () => log.refused({ status: 401, method: "GET", path: "/" });
  for (let i = 0; i < 1_000; i++) knock();
  log.log("run_ended", { runId: "r1" });
  expect(lines()).toHaveLength(21);
  clock.now += 60_000;
  knock();
  knock();
  expect(lines().slice(21)).toMatchObject([{ event: "refused", leftOut: 980 }, { event: "refused" }]);
  expect(lines().at(-1)).not.toHaveProperty("leftOut");
});

test("an unforeseen error is logged with its stack, and a foreseen error with its code", () => {
  const { log, lines } = createTestLog();
  log.problem({ runId: "r1", message: "GET /x failed.", error: new TypeError("boom") });
  log.problem({ message: "It failed.", error: new CadreError("STORAGE_FULL", "No room.") });
  expect(lines()).toMatchObject([
    { runId: "r1", error: "boom", stack: expect.stringContaining("server-log.test.ts") },
    { code: "STORAGE_FULL", error: "No room." },
  ]);
  expect(lines()[1]).not.toHaveProperty("stack");
});

const SECRET = "Zq8-very-secret-Value-91";
const SCRIPTS = {
  "agents/good.md": agent("good"),
  "good.script.yaml": "turns:\n  - text: The words of the run.\n",
  "agents/bad.md": agent("bad"),
  "bad.script.yaml": `turns:\n  - error: { status: 401, message: the key ${SECRET} is wrong }\n`,
};

test("[G7] [A61] [A08] the log records starts, refusals, ended runs, problems and stops; it contains no secrets and no run content", async () => {
  await using p = await project({ ...SCRIPTS, ".env": `API_PASSWORD=${SECRET}\n` });
  const up = p.start("up", "--port", "0", "--no-open", "--json");
  const { url, link } = JSON.parse((await up.shows(/^\{"url".*\}$/m))[0]) as { url: string; link: string };
  const token = readFileSync(join(p.folder, ".cadre", "token"), "utf8").trim();
  for (const path of [`/api/runs?token=${token}`, `/${token}`, `/${SECRET}/%0d%0a{"event":"started"}`])
    expect((await fetch(url + path)).status).toBe(401);
  expect((await fetch(`${url}/api/runs`, { headers: { Origin: "https://evil.test" } })).status).toBe(403);
  await enterByLink(link);
  expect((await fetch(link)).status).toBe(410);
  for (const name of ["good", "bad"]) await runToEnd(p, up, name);
  up.process.kill("SIGTERM");
  const { code, stderr } = await up.end();
  expect(code).toBe(0);

  const lines = parseLines(stderr);
  expect(lines.map(({ event }) => event)).toEqual([
    ...["started", "refused", "refused", "refused", "refused", "refused"],
    ...["run_ended", "run_ended", "stopping", "stopped"],
  ]);
  expect(lines[0]).toMatchObject({ level: "info", url, pid: up.process.pid, unfinished: 0 });
  expect(lines.slice(1, 6)).toMatchObject([
    { status: 401, method: "GET", path: "/api/runs", address: "127.0.0.1" },
    { status: 401, path: "/⟦secret CADRE_TOKEN⟧" },
    { status: 401, path: expect.stringContaining("⟦secret API_PASSWORD⟧") },
    { status: 403, origin: "https://evil.test" },
    { status: 410, path: "/open/…" },
  ]);
  expect(lines.slice(6, 8)).toMatchObject([
    { agent: "good", status: "completed", modelCalls: 1, ms: expect.any(Number) },
    { agent: "bad", status: "failed", stopReason: expect.any(String) },
  ]);
  for (const word of [SECRET, token, new URL(link).pathname.split("/")[2]!, "The words of the run"])
    expect(stderr).not.toContain(word);
});

test("when it starts, the server logs the number of unfinished runs", async () => {
  await using p = await project({
    "agents/pen.md": agent("pen"),
    "pen.script.yaml": "turns:\n  - calls: [{ tool: Write, input: { path: a, content: b } }]\n",
  });
  expect((await p.cadre("run", "write")).code).toBe(3);
  const up = p.startHere("up", "--port", "0", "--no-open");
  const [line] = await up.shows(/^\{.*"started".*\}$/m);
  expect(JSON.parse(line)).toMatchObject({ event: "started", unfinished: 1 });
});

async function runToEnd(p: Project, up: Started, name: string): Promise<void> {
  await p.cadre("run", name, "go");
  await up.shows(new RegExp(`"run_ended".*"agent":"${name}"`));
}
