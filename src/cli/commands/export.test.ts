// Tests moving a tree with commands: from a store in a file to a Postgres database, and back.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, realpath, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { startPostgres, type TestPostgres, test } from "../../stores/postgres/postgres.fixture.ts";
import { agent, type Finished, type Project, project } from "../cli.fixture.ts";

const FILES = {
  "agents/lead.md": agent("lead", "agents: [worker]\n"),
  "agents/worker.md": agent("worker", "kind: subagent\n"),
  "lead.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: delegate, input: { agent: worker, task: the note } }]
  - report: { summary: All parts are there. }
`,
  "worker.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: Write, input: { path: note.txt, content: "hello" } }]
  - report: { summary: The note is written. }
`,
};

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres("fsync=off");
});
afterAll(() => postgres.end());

/** Exports a tree to a file. The tree's child run waits for a person. */
async function exportTree(p: Project) {
  expect((await p.cadre("run", "lead", "get it ready")).code).toBe(3);
  const runId = String((await p.cadre("runs", "--json")).lines()[0]!["id"]);
  const item = String((await p.cadre("approve", "--json")).lines()[0]!["id"]);
  const exported = await move(p, runId, "tree.cadre");
  expect(exported).toMatchObject({ code: 0, stderr: "" });
  return { runId, item, file: join(p.folder, "tree.cadre"), exported };
}

/** Exports a tree. If a run of the tree still has work to do, calls `cadre run` first and then tries again. */
async function move(p: Project, runId: string, to: string): Promise<Finished> {
  const moved = await p.cadre("export", "--format", "cadre", runId, "--to", to);
  if (!moved.stderr.includes("is at work or about to be")) return moved;
  await p.cadre("run");
  return move(p, runId, to);
}

const events = async (p: Project, id: string) =>
  (await p.cadre("show", id, "--events", "--json")).lines() as {
    seq: number;
    type: string;
    position: number;
  }[];

const withoutPosition = (event: { position: number }) => ({ ...event, position: 0 });

describe("cadre export --format cadre", () => {
  test("[E7] a waiting tree is moved from a laptop to Postgres; a person approves its call there, and the tree continues only there", async () => {
    await using laptop = await project(FILES);
    await using team = await project(FILES);
    team.env["CADRE_STORE"] = await postgres.newStore();
    const { runId, item, file, exported } = await exportTree(laptop);
    expect(exported.stdout).toContain(`Moved ${runId} to ${file}`);
    const left = await events(laptop, runId);
    expect(left.at(-1)?.type).toBe("RUN_MOVED");
    expect((await laptop.cadre("runs")).stdout, "the page's word").toMatch(new RegExp(`${runId} +Moved `));
    const shown = (await laptop.cadre("show", runId)).stdout;
    expect(shown).toMatch(/^Moved$/m);
    expect(shown).not.toContain("Cancelled");
    for (const said of [
      await laptop.cadre("approve", item),
      await laptop.cadre("message", runId, "hurry"),
      await laptop.cadre("cancel", runId),
    ])
      expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining("was moved to another store") });
    expect((await laptop.cadre("retry", runId)).stderr).toContain("Try it again there");
    await laptop.cadre("run");
    expect(await events(laptop, runId), "nothing drives it here").toEqual(left);

    const asked = await team.cadre("import", file);
    expect(asked).toMatchObject({ code: 2, stdout: "" });
    expect(asked.stderr).toMatch(
      /The file brings this along:\n {2}Run \S+ continues: .*Nothing was imported/s,
    );
    expect((await team.cadre("runs", "--json")).stdout).not.toContain(runId);
    const imported = await team.cadre("import", "--accept", file);
    expect(imported).toMatchObject({ code: 0, stderr: "" });
    expect(imported.stdout).toMatch(/Imported r\w+ \(2 runs, suspended\)/);
    const came = (await events(team, runId)).map(withoutPosition);
    expect(came).toEqual(left.slice(0, -1).map(withoutPosition));
    expect((await team.cadre("import", "--accept", file)).stdout).toContain(
      "was already imported; nothing was changed",
    );
    expect(await events(team, runId)).toHaveLength(left.length - 1);

    const before = await team.cadre("workers");
    expect(before.code, "it waits for a person, and for no worker").toBe(0);
    expect(before.stdout).not.toMatch(/2 runs/);
    await team.cadre("approve", item);
    expect((await team.cadre("workers")).code).toBe(1);
    const done = await team.cadre("run");
    expect(done.stdout).toContain("All parts are there.");
    expect(await readFile(join(laptop.folder, "note.txt"), "utf8"), "where its journal says").toBe("hello");
    expect((await team.cadre("verify", runId)).stdout).toMatch(/^Whole/);
  }, 120_000);

  test("[E7] a tree can move back from Postgres after its old copy was pruned from the SQLite store", async () => {
    await using laptop = await project(FILES);
    await using team = await project(FILES);
    team.env["CADRE_STORE"] = await postgres.newStore();
    const { runId, item, file } = await exportTree(laptop);
    await team.cadre("import", "--accept", file);
    await team.cadre("run");
    const back = join(team.folder, "back.cadre");
    expect((await move(team, runId, back)).stderr).toBe("");
    const refused = await laptop.cadre("import", "--accept", back);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`cadre prune --run ${runId}`) });
    await laptop.cadre("prune", "--run", runId, "--yes");
    expect((await laptop.cadre("import", "--accept", back)).code).toBe(0);
    await laptop.cadre("approve", item);
    expect((await laptop.cadre("run")).stdout).toContain("All parts are there.");
    await laptop.cadre("prune", "--run", runId, "--yes");
    expect((await laptop.cadre("import", "--accept", back)).stdout).toContain(
      "was already imported; nothing was changed; it has since been deleted",
    );
  }, 120_000);

  test("[E7] if an export file could not be written or was lost, the export can be repeated", async () => {
    await using p = await project(FILES);
    const { runId, file } = await exportTree(p);
    const before = await readFile(file, "utf8");
    expect((await p.cadre("export", "--format", "cadre", runId, "--to", "tree.cadre")).stderr).toContain(
      "already exists",
    );
    await p.cadre("export", "--format", "cadre", runId, "--to", "again.cadre");
    expect(await readFile(join(p.folder, "again.cadre"), "utf8")).toBe(before);
    expect(existsSync(join(p.folder, "again.cadre.part"))).toBe(false);
    const inProject = await realpath(p.launcher);
    const words = [inProject, "export", "--format", "cadre", runId, "--to", "third.cadre"];
    const typed = await promisify(execFile)(process.execPath, words, { cwd: p.folder, env: p.env });
    expect(typed.stdout).toContain(`once: npx cadre import ${join(p.folder, "third.cadre")}`);
  });

  test("[E7] an export to a path that cannot be written is refused, and the tree stays in the store", async () => {
    await using p = await project(FILES);
    await p.cadre("run", "lead", "get it ready");
    const runId = String((await p.cadre("runs", "--json")).lines()[0]!["id"]);
    const before = await events(p, runId);
    for (const [to, why] of [
      ["no/such/folder.cadre", "cannot be written (it is not there)"],
      ["ftp://127.0.0.1/x", "is not the address of a server"],
      ["http://192.0.2.1:4470", "use https"],
      ["https://192.0.2.1", "set CADRE_DESTINATION_TOKEN"],
    ] as const) {
      const refused = await p.cadre("export", "--format", "cadre", runId, "--to", to);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr.replaceAll(/\s+/g, " ")).toContain(why);
      expect(refused.stderr).toContain("Nothing was");
    }
    expect(await events(p, runId)).toEqual(before);
    expect((await p.cadre("export", runId, "--to", "https://192.0.2.1")).stderr).toContain("--format cadre");
  });

  test("[E7] exporting an ended tree copies the tree instead of moving it, and the command says so", async () => {
    await using p = await project({
      ...FILES,
      "lead.script.yaml": "turns:\n  - report: { summary: Done. }\n",
    });
    await using q = await project(FILES);
    await p.cadre("run", "lead", "get it ready");
    const runId = String((await p.cadre("runs", "--json")).lines()[0]!["id"]);
    const { stdout } = await p.cadre("export", "--format", "cadre", runId, "--to", "tree.cadre");
    expect(stdout).toContain("it had ended, so nothing was moved");
    expect(stdout).not.toContain("continues");
    const taken = await q.cadre("import", "--accept", join(p.folder, "tree.cadre"));
    expect(taken.stdout).toMatch(/Imported r\w+ \(1 run, completed\)\. See it/);
  });

  test("[E1] [E7] a running server that owns the store imports a tree once, and continues the tree", async () => {
    await using laptop = await project(FILES);
    await using desk = await project(FILES);
    const up = desk.start("up", "--port", "0", "--no-open");
    await up.shows(/up at/);
    const { runId, item, file } = await exportTree(laptop);
    const imported = await desk.cadre("import", "--accept", file);
    expect(imported).toMatchObject({ code: 0, stderr: "" });
    expect(imported.stdout).toContain(
      `(2 runs, suspended); process ${up.process.pid} continues it once you have answered.`,
    );
    expect(imported.stdout, "what for, and how").toMatch(
      new RegExp(`needs approval: lead › worker: Write[^]*cadre approve ${item}\\n`),
    );
    expect((await desk.cadre("import", "--accept", file)).stdout).toContain(
      "was already imported; nothing was changed",
    );
    expect((await desk.cadre("import", "--accept", file, "--json")).lines()).toMatchObject([
      { runId, existed: true },
    ]);
    await desk.cadre("approve", item);
    expect((await desk.cadre("tail", runId)).stdout).toContain("All parts are there.");
    expect(await readFile(join(laptop.folder, "note.txt"), "utf8")).toBe("hello");
  });

  test("[E7] `export --to` moves a tree to a server only with an admin's token, and leaves no file", async () => {
    await using laptop = await project(FILES);
    await using desk = await project(FILES);
    const [, address] = await desk.start("up", "--port", "0", "--no-open").shows(/up at (http:\/\/[\d.:]+)/);
    await laptop.cadre("run", "lead", "get it ready");
    await laptop.cadre("run");
    const runId = String((await laptop.cadre("runs", "--json")).lines()[0]!["id"]);
    const before = await events(laptop, runId);
    const send = (token: string) => {
      laptop.env["CADRE_DESTINATION_TOKEN"] = token;
      return move(laptop, runId, address!);
    };
    const operator = String(
      (await desk.cadre("users", "add", "olga", "--role", "operator", "--json")).lines()[0]!["token"],
    );
    expect((await send("wrong")).stderr).toContain("Nothing was moved");
    expect((await send(operator)).stderr.replaceAll(/\s+/g, " ")).toContain("olga is operator there");
    expect(await events(laptop, runId)).toEqual(before);
    const post = { method: "POST", body: '{"tree":""}' };
    const headers = { Authorization: `Bearer ${operator}`, "Content-Type": "application/json" };
    expect((await fetch(`${address}/api/import`, { ...post, headers })).status).toBe(403);

    const token = (await readFile(join(desk.folder, ".cadre", "token"), "utf8")).trim();
    const moved = await send(token);
    expect(moved).toMatchObject({ code: 0, stderr: "" });
    expect(moved.stdout).toContain(`Moved ${runId} to ${address}`);
    expect(existsSync(join(laptop.folder, `${runId}.cadre`))).toBe(false);
    expect((await events(laptop, runId)).at(-1)?.type).toBe("RUN_MOVED");
    expect((await send(token)).stderr.replaceAll(/\s+/g, " ")).toContain(`was moved to ${address} already`);
    const item = String((await desk.cadre("approve", "--json")).lines()[0]!["id"]);
    await desk.cadre("approve", item);
    expect((await desk.cadre("tail", runId)).stdout).toContain("All parts are there.");
  });

  test("[E7] [J9] `import` refuses a damaged or truncated file entirely, and names the run and the event", async () => {
    await using p = await project(FILES);
    await using q = await project(FILES);
    const { runId, file } = await exportTree(p);
    const text = await readFile(file, "utf8");
    const lines = text.split("\n");
    const nth = lines.findIndex((line) => line.includes(`"run":"${runId}","seq":3,`));
    const refuses = async (changed: string, why: string | RegExp) => {
      await writeFile(join(q.folder, "bad.cadre"), changed);
      const { code, stderr } = await q.cadre("import", "bad.cadre");
      expect(code).not.toBe(0);
      expect(stderr).toMatch(why);
      expect((await q.cadre("runs", "--json")).lines()).toEqual([]);
      const checked = await q.cadre("verify", "bad.cadre");
      expect(checked).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Not whole: /) });
      expect(checked.stdout).toMatch(why);
    };
    expect((await q.cadre("verify", file)).stdout).toMatch(`Whole: ${runId}, 2 runs, `);
    const at = (seq: number) => new RegExp(`at event ${seq} of run ${runId}: its checksum does not match`);
    await refuses(text.replace('"task":"get it ready"', '"task":"get it all"'), at(1));
    await refuses(lines.toSpliced(nth, 1).join("\n"), at(3));
    for (const end of ["", "\n"])
      await refuses(lines.slice(0, nth + 1).join("\n") + end, "cut off, its end is missing");
    await refuses(lines.slice(0, nth + 1).join("\n"), `after event 3 of run ${runId}`);
    await refuses(text.slice(0, text.length / 2), "damaged");
    await refuses(text.replace('"version":"', '"version":"9'), "the sum does not match");
    await refuses(text.replace('"format":1', '"format":2'), "reads up to 1");
    await refuses(text.replace(/("blob":"\w+","text":")/, "$1 "), "is not what its name says");
    await refuses("hello", "no tree that Cadre has exported");
    expect((await q.cadre("import", "nowhere")).stderr).toContain("cannot be read");
  });

  test("[E7] exporting a child run is refused, and the error names the command that moves the whole tree", async () => {
    await using p = await project(FILES);
    await p.cadre("run", "lead", "get it ready");
    await p.cadre("run");
    const [child, root] = (await p.cadre("runs", "--all", "--json"))
      .lines()
      .toSorted((a, b) => Number(b["depth"]) - Number(a["depth"]))
      .map(({ id }) => String(id));
    const before = await events(p, root!);
    const refused = await p.cadre("export", "--format", "cadre", child!);
    expect(refused.code).toBe(2);
    expect(refused.stderr.replaceAll(/\s+/g, " ")).toContain(
      `${child} belongs to ${root}. Nothing was moved: move the whole tree with \`cadre export --format cadre ${root}\`.`,
    );
    expect(await events(p, root!)).toEqual(before);
    expect((await p.cadre("export", child!, "--format", "jsonl")).code, "a copy to read").toBe(0);
  });

  test("[E7] [BV4] importing a frozen or paused tree prints the command that resumes the tree, even if the tree was already imported", async () => {
    for (const [hold, release] of [
      ["freeze", "thaw"],
      ["pause", "resume"],
    ] as const) {
      await using laptop = await project(FILES);
      await using desk = await project(FILES);
      await laptop.cadre("run", "lead", "get it ready");
      const runId = String((await laptop.cadre("runs", "--json")).lines()[0]!["id"]);
      await laptop.cadre(hold, runId);
      const early = await laptop.cadre("export", "--format", "cadre", runId);
      expect(early.stderr.replaceAll(/\s+/g, " "), "nobody has taken note of it").toContain(
        `\`cadre freeze ${runId}\` brings it to rest if a process drives it`,
      );
      await move(laptop, runId, "tree.cadre");
      for (const word of [/^Imported r\w+ \(2 runs/, /was already imported; nothing was changed/]) {
        const { stdout } = await desk.cadre("import", "--accept", join(laptop.folder, "tree.cadre"));
        expect(stdout).toMatch(word);
        expect(stdout).toContain(`  cadre ${release} ${runId}\n`);
        expect(stdout).toMatch(/needs approval: lead › worker: Write/);
        expect(stdout).toContain("continues at the next `cadre run` once you have answered and resumed it");
      }
    }
  });

  test("[E7] `import` reports a missing folder before it prints the approval commands", async () => {
    await using laptop = await project(FILES);
    await using desk = await project(FILES);
    const { file } = await exportTree(laptop);
    await rename(laptop.folder, `${laptop.folder}-away`);
    const script = [
      process.execPath,
      desk.launcher,
      "import",
      "--accept",
      file.replace(laptop.folder, `${laptop.folder}-away`),
    ];
    const { stdout } = await promisify(execFile)("sh", ["-c", `${script.join(" ")} 2>&1`], {
      cwd: desk.folder,
      env: desk.env,
    });
    await rename(`${laptop.folder}-away`, laptop.folder);
    expect(stdout.indexOf("does not exist here: create it")).toBeGreaterThan(0);
    expect(stdout.indexOf("does not exist here: create it")).toBeLessThan(stdout.indexOf("cadre approve"));
  });

  test("[E7] an imported tree can be moved to another store until a process drives the tree", async () => {
    await using laptop = await project(FILES);
    await using desk = await project(FILES);
    await using team = await project(FILES);
    team.env["CADRE_STORE"] = await postgres.newStore();
    const { runId, item, file } = await exportTree(laptop);
    await team.cadre("import", "--accept", file);
    const onwards = join(team.folder, "on.cadre");
    expect(await team.cadre("export", "--format", "cadre", runId, "--to", onwards)).toMatchObject({
      code: 0,
      stderr: "",
    });
    await desk.cadre("import", "--accept", onwards);
    await desk.cadre("approve", item);
    const answered = await desk.cadre("export", "--format", "cadre", runId);
    expect(answered.stderr, "what was answered is about to be at work").toContain(
      "is at work or about to be",
    );
    expect((await desk.cadre("run")).stdout).toContain("All parts are there.");
  });

  test("[E7] an export in another format does not move the tree, and no store can import the file", async () => {
    await using p = await project(FILES);
    await p.cadre("run", "lead", "get it ready");
    const runId = String((await p.cadre("runs", "--json")).lines()[0]!["id"]);
    const before = await events(p, runId);
    const exported = await p.cadre("export", "--format", "jsonl", runId, "--json");
    expect(exported.lines()).toMatchObject([
      { runId, format: "jsonl", file: join(p.folder, ".cadre", "exports", `${runId}.jsonl`) },
    ]);
    expect(await events(p, runId)).toEqual(before);
    expect((await p.cadre("import", `.cadre/exports/${runId}.jsonl`)).stderr).toContain("a copy to read");
  });
});

test("[26.11] without --to, an export is written where neither git nor an agent's search finds it", async () => {
  await using p = await project({
    "agents/a.md": agent("a", "tools: [Grep]\n"),
    "a.script.yaml": `turns:
  - { when: { turn: 1 }, text: A secretword. }
  - { text: Done. }
`,
  });
  await p.cadre("run", "a", "say it");
  const [run] = (await p.cadre("runs", "--json")).lines();
  const { stdout } = await p.cadre("export", String(run!["id"]), "--format", "jsonl", "--json");
  const { file } = JSON.parse(stdout) as { file: string };
  expect(file).toBe(join(p.folder, ".cadre", "exports", `${String(run!["id"])}.jsonl`));
  expect(await readFile(file, "utf8")).toContain("secretword");
  expect(await readFile(join(p.folder, ".cadre", "exports", ".gitignore"), "utf8")).toBe("*\n");
});
