// Tests schedules with a real server: it is killed, and the folder loses its trust.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

const FILES = {
  "agents/a.md": agent("a"),
  "agents/own.md":
    '---\nname: own\nmodel: scripted/a\nschedule: { cron: "0 7 * * *", task: Look }\n---\nYou look.\n',
  "a.script.yaml": "turns:\n  - text: Done and told.\n",
  "cadre.yaml":
    'schedules:\n  nightly: { cron: "30 3 * * *", timezone: Europe/Berlin, agent: a, task: Tidy up }\n',
};

type Listed = { name: string; ticks: { outcome: string; runId?: string }[] };

test("[32.1] [TR1] a tick that came while no server was running starts one run, even if the server is killed and started again", async () => {
  await using p = await project(FILES);
  p.env["CADRE_TRUST"] = "1";
  expect((await p.cadre("schedules", "pause", "nightly")).stdout).toContain("nightly is paused");
  expect((await p.cadre("schedules")).stdout).toMatch(
    /nightly: a at 30 3 \* \* \* \(Europe\/Berlin\), paused by .+\nagent\/own: own at 0 7/,
  );
  expect((await p.cadre("schedules", "resume", "nightly")).code).toBe(0);
  letDaysPass(p.folder);
  const first = p.start("up", "--port", "0", "--no-open");
  await first.shows(/Cadre is up/);
  const before = await startedTick();
  first.process.kill("SIGKILL");
  await first.end();
  const second = p.startHere("up", "--port", "0", "--no-open");
  await second.shows(/Cadre is up/);
  expect(await startedTick()).toEqual(before);
  const [more] = (await p.cadre("schedules", "run", "nightly", "--json")).lines();
  expect(more?.["runId"]).not.toBe(before);
  const shown = await p.cadre("why", `${before}#1`);
  expect(shown.stdout + shown.stderr).toContain("the schedule nightly, for ");

  async function startedTick(): Promise<string | undefined> {
    for (;;) {
      const [found] = (await p.cadre("schedules", "--json")).lines() as { schedules: Listed[] }[];
      const { ticks } = found!.schedules.find(({ name }) => name === "nightly")!;
      const started = ticks.filter(({ outcome }) => outcome === "started");
      expect(started.length).toBeLessThanOrEqual(1);
      if (started.length === 1) return started[0]!.runId;
    }
  }
});

test("[32.1] [A101] in an untrusted folder, no schedule starts anything, and Cadre says so", async () => {
  await using p = await project(FILES);
  const listed = await p.cadre("schedules");
  expect(listed.stdout).toContain("There are no schedules");
  expect((await p.cadre("doctor")).stdout).toContain("`schedules` is ignored");
  expect((await p.cadre("schedules", "run", "nightly")).stderr).toContain("There is no schedule nightly");
  expect((await p.cadre("schedules", "run", "agent/own")).stderr).toContain("There is no schedule agent/own");
});

/** Moves the schedule's place back, as if the server had last run two days ago. */
function letDaysPass(folder: string): void {
  const db = new DatabaseSync(join(folder, ".cadre", "cadre.db"));
  db.prepare("UPDATE triggers SET reached = reached - ?").run(2 * 24 * 3_600_000);
  db.close();
}
