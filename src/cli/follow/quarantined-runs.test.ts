// A driver quarantines a run that cannot be read.
// No command waits forever for such a run, and every command says that the run is quarantined.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { agent, type Project, project } from "../cli.fixture.ts";

const FILES = {
  "agents/pen.md": agent("pen"),
  "pen.script.yaml":
    "turns:\n  - when: { turn: 1 }\n    calls: [{ tool: Write, input: { path: out.txt, content: hi } }]\n  - report: { summary: Written. }\n",
};

/** Starts a run that waits for an approval, in its own process because a process caches definitions. Then damages the store. */
async function waitingAnd(p: Project, sql: string): Promise<string> {
  const [, id] = /^pen · run (\w+)$/m.exec((await p.spawn("run", "pen", "write it")).stdout)!;
  using file = new DatabaseSync(join(p.folder, ".cadre/cadre.db"));
  file.exec(sql);
  return id!;
}

test("[P9] [U44] `cadre run` ends with the reason if an agent's definition can no longer be read, and suggests no approval", async () => {
  // No other test uses this definition, because this process would have cached it.
  await using p = await project({ ...FILES, "agents/pen.md": agent("pen", "limits: { maxTurns: 6 }\n") });
  const id = await waitingAnd(p, "UPDATE blobs SET text = text || ' '");
  const damaged = /The stored value \w+ is damaged\./;
  const ran = await p.spawn("run", "--yes");
  expect(ran.stdout).toMatch(
    new RegExp(`^Cannot continue: ${damaged.source}.*\n  cadre verify ${id}\n`, "m"),
  );
  expect(ran.code).toBe(3);
  const why = await p.cadre("why", id);
  expect(why.stdout).toMatch(new RegExp(`^Quarantined: ${damaged.source}`, "m"));
  expect(why.stdout).toContain(`\`cadre verify ${id}\` shows what is damaged`);
  expect(why.stdout).not.toContain("cadre approve");
  const shown = await p.cadre("show", id);
  expect(shown.stdout).toMatch(new RegExp(`^Quarantined: ${damaged.source}`, "m"));
  expect(shown.stdout + (await p.cadre("runs")).stdout).not.toMatch(
    /Not being worked on|continue at the next/,
  );
});

test("[P9] `cadre run` ends although a run in its tree has a damaged journal", async () => {
  await using p = await project(FILES);
  const id = await waitingAnd(p, "UPDATE events SET payload = '{}' WHERE seq = 3");
  const ran = await p.spawn("run");
  expect(ran.stdout).toMatch(new RegExp(`^Cannot continue: .*event 3.*\n  cadre verify ${id}\n`, "m"));
  expect(ran.code).toBe(3);
});

test("[U44] a run that was answered while no process drives is no longer shown as waiting for the answer", async () => {
  await using p = await project({ ...FILES, "agents/pen.md": agent("pen", "limits: { maxTurns: 7 }\n") });
  const [, item] = /^ {2}cadre approve (\S+)$/m.exec((await p.cadre("run", "pen", "write it")).stdout)!;
  const [id] = item!.split(":");
  expect((await p.cadre("why", id!)).stdout).toContain("Waits for you");
  await p.cadre("approve", item!);
  const why = await p.cadre("why", id!);
  expect(why.stdout).toMatch(/^Answered, but not continued yet\.$/m);
  expect(why.stdout).not.toContain("cadre approve");
});
