// Tests `cadre verify`. A receipt shows that a call ran as approved, so an altered call is found even in a recomputed hash chain.

import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { CHAIN_START, chainHash, digest } from "../../stores/hashes.ts";
import { agent, type Project, project } from "../cli.fixture.ts";

const LEAD = `turns:
  - when: { turn: 1 }
    calls: [{ tool: delegate, input: { agent: writer, task: write it } }]
  - report: { summary: Led. }
`;
const WRITER = `turns:
  - when: { turn: 1 }
    calls: [{ tool: Write, input: { path: out.txt, content: as shown } }]
  - report: { summary: Written. }
`;
const FILES = {
  "cadre.yaml": "permissions: { ask: [delegate, Write] }\n",
  "agents/lead.md": agent("lead", "agents: [writer]\n"),
  "agents/writer.md": agent("writer"),
  "lead.script.yaml": LEAD,
  "writer.script.yaml": WRITER,
};

/** Runs a tree in which a person approves two calls: a delegation, and a Write call with an edited input. */
async function runApprovedTree(p: Project): Promise<{ root: string; child: string }> {
  const item = (stdout: string) => /^ {2}cadre approve (\S+)$/m.exec(stdout)![1]!;
  await p.cadre("approve", item((await p.cadre("run", "lead", "get it written")).stdout));
  const edited = JSON.stringify({ path: "out.txt", content: "as edited" });
  await p.cadre("approve", item((await p.cadre("run")).stdout), "--edit", edited);
  expect((await p.cadre("run")).code).toBe(0);
  const [child, root] = (await p.cadre("runs", "--all", "--json"))
    .lines()
    .map(({ id }) => String(id))
    .toReversed();
  return { root: root!, child: child! };
}

/** Alters the payload of an event and recomputes the hash chain. Anyone with access to the file could do this. */
function alter(p: Project, runId: string, type: string, change: (payload: string) => string): number {
  using file = new DatabaseSync(join(p.folder, ".cadre/cadre.db"));
  const { n } = file.prepare("SELECT n FROM runs WHERE id = ?").get(runId) as { n: number };
  const rows = file.prepare("SELECT * FROM events WHERE run = ? ORDER BY seq").all(n);
  let previous = CHAIN_START;
  let altered = 0;
  for (const row of rows) {
    const link = {
      seq: Number(row["seq"]),
      ts: Number(row["ts"]),
      type: String(row["type"]),
      key: String(row["key"]),
    };
    const text = link.type === type ? change(String(row["payload"])) : String(row["payload"]);
    if (text !== row["payload"]) altered = link.seq;
    previous = chainHash(previous, { ...link, text });
    file
      .prepare("UPDATE events SET payload = ?, hash = ? WHERE run = ? AND seq = ?")
      .run(text, Buffer.from(previous, "hex"), n, link.seq);
  }
  file.prepare("UPDATE runs SET hash = ? WHERE n = ?").run(Buffer.from(previous, "hex"), n);
  expect(altered).toBeGreaterThan(0);
  return altered;
}

test("[P5] [I8] an approved call shows its receipt; `verify` checks the receipt in the store and in an exported file", async () => {
  await using p = await project(FILES);
  const { root, child } = await runApprovedTree(p);
  expect(await readFile(join(p.folder, "out.txt"), "utf8")).toBe("as edited");
  const whole = await p.cadre("verify", root);
  expect(whole).toMatchObject({ code: 0 });
  expect(whole.stdout).toMatch(
    /^Whole: \d+ events of 2 runs, chain ends in \w+; 2 approved calls ran as approved\n$/,
  );

  const receipt = digest(JSON.stringify(["Write", { path: "out.txt", content: "as edited" }]));
  const words = new RegExp(`identical to what was approved \\d\\d:\\d\\d by \\S+, sha256 ${receipt}`);
  expect((await p.cadre("show", child)).stdout).toMatch(words);
  const events = (await p.cadre("show", child, "--events", "--json")).lines();
  const began = events.find(({ type }) => type === "TOOL_STARTED")!;
  expect((await p.cadre("why", `${child}#${String(began["seq"])}`)).stdout).toMatch(words);

  await p.cadre("export", root, "--to", "page.html");
  expect((await p.cadre("verify", "page.html")).stdout).toContain("2 approved calls ran as approved");
});

const FORGERIES: [type: string, run: "root" | "child", from: string, to: string, problem: RegExp][] = [
  [
    "APPROVAL_DECIDED",
    "child",
    '"as edited"',
    '"as forged"',
    /^Write \(m1\.0\) began .* is not what \S+ approved/,
  ],
  ["APPROVAL_DECIDED", "child", '"edit"', '"reject"', /, and no person had approved it/],
  [
    "TOOL_STARTED",
    "child",
    '"receipt":"',
    '"receipt":"0',
    /^Write \(m1\.0\) began .* is not what \S+ approved/,
  ],
  ["TOOL_PROPOSED", "child", '"hash":"', '"hash":"0', / was bound to something else/],
  [
    "AGENT_THOUGHT",
    "root",
    '"write it"',
    '"erase it"',
    /^delegate \(m1\.0\) began .* is not what \S+ approved/,
  ],
  ["CHILD_RUN_STARTED", "root", '"write it"', '"erase it"', /with another task than was approved/],
  ["RUN_STARTED", "child", '"write it"', '"erase it"', /began with another task or agent/],
];

test("[A16] [P5] [I8] [J9] `verify` finds an altered event in a recomputed chain, because the call no longer matches its approval", async () => {
  await using p = await project(FILES);
  const runs = await runApprovedTree(p);
  const [state, kept] = [join(p.folder, ".cadre"), join(p.folder, "kept")];
  await cp(state, kept, { recursive: true });
  for (const [type, which, from, to, problem] of FORGERIES) {
    alter(p, runs[which], type, (payload) => payload.replace(from, to));
    const checked = await p.cadre("verify", runs.root, "--json");
    const [answer] = checked.lines();
    const at = answer!["at"] as { runId: string; seq: number };
    expect(answer, type).toMatchObject({ ok: false, problem: expect.stringMatching(problem) });
    expect(answer!["problem"]).toContain(`event ${at.seq} of run ${at.runId}`);
    expect(checked.code).toBe(1);
    await rm(state, { recursive: true });
    await cp(kept, state, { recursive: true });
  }
  expect((await p.cadre("verify", runs.root)).code).toBe(0);
});

type Columns = Record<string, string>;

/** Manipulations of the database file, each with the problem that `verify` must report. */
const TAMPERED: [what: string, sql: (ids: Columns) => string, problem: (ids: Columns) => string][] = [
  [
    "a child that is gone",
    ({ child }) =>
      `DELETE FROM events WHERE run = (SELECT n FROM runs WHERE id = '${child}'); DELETE FROM runs WHERE id = '${child}'`,
    ({ root, child, started }) =>
      `Run ${child}, which event ${started} of run ${root} has started, is not there.`,
  ],
  [
    "a child that is nobody's any more",
    ({ child }) => `UPDATE runs SET parent = NULL WHERE id = '${child}'`,
    ({ child, last }) =>
      `The listed row of run ${child} (parentRunId) differs from its journal, up to event ${last} of run ${child}.`,
  ],
  [
    "a child whose end was cut off",
    ({
      child,
      last,
    }) => `DELETE FROM events WHERE run = (SELECT n FROM runs WHERE id = '${child}') AND seq = ${last};
      UPDATE runs SET seq = seq - 1, hash = (SELECT hash FROM events WHERE run = n AND seq = ${last} - 1) WHERE id = '${child}'`,
    ({ root, child, ended, last }) =>
      `The end of run ${child}, which event ${ended} of run ${root} says that it has, is not there: its journal stops at event ${Number(last) - 1}.`,
  ],
  [
    "an agent that may more",
    ({ definition }) =>
      `UPDATE blobs SET text = replace(text, '"maxTurns"', '"maxturns"') || ' ' WHERE hash = '${definition}'`,
    ({ child, definition }) =>
      `The stored value ${definition}, which event 1 of run ${child} refers to, is missing or damaged.`,
  ],
  [
    "an agent that is gone",
    ({ definition }) => `DELETE FROM blobs WHERE hash = '${definition}'`,
    ({ child, definition }) =>
      `The stored value ${definition}, which event 1 of run ${child} refers to, is missing or damaged.`,
  ],
  [
    "a run that is said to be another",
    ({ child }) =>
      `UPDATE runs SET agent = 'lead', summary = '"Nothing."', usage = json_set(usage, '$.cost', 9) WHERE id = '${child}'`,
    ({ child, last }) =>
      `The listed row of run ${child} (agent, summary, usage) differs from its journal, up to event ${last} of run ${child}.`,
  ],
  [
    "a run that nobody has started",
    ({ root, stranger }) => `UPDATE runs SET root = '${root}', parent = '${root}' WHERE id = '${stranger}'`,
    ({ root, stranger }) => `Run ${stranger} is listed below run ${root}, whose journal does not mention it.`,
  ],
];

/** Runs `replay` in a separate process, because this process has cached the events from before the manipulation. */
async function expectOneReport(p: Project, runId: string, definition: string): Promise<void> {
  const replayed = await p.spawn("replay", runId);
  expect(replayed.code).toBe(1);
  expect(replayed.stderr.match(new RegExp(definition, "g"))).toHaveLength(1);
  expect(replayed.stderr).not.toMatch(/GET|\/api\//);
}

test("[A16] [J7] [J9] [P6] [I3] `verify` names the run and the event of a deleted or forged row, even if all hash chains are intact", async () => {
  await using p = await project(FILES);
  const { root, child } = await runApprovedTree(p);
  expect((await p.cadre("run", "--yes", "writer", "write it, too")).code).toBe(0);
  const listed = (await p.cadre("runs", "--json")).lines();
  const stranger = String(listed.find(({ agent }) => agent === "writer")!["id"]);
  const events = async (id: string) => (await p.cadre("show", id, "--events", "--json")).lines();
  const [above, below] = [await events(root), await events(child)];
  const seqOf = (type: string) => String(above.find((event) => event["type"] === type)!["seq"]);
  const { definition } = below[0]!["payload"] as { definition: string };
  const [started, ended] = [seqOf("CHILD_RUN_STARTED"), seqOf("CHILD_RUN_COMPLETED")];
  const ids = { root, child, stranger, definition, started, ended, last: String(below.length) };
  const [state, kept] = [join(p.folder, ".cadre"), join(p.folder, "kept")];
  await cp(state, kept, { recursive: true });
  for (const [what, sql, problem] of TAMPERED) {
    using file = new DatabaseSync(join(state, "cadre.db"));
    file.exec(sql(ids));
    file.close();
    const checked = await p.cadre("verify", root, "--json");
    expect(checked.lines()[0], what).toMatchObject({ ok: false, problem: problem(ids) });
    if (what === "an agent that is gone") await expectOneReport(p, child, definition);
    expect(checked.code).toBe(1);
    await rm(state, { recursive: true });
    await cp(kept, state, { recursive: true });
  }
  expect((await p.cadre("verify", root)).code).toBe(0);
});

test("[J9] [J7] `verify` reports a file as damaged if a run was removed from it, even if the file's checksum was recomputed", async () => {
  await using p = await project(FILES);
  const { root, child } = await runApprovedTree(p);
  await p.cadre("export", root, "--format", "jsonl", "--to", "tree.jsonl");
  const lines = (await readFile(join(p.folder, "tree.jsonl"), "utf8")).trimEnd().split("\n").slice(0, -1);
  const left = lines.filter((line) => !line.startsWith(`{"run":"${child}"`));
  expect(left.length).toBeLessThan(lines.length);
  const sum = left.reduce((before, line) => digest(`${before}\n${line}`), "");
  await p.write("cut.jsonl", `${left.join("\n")}\n${JSON.stringify({ end: { lines: left.length, sum } })}\n`);
  expect(await p.cadre("verify", "cut.jsonl")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      new RegExp(`^Not whole: Run ${child}, which event \\d+ of run ${root} has started, is not there`),
    ),
  });
});

test("[J9] [I8] in an altered file with a recomputed checksum, `verify` reports the call that differs from its approval", async () => {
  await using p = await project(FILES);
  const { root, child } = await runApprovedTree(p);
  alter(p, child, "APPROVAL_DECIDED", (payload) => payload.replace('"as edited"', '"as forged"'));
  await p.cadre("export", root, "--format", "jsonl", "--to", "tree.jsonl");
  const checked = await p.cadre("verify", "tree.jsonl");
  expect(checked.code).toBe(1);
  expect(checked.stdout).toMatch(new RegExp(`^Not whole: Write .* of run ${child} `));
});
