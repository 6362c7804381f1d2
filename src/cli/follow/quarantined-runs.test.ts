// Tests runs whose data cannot be read. A driver quarantines such a run.
// No command waits forever for a quarantined run, and each command says that the run is quarantined.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { digest } from "../../stores/hashes.ts";
import { agent, type Project, project } from "../cli.fixture.ts";

const FILES = {
  "agents/pen.md": agent("pen"),
  "pen.script.yaml":
    "turns:\n  - when: { turn: 1 }\n    calls: [{ tool: Write, input: { path: out.txt, content: hi } }]\n  - report: { summary: Written. }\n",
};

/** Starts a run that waits for an approval, then damages the store. The run has its own process, because this process would cache its data. */
async function damageWaitingRun(p: Project, sql: string): Promise<string> {
  const [, id] = /^pen · run (\w+)$/m.exec((await p.spawn("run", "pen", "write it")).stdout)!;
  using file = new DatabaseSync(join(p.folder, ".cadre/cadre.db"));
  file.exec(sql);
  return id!;
}

test("[P9] [U44] if an agent's definition can no longer be read, `cadre run` ends with the reason and suggests no approval", async () => {
  // This definition differs from the other tests' definitions, so this process has not cached it.
  await using p = await project({ ...FILES, "agents/pen.md": agent("pen", "limits: { maxTurns: 6 }\n") });
  const id = await damageWaitingRun(p, "UPDATE blobs SET text = text || ' '");
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

test("[P9] `cadre run` ends even if a run in its tree has a damaged journal", async () => {
  await using p = await project(FILES);
  const id = await damageWaitingRun(p, "UPDATE events SET payload = '{}' WHERE seq = 3");
  const ran = await p.spawn("run");
  expect(ran.stdout).toMatch(new RegExp(`^Cannot continue: .*event 3.*\n  cadre verify ${id}\n`, "m"));
  expect(ran.code).toBe(3);
});

test("[P9] [36.8] a run whose definition was written by an incompatible version is quarantined, shown by name, and listed by `cadre doctor`", async () => {
  await using p = await project(FILES);
  const shape = JSON.stringify({ name: "pen", handoff: ["ink"] });
  const hash = digest(shape);
  const id = await damageWaitingRun(
    p,
    `INSERT INTO blobs (hash, text) VALUES ('${hash}', '${shape}');
     UPDATE runs SET born = json_set(born, '$.definition', '${hash}')`,
  );
  const reason = /has a shape that this version of Cadre cannot read/;
  expect((await p.spawn("run", "--yes")).stdout).toMatch(reason);
  expect((await p.cadre("show", id)).stdout).toMatch(reason);
  expect((await p.cadre("doctor")).stdout).toMatch(new RegExp(`${id} is quarantined: .*${reason.source}`));
});

test("[P9] [36.8] a run whose first event cannot be read is shown as quarantined, not as an error of Cadre", async () => {
  await using p = await project(FILES);
  const id = await damageWaitingRun(p, "UPDATE events SET payload = '{}' WHERE seq = 1");
  const shown = await p.cadre("show", id, "--json");
  expect(shown.stderr).toBe("");
  expect(JSON.parse(shown.stdout)).toMatchObject({ status: "suspended", waitingOn: { kind: "quarantine" } });
  expect((await p.cadre("doctor")).stdout).toContain(`${id} is quarantined: `);
});

test("[U44] a run that was answered while no process drove it is no longer shown as waiting for an answer", async () => {
  await using p = await project({ ...FILES, "agents/pen.md": agent("pen", "limits: { maxTurns: 7 }\n") });
  const [, item] = /^ {2}cadre approve (\S+)$/m.exec((await p.cadre("run", "pen", "write it")).stdout)!;
  const [id] = item!.split(":");
  expect((await p.cadre("why", id!)).stdout).toContain("Waits for you");
  await p.cadre("approve", item!);
  const why = await p.cadre("why", id!);
  expect(why.stdout).toMatch(/^Answered, but not continued yet\.$/m);
  expect(why.stdout).not.toContain("cadre approve");
});
