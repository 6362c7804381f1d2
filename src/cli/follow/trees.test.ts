// Tests how commands show trees of runs to people and scripts.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { agent, type Finished, project } from "../cli.fixture.ts";
import { connect } from "../connection/connect.ts";

const ask = (name: string, task: string) => `{ tool: delegate, input: { agent: ${name}, task: "${task}" } }`;
const write = (path: string) => `{ tool: Write, input: { path: ${path}, content: "x" } }`;

interface Scripts {
  lead?: string;
  worker?: string;
  researcher?: string;
}

/** A lead with parallel workers. Each worker starts a researcher. */
const team = ({ lead, worker, researcher }: Scripts = {}) =>
  project({
    "agents/lead.md": agent("lead", "agents: [worker]\ndelegation: { mode: parallel, maxParallel: 4 }\n"),
    "agents/worker.md": agent("worker", "agents: [researcher]\n"),
    "agents/researcher.md": agent("researcher", "kind: subagent\n"),
    "lead.script.yaml": `turns:
  - when: { turn: 1 }
    text: I split it.
    calls: [${lead ?? `${ask("worker", "parser")}, ${ask("worker", "printer")}`}]
  - report: { summary: All parts are there. }
`,
    "worker.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [${ask("researcher", `look into \${task}`)}]
${worker ?? `  - { when: { turn: 2, task: parser }, calls: [${write("parser.txt")}] }`}
  - when: { isError: true }
    report: { summary: "No \${task}: \${lastResult}" }
  - report: { summary: "The \${task} is done." }
`,
    "researcher.script.yaml": researcher ?? "turns:\n  - report: { summary: Nothing is known. }\n",
  });

const WAIT = "{ when: { attempt: 1 }, delay: 600000, text: Never. }";
const runsOf = ({ lines }: Finished) =>
  lines() as { id: string; agent: string; status: string; below: number }[];

describe("at a terminal", () => {
  test("[U18] each run has its own line; a question names the agent, call and task, and does not stop other runs", async () => {
    await using p = await team({
      worker: `  - { when: { turn: 2, task: parser }, calls: [${write("parser.txt")}] }
  - { when: { task: printer }, delay: 700, report: { summary: The printer is done. } }`,
    });
    const terminal = p.terminal("run", "lead", "get it ready");
    await terminal.sees(/lead › worker needs your approval\nworks on: parser\ntool Write\nwhy it asks: /);
    // The other branch of the tree ends while the question is open.
    await terminal.sees(
      /lead +waiting for 1 run below .* \? worker .* ✓ worker#2 +The printer is done\..*\[a\]pprove .*\[\?\]/s,
    );
    const screen = terminal.screen();
    expect(screen).toMatch(/^○ lead +waiting for 1 run below +1 turn · \d+ tokens · \$0\.00 · +\d+ s$/m);
    expect(screen).toMatch(/^├─ \? worker +needs you: Write parser\.txt · parser +2 turns · /m);
    expect(screen).toMatch(/^│ {2}└─ ✓ researcher +Nothing is known\. +1 turn · /m);
    expect(screen).toMatch(/^└─ ✓ worker#2 +/m);
    expect(screen).toMatch(
      /^1 needs you · lead › worker · preset ask · .* · 5 runs: 1 waiting, 3 done · \d+ s/m,
    );
    expect(await readdir(p.folder)).not.toContain("parser.txt");
    await terminal.press("a", /lead › worker {2}Approved by .*: Write parser\.txt/);
    expect(await terminal.code).toBe(0);
    expect(terminal.screen()).toMatch(
      /\n✓ lead .*\n├─ ✓ worker +The parser is done\..*\n.*\n└─ ✓ worker#2.*\n.*\n.* · 5 runs: 5 done · .*\n\nCompleted\nAll parts are there\.\n/,
    );
    expect(terminal.screen()).toMatch(/^with all below it: \d+ tool calls · [\d,]+ tokens · \$0\.00 · /m);
    expect(terminal.screen().match(/✓ lead|needs your approval/g)).toHaveLength(2);
  });

  test("questions are asked one after the other, and each question says how many more are waiting", async () => {
    await using p = await team({
      worker: `  - { when: { turn: 2 }, calls: [{ tool: Write, input: { path: "\${task}.txt", content: x } }] }`,
    });
    const terminal = p.terminal("run", "lead", "get it ready");
    await terminal.sees(/1 more is waiting {2}\[a\]pprove [\s\S]*\[\?\]/);
    await terminal.press("a", /Approved by .*\.txt[\s\S]*needs your approval[\s\S]*\n\[a\]pprove .*\[\?\]/);
    await terminal.sees(/(lead › worker(#2)? needs your approval\nworks on: \w+[\s\S]*){2}\n\[a\]pprove/);
    await terminal.press("r", /Why \(the agent reads it\): /);
    terminal.type("not now\r");
    expect(await terminal.code).toBe(0);
    expect((await readdir(p.folder)).filter((file) => /^p.*\.txt$/.test(file))).toHaveLength(1);
  });

  test("Ctrl-C keeps the tree, and the next `cadre run` continues the tree and asks its question again", async () => {
    await using p = await team();
    const first = p.terminal("run", "lead", "get it ready");
    await first.sees(/\[\?\]/);
    first.type("\u0003");
    expect(await first.code).toBe(130);
    expect(first.text()).toMatch(/Run r\w+ is kept: `cadre run` continues it/);
    const next = p.terminal("run");
    await next.sees(/lead › worker needs your approval[\s\S]*\[\?\]/);
    await next.press("a", /Approved by/);
    expect(await next.code).toBe(0);
  });
});

test("`cadre runs` fits the terminal's width: a task that does not fit into its column gets its own line", async () => {
  await using p = await team();
  await p.cadre("run", "lead", "get everything ready that the release of the next version needs, and say so");
  const terminal = p.terminal("runs");
  expect(await terminal.code).toBe(0);
  const lines = terminal.screen().split("\n");
  expect(lines[0]).toMatch(/^r\w+ {2}Needs you {2}lead {2}4 below .*\$0\.00 {2}get everything .*…$/);
  p.env["COLUMNS"] = "80";
  const narrow = p.terminal("runs");
  expect(await narrow.code).toBe(0);
  expect(narrow.screen()).toMatch(
    /^r\w+ {2}Needs you {2}lead .* \$0\.00\n {4}get everything ready .* say so\n/,
  );
  expect(
    Math.max(
      ...narrow
        .text()
        .split("\n")
        .map((line) => line.length),
    ),
  ).toBeLessThan(80);
});

describe("without a terminal", () => {
  test("[U50] each line names its run; once no run can continue, the items that need a person are printed", async () => {
    await using p = await team();
    const parked = await p.cadre("run", "lead", "get it ready");
    expect(parked.code).toBe(3);
    expect(parked.stdout).toMatch(/^I split it\.$/m);
    expect(parked.stdout).toMatch(/^lead › worker#2 › researcher {2}run c\w+$/m);
    expect(parked.stdout).toMatch(/^lead › worker {2}Asks to use Write parser\.txt$/m);
    expect(parked.stdout).toMatch(/^lead {2}worker#2 is done: The printer is done\.$/m);
    expect(parked.stdout).not.toContain("\u001b");
    const [, id] = /^needs approval: lead › worker: Write parser\.txt\n {2}cadre approve (\S+)$/m.exec(
      parked.stdout,
    )!;

    const [listed] = (await p.cadre("approve", "--json")).lines();
    expect(listed).toMatchObject({ id, path: ["lead", "worker"], task: "parser" });
    expect((await p.cadre("approve")).stdout).toMatch(
      /^lead › worker needs your approval\nworks on: parser$/m,
    );
    expect((await p.cadre("runs")).stdout).toMatch(/^r\w+ {2}Needs you {2}lead {2}4 below /);
    expect((await p.cadre("approve", id!)).code).toBe(0);
    expect((await p.cadre("runs")).stdout).toMatch(/^r\w+ {2}Not being worked on {2}lead {2}4 below /);

    const resumed = await p.cadre("run");
    expect(resumed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Completed\nAll parts are there\./),
    });
    expect(await readFile(join(p.folder, "parser.txt"), "utf8")).toBe("x");
  });

  test("--json prints the events of all runs in order, and the usage of the tree", async () => {
    await using p = await team();
    const { code, lines } = await p.cadre("run", "--json", "--yes", "lead", "get it ready");
    expect(code).toBe(0);
    const events = lines().slice(0, -1) as { runId: string; position: number; type: string }[];
    expect(new Set(events.map(({ runId }) => runId)).size).toBe(5);
    expect(events.map(({ position }) => position)).toEqual(
      events.map(({ position }) => position).toSorted((left, right) => left - right),
    );
    expect(events.filter(({ type }) => type === "RUN_COMPLETED")).toHaveLength(5);
    const result = lines().at(-1) as { usage: { modelCalls: number }; treeUsage: { modelCalls: number } };
    expect(result.treeUsage.modelCalls).toBeGreaterThan(result.usage.modelCalls);
  });

  test("if a child run is paused, `cadre run` exits with 3 and prints the command that resumes the child", async () => {
    await using p = await team({
      lead: ask("worker", "printer"),
      researcher: `turns:\n  - ${WAIT}\n  - text: There.\n`,
    });
    const first = p.start("run", "--json", "lead", "get it ready");
    await first.shows(/"agent":"researcher"[\s\S]*MODEL_CALL_STARTED/);
    const found = runsOf(await p.cadre("runs", "--all", "--json")).find((run) => run.agent === "researcher")!;
    expect((await p.cadre("pause", found.id)).code).toBe(0);
    first.process.kill("SIGKILL");
    await first.end();
    const parked = await p.cadre("run");
    expect(parked.code).toBe(3);
    expect(parked.stdout).toMatch(
      new RegExp(
        `^Cannot continue: researcher, run ${found.id}: Paused by .*\\n {2}cadre resume ${found.id}$`,
        "m",
      ),
    );
    expect((await p.cadre("resume", found.id)).code).toBe(0);
    expect((await p.cadre("run")).code).toBe(0);
  });
});

describe("two processes", () => {
  test("[E1] the next `cadre run` continues a tree whose process was killed, and nothing is done twice", async () => {
    await using p = await team({
      lead: `${ask("worker", "printer")}, ${ask("worker", "docs")}`,
      researcher: `turns:\n  - ${WAIT.replace("attempt: 1", "attempt: 1, task: docs")}\n  - report: { summary: Known. }\n`,
    });
    const first = p.start("run", "lead", "get it ready");
    await first.shows(/worker is done/);
    first.process.kill("SIGKILL");
    await first.end();
    const left = await p.cadre("runs");
    expect(left.stdout).toMatch(/^r\w+ {2}Not being worked on {2}lead {2}4 below /);
    const next = await p.cadre("run");
    expect(next.code).toBe(0);
    expect(next.stdout).toContain("Continuing 1 unfinished run");
    expect(next.stdout).toMatch(/^lead {2}worker#2 is done: The docs is done\.$/m);
    const all = runsOf(await p.cadre("runs", "--all", "--json"));
    expect(all.map(({ agent, status }) => `${agent} ${status}`).toSorted()).toEqual([
      "lead completed",
      "researcher completed",
      "researcher completed",
      "worker completed",
      "worker completed",
    ]);
  });

  test("[U41] `cadre cancel` lists the runs it cancels, waits until all have ended, and exits with the root run's code", async () => {
    await using p = await team({
      lead: `${ask("worker", "printer")}, ${ask("worker", "docs")}`,
      researcher: `turns:\n  - { when: { task: docs }, delay: 600000, text: Never. }\n  - report: { summary: Known. }\n`,
    });
    const first = p.start("run", "lead", "get it ready");
    await first.shows(/worker is done/);
    const [root] = runsOf(await p.cadre("runs", "--json"));
    const tail = p.startHere("tail", root!.id);
    await tail.shows(/lead › worker#2 › researcher {2}run/);
    const { code, stdout } = await p.cadre("cancel", root!.id);
    expect(code).toBe(0);
    expect(stdout).toBe(
      "Stopping 3 of 5 runs: lead, worker, researcher (2 had already ended)\nStopped: all runs have ended.\n",
    );
    expect(runsOf(await p.cadre("runs", "--all", "--json", "--status", "running,waiting,pending"))).toEqual(
      [],
    );
    expect((await first.end()).code).toBe(4);
    expect((await tail.end()).code).toBe(4);
  });

  test("[P7] [U41] if no process drives the runs, `cadre cancel` ends the cancelled runs itself and drives no other runs", async () => {
    await using p = await team();
    const other = /cadre show (\w+)/.exec((await p.cadre("run", "lead", "something else")).stdout)![1]!;
    const id = /cadre show (\w+)/.exec((await p.cadre("run", "lead", "get it ready")).stdout)![1]!;
    const waiting = (await p.cadre("approve", "--json"))
      .lines()
      .find(({ rootRunId }) => rootRunId === other)!;
    expect((await p.cadre("approve", String(waiting["id"]))).code).toBe(0);
    expect((await p.cadre("cancel", id, "--reason", "not needed")).stdout).toBe(
      "Stopping 2 of 5 runs: lead, worker (3 had already ended)\nStopped: all runs have ended.\n",
    );
    expect((await p.cadre("show", id)).stdout).toMatch(/^Cancelled \(user\)\nCancelled by .*: not needed$/m);
    expect((await p.cadre("prune", "--run", id, "--yes")).stdout).toMatch(/^Deleted 1 tree \(5 runs, /);
    expect((await p.cadre("runs")).stdout).toMatch(/^r\w+ {2}Not being worked on {2}lead /);
    expect(await readdir(p.folder)).not.toContain("parser.txt");
  });

  test("[P9] [U41] `cadre cancel` names a run that cannot be read, and ends the other runs", async () => {
    await using p = await team();
    const id = /cadre show (\w+)/.exec((await p.cadre("run", "lead", "get it ready")).stdout)![1]!;
    const child = runsOf(await p.cadre("runs", "--all", "--json", "--status", "suspended")).find(
      ({ agent }) => agent === "worker",
    )!;
    const db = new DatabaseSync(join(p.folder, ".cadre", "cadre.db"));
    const ofChild = "run = (SELECT n FROM runs WHERE id = ?) AND type = 'TOOL_PROPOSED'";
    db.prepare(`UPDATE events SET payload = replace(payload, 'Write', 'Wrote') WHERE ${ofChild}`).run(
      child.id,
    );
    db.close();
    expect((await p.cadre("cancel", id)).stdout).toBe(
      `Stopping 2 of 5 runs: lead, worker (3 had already ended)\nCannot be ended, but does nothing: 1 of 2: worker. See why: cadre show ${child.id}\n`,
    );
    expect((await p.cadre("runs")).stdout).toMatch(/^r\w+ {2}Cancelled {2}lead /);
  });

  test("[U41] a run is shown as being cancelled until it has ended, and a second `cadre cancel` ends it", async () => {
    await using p = await team();
    const id = /cadre show (\w+)/.exec((await p.cadre("run", "lead", "get it ready")).stdout)![1]!;
    const { client, close } = await connect({ folder: p.folder, io: { env: p.env }, drive: false });
    expect((await client.post("/api/runs/{id}/cancel", { id })).cancelled).toHaveLength(2);
    expect(await client.get("/api/runs/{id}", { id })).toMatchObject({
      cancelRequested: true,
      status: "suspended",
    });
    await close();
    const now = `cancelled runs end at the next \`cadre run\`, or now: cadre cancel ${id}`;
    for (const look of ["runs", "show", "tail"] as const) {
      const { stdout, code } = await p.cadre(look, ...(look === "runs" ? [] : [id]));
      expect(stdout).toContain(now);
      if (look !== "tail") expect(stdout).toContain("Cancelled, not ended");
      else expect(code).toBe(4);
    }
    expect((await p.cadre("prune", "--run", id)).stderr).toContain(`Cancel it first: \`cadre cancel ${id}\``);
    const again = (await p.cadre("cancel", id, "--json")).lines()[0] as Record<string, string[]>;
    expect(again["cancelled"]).toHaveLength(2);
    expect(again["ended"]).toEqual(again["cancelled"]);
    expect((await p.cadre("runs")).stdout).toMatch(/^r\w+ {2}Cancelled {2}lead /);
  });
});

describe("looking at a tree", () => {
  test("`cadre show` draws the tree with each run's time, tokens and cost, and shows the path to a child run", async () => {
    await using p = await team();
    const [, id] = /cadre show (\w+)/.exec((await p.cadre("run", "--yes", "lead", "get it ready")).stdout)!;
    const { stdout } = await p.cadre("show", id!);
    expect(stdout).toMatch(/^ +time +active +tokens +cost +with all below$/m);
    expect(stdout).toMatch(/^lead +\S+ m?s +\S+ m?s +\d+ +\$0\.00 +[\d.k]+ · \$0\.00$/m);
    expect(stdout).toMatch(/^├─ worker +.* · \$0\.00\n│ {2}│ {2}Completed · c\w+ · The parser is done\.$/m);
    expect(stdout).toMatch(
      /^│ {2}└─ researcher +\S+ m?s +\S+ m?s +\d+ +\$0\.00\n│ +Completed · c\w+ · Nothing is known\.$/m,
    );
    expect(stdout).toMatch(/^files: created parser\.txt$/m);

    const all = runsOf(await p.cadre("runs", "--all", "--json"));
    expect(all.map(({ agent, below }) => [agent, below])).toEqual([
      ["lead", 4],
      ["worker", 1],
      ["researcher", 0],
      ["worker", 1],
      ["researcher", 0],
    ]);
    const child = await p.cadre("show", all[2]!.id);
    expect(child.stdout).toMatch(
      new RegExp(`^path lead › worker › researcher\\nstarted by: cadre show ${all[1]!.id}$`, "m"),
    );
    const [json] = (await p.cadre("show", id!, "--json")).lines();
    expect(json).toMatchObject({
      tree: { agent: "lead", children: [{ children: [{ agent: "researcher" }] }, {}] },
    });
  });

  test("[U02] `cadre runs` lists root runs; --all adds descendants; a filter lists matching runs with their ancestors", async () => {
    await using p = await team();
    await p.cadre("run", "--yes", "lead", "get it ready");
    await p.cadre("run", "--yes", "worker", "docs");
    const roots = (await p.cadre("runs")).stdout;
    expect(roots).toMatch(
      /^r\w+ {2}Completed {2}worker {2}1 below .* docs\nr\w+ {2}Completed {2}lead {4}4 below .* get it ready\n$/,
    );
    expect((await p.cadre("runs", "--limit", "1")).stdout.trim().split("\n")).toHaveLength(1);
    const found = runsOf(await p.cadre("runs", "--all", "--json", "--agent", "researcher"));
    expect(found.map(({ agent }) => agent)).toEqual(["researcher", "researcher", "researcher"]);
    const all = (await p.cadre("runs", "--all", "--agent", "researcher")).stdout;
    expect(
      all
        .trim()
        .split("\n")
        .map((line) => /^[rc]\w+ {2}Completed {2}(\W*\w+)/.exec(line)![1]),
    ).toEqual([
      "worker",
      "└─ researcher",
      "lead",
      "├─ worker",
      "│  └─ researcher",
      "└─ worker",
      "   └─ researcher",
    ]);
    expect((await p.cadre("runs", "--agent", "researcher")).stdout).toBe(
      "3 matching runs are below others: add --all\n",
    );
  });

  test("[B3] one command raises a tree's budget, and every run that had reached the budget continues", async () => {
    await using p = await team({
      researcher:
        "turns:\n  - { usage: { input: 3000, output: 100 }, report: { summary: Nothing is known. } }\n",
      worker:
        "  - { when: { turn: 2 }, usage: { input: 3000, output: 100 }, calls: [{ tool: LS, input: {} }] }",
    });
    await p.write("cadre.yaml", "limits: { tree: { maxTokens: 14000 }, onBudget: suspend }\n");
    const parked = await p.cadre("run", "--yes", "lead", "get it ready");
    expect(parked.code).toBe(3);
    expect(parked.stdout).toContain(
      "The budget of the whole tree does not cover the next call: the tree has 14,000 tokens, ",
    );
    const open = (await p.cadre("approve", "--json")).lines() as { id: string; limit: string }[];
    expect(new Set(open.map(({ limit }) => limit))).toEqual(new Set(["tree.maxTokens"]));
    const bare = await p.cadre("approve", open[0]!.id);
    expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("raise it with --max-tokens")]);
    expect((await p.cadre("approve", open[0]!.id, "--max-tokens", "500000")).code).toBe(0);
    expect((await p.cadre("approve", "--json")).lines()).toEqual([]);
    const resumed = await p.cadre("run", "--yes");
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining("All parts are there.") });
  });
});
