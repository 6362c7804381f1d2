// Tests the command line as people and scripts use it: with real processes, real folders and a scripted model.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PDF, PNG } from "../../test/support/sample-files.ts";
import { agent, type Project, project } from "./cli.fixture.ts";

const HAPPY =
  "turns:\n  - when: { turn: 1 }\n    calls: [{ tool: Read, input: { path: note.txt } }]\n  - report: { summary: All is well. }\n";
const WRITES = `turns:
  - when: { turn: 1 }
    text: I write it down.
    calls: [{ tool: Write, input: { path: out.txt, content: "written" } }]
  - when: { isError: true }
    report: { summary: "Not written: \${lastResult}" }
  - report: { summary: Written. }
`;
const SLOW = `turns:
  - when: { turn: 1 }
    text: I take my time.
    delay: 600000
  - text: Too late.
`;

const happy = () =>
  project({ "agents/tidy.md": agent("tidy"), "tidy.script.yaml": HAPPY, "note.txt": "hello\n" });
const writer = () => project({ "agents/pen.md": agent("pen"), "pen.script.yaml": WRITES });

describe("cadre run", () => {
  test("`cadre run` runs the project's only agent to its end and prints JSON lines or text", async () => {
    await using p = await happy();
    const machine = await p.spawn("run", "--json", "look at the note");
    expect(machine).toMatchObject({ code: 0, stderr: "" });
    const lines = machine.lines();
    expect(lines[0]).toMatchObject({ type: "RUN_STARTED", payload: { agent: "tidy", attended: false } });
    expect(lines.at(-1)).toMatchObject({
      type: "result",
      status: "completed",
      summary: "All is well.",
      exitCode: 0,
    });

    const people = await p.cadre("run", "look at the note");
    expect(people.code).toBe(0);
    expect(people.stdout).toContain("model scripted/tidy (scripted)");
    expect(people.stdout).toContain("Read note.txt");
    expect(people.stdout).toMatch(/Completed\nAll is well\./);
    expect(people.stdout).toMatch(/2 turns · \d+ events · 1 tool call · .* · \$0\.00 · /);
    expect(people.stdout).not.toContain("\u001b");

    const id = /look again: cadre show (\w+)/.exec(people.stdout)![1]!;
    const shown = await p.cadre("show", id.slice(0, 14));
    expect(shown.stdout).toContain("look at the note");
    expect(shown.stdout).toContain("All is well.");
    expect((await p.cadre("show", id, "--events", "--json")).lines().map(({ seq }) => seq)).toEqual(
      lines.slice(0, -1).map(({ seq }) => seq),
    );
    expect((await p.cadre("verify", id)).stdout).toMatch(/^Whole: \d+ events/);
    expect((await p.cadre("runs", "--json")).lines()).toHaveLength(2);
    expect((await p.cadre("runs", "--status", "failed")).stdout).toBe("No runs match.\n");
  });

  test("[U50] if the run needs a person, `cadre run` exits with 3 and prints the commands for answering; the next `cadre run` continues the run", async () => {
    await using p = await writer();
    const parked = await p.cadre("run", "write it");
    expect(parked.code).toBe(3);
    const [, id] = /^ {2}cadre approve (\S+)$/m.exec(parked.stdout)!;
    expect(await readdir(p.folder)).not.toContain("out.txt");

    expect((await p.cadre("approve", id!.replace(/^(.{12}).*:/, "$1:"))).stdout).toMatch(
      /needs your approval[\s\S]*\+written[\s\S]*^Approved; no Cadre process is running here/m,
    );
    const again = await p.cadre("approve", id!.replace(/^(.{12}).*:/, "$1:"));
    expect(again.stdout).toContain("It was already approved; no Cadre process is running here");
    expect(await readdir(p.folder)).not.toContain("out.txt");

    expect((await p.cadre("show", id!.split(":")[0]!)).stdout).toMatch(
      /^Not being worked on$[\s\S]*continue at the next `cadre run`/m,
    );
    expect((await p.cadre("runs")).stdout).toContain("Not being worked on");

    const resumed = await p.spawn("run");
    expect(resumed).toMatchObject({ code: 0 });
    expect(resumed.stdout).toContain("Continuing 1 unfinished run\n");
    expect(resumed.stdout).toMatch(/Completed\nWritten\./);
    expect(await readFile(join(p.folder, "out.txt"), "utf8")).toBe("written");
    expect((await p.cadre("run")).stderr).toMatch(/^cadre: There are no unfinished runs here\./);
  });

  test("[A17] `approve` without an id approves nothing; it shows each open item in full, with the commands that answer the item", async () => {
    await using p = await writer();
    expect((await p.cadre("approve")).stdout).toBe("Nothing waits for a person here.\n");
    const [, id] = /cadre approve (\S+)/.exec((await p.cadre("run", "write it")).stdout)!;
    const listed = await p.cadre("approve");
    expect(listed.code).toBe(0);
    expect(listed.stdout).toMatch(
      /^pen needs your approval\nworks on: write it\ntool Write\nwhy it asks: no rule allows this use of Write/m,
    );
    expect(listed.stdout).toContain("  +written");
    expect(listed.stdout).toContain(`run ${id!.split(":")[0]} · agent pen`);
    for (const command of [
      `  cadre approve ${id}\n`,
      `  cadre reject ${id} --note "why"\n`,
      `  cadre approve ${id} --edit '{"path":"out.txt","content":"written"}'\n`,
    ])
      expect(listed.stdout).toContain(command);
    expect((await p.cadre("show", id!.split(":")[0]!)).stdout).toContain(listed.stdout);
    const blind = await p.cadre("approve", "--note", "whatever it is");
    expect(blind).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/^cadre: Say which/) });
    expect((await p.cadre("approve", "--json")).lines()).toMatchObject([{ id, grant: "Edit(out.txt)" }]);
    expect((await p.cadre("runs")).stdout).toContain("Needs you");
  });

  test("`approve` refuses an impossible scope with a one-sentence error, and the item stays open", async () => {
    await using p = await project({
      "agents/pen.md": agent("pen"),
      "pen.script.yaml":
        'turns:\n  - when: { turn: 1 }\n    calls: [{ tool: Bash, input: { command: "touch a > b" } }]\n  - text: Done.\n',
    });
    const [, id] = /cadre approve (\S+)/.exec((await p.cadre("run", "go")).stdout)!;
    expect(await p.cadre("approve", id!, "--scope", "always")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^cadre: This decision can only be given once/),
    });
    const [open] = (await p.cadre("approve", "--json")).lines();
    expect(open).toMatchObject({ id });
    expect(open).not.toHaveProperty("grant");
  });

  test("a call that a person rejects with `cadre reject` does not run, and the agent reads the reason", async () => {
    await using p = await writer();
    const [, id] = /cadre approve (\S+)/.exec((await p.cadre("run", "write it")).stdout)!;
    expect((await p.cadre("reject", id!.slice(0, 10), "--note", "wrong file")).code).toBe(0);
    expect((await p.cadre("reject", id!, "--note", "wrong file")).stdout).toContain(
      "It was already rejected",
    );
    const other = await p.cadre("approve", id!);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringMatching(/^cadre: .*decided already/) });
    const resumed = await p.cadre("run");
    expect(resumed.stdout).toContain("wrong file");
    expect(await readdir(p.folder)).not.toContain("out.txt");
  });

  test("an edited call runs with the edited input; an invalid edit leaves the approval open", async () => {
    await using p = await writer();
    const [, id] = /cadre approve (\S+)/.exec((await p.cadre("run", "write it")).stdout)!;
    const misfit = await p.cadre("approve", id!, "--edit", '{"path": 7}');
    expect(misfit).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("stays open") });
    expect((await p.cadre("approve", id!, "--edit", "{")).stderr).toMatch(/^cadre: This is not JSON/);
    const edited = await p.cadre("approve", id!, "--edit", '{"path":"out.txt","content":"mine"}');
    expect(edited.stdout).toMatch(
      /^ {2}- {2}"content": "written"\n {2}\+ {2}"content": "mine"\n[\s\S]*^Approved; /m,
    );
    expect((await p.cadre("run")).code).toBe(0);
    expect(await readFile(join(p.folder, "out.txt"), "utf8")).toBe("mine");
  });

  test("`--yes` approves calls automatically, and the journal records this", async () => {
    await using p = await writer();
    const done = await p.cadre("run", "--yes", "--json", "write it");
    expect(done.code).toBe(0);
    const decided = done.lines().find(({ type }) => type === "APPROVAL_DECIDED");
    expect(decided).toMatchObject({ payload: { decision: "approve", note: "--yes" } });
  });

  test("with --detach a background process continues the run", async () => {
    await using p = await happy();
    const { code, stdout, stderr } = await p.spawn("run", "--detach", "look");
    expect(code).toBe(0);
    const id = stdout.trim();
    expect(stderr).toBe(
      `cadre: it continues in the background until it has ended or needs you. Follow it: cadre tail ${id}\ncadre: if it needs you, \`cadre approve\` shows why. It continues in the background when you have answered.\n`,
    );
    for (;;) {
      const [run] = (await p.cadre("runs", "--json")).lines();
      expect(run!["id"]).toBe(id);
      if (run!["endedAt"] !== undefined) break;
    }
    expect((await p.cadre("tail", id)).stdout).toMatch(/Completed\nAll is well\./);
  });

  test("`cadre run` exits with 1 and prints the reason if the run fails", async () => {
    await using p = await project({
      "agents/bad.md": agent("bad"),
      "bad.script.yaml": "turns:\n  - error: { status: 401, message: wrong key }\n",
    });
    const failed = await p.cadre("run", "try");
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/Failed \(provider\)\n.*\(401\)/);
    expect(failed.stdout).toMatch(/^Why it failed: cadre why \w+$/m);
    expect(failed.stdout).toMatch(/^Retry from where it failed: cadre retry \w+$/m);
  });

  test("`retry` continues a failed run in a new run, and follows the new run to its end", async () => {
    await using p = await project({
      "agents/pen.md": agent("pen"),
      "note.txt": "hello\n",
      "pen.script.yaml":
        "turns:\n  - when: { turn: 1 }\n    calls: [{ tool: Read, input: { path: note.txt } }]\n  - error: { status: 401, message: wrong key }\n",
    });
    const [, id] = /cadre retry (\w+)/.exec((await p.cadre("run", "look")).stdout)!;
    expect((await p.cadre("show", id!)).stdout).toContain(`cadre retry ${id}`);
    await p.write("pen.script.yaml", `turns:\n  - report: { summary: "Went on after \${lastResult}" }\n`);
    const again = await p.cadre("retry", "--json", id!.slice(0, 14));
    expect(again.code).toBe(0);
    const [started] = again.lines();
    expect(started).toMatchObject({ type: "RUN_STARTED", payload: { trigger: "retry", task: "look" } });
    expect(started!["runId"]).not.toBe(id);
    expect(again.lines().at(-1)).toMatchObject({
      status: "completed",
      summary: expect.stringContaining("hello"),
    });

    const detached = await p.spawn("retry", "--detach", id!);
    expect(detached.code).toBe(0);
    const tail = await p.cadre("tail", detached.stdout.trim());
    expect(tail.stdout).toContain(`run ${detached.stdout.trim()} · continues ${id}`);
    expect((await p.cadre("show", detached.stdout.trim())).stdout).toContain(`continues run ${id}`);
    const haveAllEnded = async () =>
      (await p.cadre("runs", "--json")).lines().every((run) => "endedAt" in run);
    await expect.poll(haveAllEnded, { timeout: 10_000 }).toBe(true);
    expect(await p.cadre("retry", "r00000000")).toMatchObject({
      code: 2,
      stderr: "cadre: There is no run r00000000. `cadre runs` lists the existing ones.\n",
    });
  });
});

describe.concurrent("two processes in one folder", () => {
  const slow = () => project({ "agents/slow.md": agent("slow"), "slow.script.yaml": SLOW });
  const begun = async (p: Project, ...args: string[]) => {
    const first = p.start("run", "--json", ...args, "wait");
    const [, id] = await first
      .shows(/"type":"MODEL_CALL_STARTED"/)
      .then(() => /"runId":"(\w+)"/.exec(first.output())!);
    return { first, id: id! };
  };

  test("[F32] a second process is a client of the first process: it can list, follow and cancel the first process's runs", async () => {
    await using p = await slow();
    const { first, id } = await begun(p);
    const [listed] = (await p.cadre("runs", "--json")).lines();
    expect(listed).toMatchObject({ id, status: "running" });
    expect((await p.cadre("runs")).stdout).toContain("Running");
    expect(await p.cadre("retry", id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has not ended"),
    });
    const tail = p.startHere("tail", id);
    await tail.shows(/model scripted\/slow/);
    expect((await p.cadre("message", id, "hurry up")).stdout).toContain(
      `process ${first.process.pid} continues it`,
    );
    await tail.shows(/hurry up/);
    expect((await p.cadre("cancel", id, "--reason", "enough")).code).toBe(0);
    expect((await first.end()).code).toBe(4);
    expect(await tail.end()).toMatchObject({ code: 4, stdout: expect.stringContaining("Cancelled") });
    const over = await p.cadre("cancel", id);
    expect(over).toMatchObject({ code: 1, stderr: expect.stringContaining("has ended already (cancelled)") });
  });

  test("[E1] when the store's owner is killed, a waiting client takes over the store and continues its own run and the owner's run", async () => {
    await using p = await project({
      "agents/slow.md": agent("slow"),
      "slow.script.yaml": SLOW,
      "agents/pair.md": agent("pair"),
      "pair.script.yaml": "turns:\n  - { delay: 1500, text: Paired. }\n",
    });
    const { first, id } = await begun(p, "slow");
    const second = p.start("run", "--json", "pair", "go");
    await second.shows(/MODEL_CALL_STARTED/);
    first.process.kill("SIGKILL");
    const ended = await second.end();
    expect(ended.code).toBe(0);
    expect(
      ended
        .lines()
        .map(({ seq }) => seq)
        .slice(0, -1),
    ).toEqual(
      ended
        .lines()
        .slice(0, -1)
        .map((_, i) => i + 1),
    );
    expect((await p.cadre("show", id, "--json")).lines()[0]).toMatchObject({
      status: expect.stringMatching(/running|waiting/),
    });
  });

  test("[E1] when the store's owner is killed and no process replaces it, `cadre tail` waits a while and then reports that the owner is gone", async () => {
    await using p = await slow();
    const { first, id } = await begun(p);
    const tail = p.startHere("tail", id);
    await tail.shows(/model scripted\/slow/);
    first.process.kill("SIGKILL");
    expect(await tail.end()).toMatchObject({
      stderr: "",
      stdout: expect.stringContaining("No Cadre process is running here, so there will be no more events"),
    });
  });

  test("the next `cadre run` continues a run whose process was killed", async () => {
    await using p = await project({
      "agents/slow.md": agent("slow"),
      "slow.script.yaml":
        "turns:\n  - { when: { attempt: 1 }, delay: 600000, text: Never. }\n  - text: Second try.\n",
    });
    const { first, id } = await begun(p);
    first.process.kill("SIGKILL");
    await first.end();
    const next = await p.cadre("run");
    expect(next.code).toBe(0);
    expect(next.stdout).toContain("Continuing 1 unfinished run");
    expect(next.stdout).toContain(`run ${id}`);
    expect(next.stdout).toContain("Second try.");
  });

  test("[F10] SIGTERM shuts a process down gracefully with exit code 0, and the next process continues the unfinished run", async () => {
    await using p = await slow();
    const { first, id } = await begun(p);
    first.process.kill("SIGTERM");
    const left = await first.end();
    expect(left).toMatchObject({ code: 0, stderr: "" });
    expect(left.lines().at(-1)).toEqual({ type: "left", runId: id });
    expect((await p.cadre("runs", "--json")).lines()[0]!["endedAt"]).toBeUndefined();
    const tail = await p.cadre("tail", id);
    expect(tail.stdout).toContain("No Cadre process is running here");
    expect((await p.cadre("runs")).stdout).not.toContain("Running");
    expect((await p.cadre("show", id)).stdout).toMatch(/^Not being worked on$/m);
    expect((await p.cadre("pause", id)).stdout).toBe(
      `Pause recorded; no Cadre process is running here: it stays paused until \`cadre resume ${id}\`.\n`,
    );
    expect((await p.cadre("cancel", id)).stdout).toBe(
      "Stopping 1 of 1 run: slow\nStopped: all runs have ended.\n",
    );
    expect((await p.cadre("tail", id)).code).toBe(4);
  });

  test("after Ctrl-C the run is kept, and Cadre prints the command that continues the run", async () => {
    await using p = await slow();
    const first = p.start("run", "wait");
    await first.shows(/model scripted/);
    first.process.kill("SIGINT");
    expect(await first.end()).toMatchObject({
      code: 130,
      stdout: expect.stringContaining("`cadre run` continues it"),
    });
  });
});

describe("mistakes on the command line", () => {
  test.each([
    [["rnu"], /^cadre: Unknown command 'rnu'\. Did you mean run\?\n$/],
    [["runs", "--statsu", "x"], /^cadre: Unknown option '--statsu'\. Did you mean --status\?\n$/],
    [["runs", "--status", "lost"], /^cadre: --status lost: it is one of pending,/],
    [["runs", "--limit", "many"], /^cadre: --limit many: give a whole number/],
    [
      ["show"],
      /^cadre: show needs <run>: a run's id, .* \(`cadre runs` lists them\)\. See cadre help show\.\n$/,
    ],
    [["show", "r00000000"], /^cadre: There is no run r00000000\. `cadre runs` lists the existing ones\.\n$/],
    [
      ["verify", "r00000000"],
      /^cadre: There is no run r00000000\. `cadre runs` lists the existing ones\.\n$/,
    ],
    [
      ["approve", "r0:m1.0"],
      /^cadre: There is no approval r0:m1\.0\. `cadre approve` lists open ones\. Nothing was decided\.\n$/,
    ],
    [["outcome", "r00000000"], /^cadre: There is no run r00000000\./],
    [
      ["import", "gone.json"],
      /^cadre: \S+gone\.json cannot be read \(it is not there\)\. Nothing was imported\.\n$/,
    ],
    [["import", "agents"], /agents cannot be read \(it is a folder\)\. Nothing was imported\.\n$/],
    [["verify", "gone.json"], /^cadre: There is no file \S+gone\.json, and no run with this id/],
    [["export", "r0", "--format", "zip"], /^cadre: --format zip: it is one of html, jsonl, cadre\.\n$/],
    [["users", "add", "ada"], /^cadre: --role <role> is missing\. See cadre users add --help\.\n$/],
    [["up", "--port", "99999"], /^cadre: --port must be at most 65535, and is 99999\. Nothing was done\.\n$/],
    [["outcome", "r00000000", "m1.0", "perhaps"], /^cadre: perhaps is not a verdict/],
    [
      ["run", "nobody", "task"],
      /^cadre: There is no agent `nobody`\. Known agents: tidy, and \d+ that are built in \(`cadre agents --all` lists them\)\.\n$/,
    ],
    [["run", "tidy"], /^cadre: `tidy` is an agent: give it a task/],
    [["run", "a", "b", "c"], /^cadre: Too many words: put the task in quotes/],
    [["run", ""], /^cadre: A run needs a task: cadre run "what to do"\. Nothing was started\.\n$/],
    [["runs", "-C", "nowhere"], /^cadre: There is no folder .*\/nowhere\.\n$/],
    [["run", "-C", "note.txt", "go"], /^cadre: There is no folder .*\/note\.txt\.\n$/],
  ])("the mistaken command %j is refused with a one-sentence error", async (args, sentence) => {
    await using p = await happy();
    const { code, stdout, stderr } = await p.cadre(...args);
    expect(stderr).toMatch(sentence);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    const made = await readdir(p.folder);
    expect(made).not.toContain("nowhere");
    if (args[0] !== "run") expect(made).not.toContain(".cadre");
  });

  test("a broken agent file is reported with its line and column", async () => {
    await using p = await happy();
    await p.write(
      "agents/broken.md",
      "---\nname: broken\ndescription: x\nlimits: { maxTurns: soon }\n---\nx\n",
    );
    expect((await p.cadre("run", "broken", "go")).stderr).toMatch(
      /^cadre: Agent `broken` cannot run: agents\/broken\.md:\d+:\d+ /,
    );
    expect(await p.cadre("agents", "validate")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("broken.md:"),
    });
    expect((await p.cadre("agents")).code).toBe(0);
    await p.write("cadre.yaml", "limits:\n  maxTurns: soon\n");
    expect(await p.cadre("runs")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^cadre: cadre\.yaml:2:\d+ /),
    });
    expect(await p.cadre("doctor")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^bad {3}cadre\.yaml: cadre\.yaml:2/m),
    });
  });

  test("with --json a failure is printed as a line of JSON; a stack trace is printed only with CADRE_DEBUG", async () => {
    await using p = await happy();
    const { stdout, stderr } = await p.cadre("show", "r00000000", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "NOT_FOUND" } });
    expect(stderr.split("\n")).toHaveLength(2);
    p.env["CADRE_DEBUG"] = "1";
    expect((await p.cadre("show", "r00000000")).stderr).toContain("    at ");
  });

  test("`cadre run` reports that its run waits for an unreachable provider", async () => {
    await using p = await project({
      "cadre.yaml":
        "model: far/away\nproviders: { far: { type: openai-compatible, baseURL: 'http://127.0.0.1:9/v1' } }\n",
    });
    p.env["CADRE_TRUST"] = "1";
    const run = p.startHere("run", "hello");
    await run.shows(/Waiting for the provider until \d\d:\d\d.* · attempt 2 in \d/);
    expect((await run.leave()).code).toBe(0);
  });
});

test("`run --input` accepts the agent's input as JSON or as a file, and reports invalid input", async () => {
  const schema = "input: { type: object, properties: { ticket: { type: integer } }, required: [ticket] }\n";
  await using p = await project({
    "agents/desk.md": agent("desk", schema),
    "desk.script.yaml": "turns:\n  - text: Seen.\n",
    "ticket.json": '{ "ticket": 8 }',
  });
  const startWith = async (input: string) => {
    const { code, lines } = await p.cadre("run", "desk", "see to it", "--json", "--input", input);
    expect(code).toBe(0);
    return lines()[0];
  };
  expect(await startWith('{"ticket": 7}')).toMatchObject({ payload: { input: { ticket: 7 } } });
  expect(await startWith("@ticket.json")).toMatchObject({ payload: { input: { ticket: 8 } } });
  for (const [words, wrong] of [
    [
      ["desk", "go", "--input", "{ticket"],
      /^cadre: --input is not JSON: .*@file for a file with JSON\. Nothing was started\.\n$/,
    ],
    [["desk", "go", "--input", "@no.json"], /^cadre: no\.json cannot be read \(.*Nothing was started\.\n$/],
    [["--input", "{}"], /^cadre: --input goes with a task/],
    [
      ["desk", "go", "--input", '{"ticket": "x"}'],
      /does not fit what desk asks for: [\s\S]*ticket[\s\S]*Nothing was started/,
    ],
  ] as const)
    expect(await p.cadre("run", ...words)).toMatchObject({ code: 2, stderr: expect.stringMatching(wrong) });
  expect((await p.cadre("runs", "--json")).lines()).toHaveLength(2);
});

test("`doctor` finds no problems in a valid project; after `cadre trust` the project's settings apply", async () => {
  await using p = await happy();
  await p.write("cadre.yaml", "permissions: { allow: [Write] }\n");
  const first = await p.cadre("doctor");
  expect(first.code).toBe(0);
  expect(first.stdout).toMatch(/^warn {2}cadre\.yaml: .*`permissions\.allow` is ignored/m);
  expect(first.stdout).toMatch(/^warn {2}model: no provider's key was found/m);
  for (const name of ["Node", "SQLite", "clock", "folder", "disk", "store", "agents"]) {
    expect(first.stdout).toMatch(new RegExp(`^ok {4}${name}: `, "m"));
  }
  expect(first.stdout).toMatch(/^ok {4}agents: \w+; \d+ built in$/m);
  expect(first.stdout).not.toContain("builtin:");
  expect((await p.cadre("trust")).stdout).toContain("Trusted:");
  expect((await p.cadre("doctor")).stdout).toMatch(/^ok {4}cadre\.yaml: read$/m);
});

test("the demo runs to its end without a terminal, and leaves the repository unchanged", async () => {
  await using p = await project({});
  const played = await p.spawn("demo", "--json");
  expect(played).toMatchObject({ code: 0, stderr: "" });
  const result = played.lines().at(-1);
  expect(result).toMatchObject({ status: "completed", result: { files_modified: ["service/pricing.js"] } });
  expect(await readdir(join(import.meta.dirname, "../../examples/11-incident"))).not.toContain(".cadre");
});

test("`run` and `message` send files with --attach, `show` names the files, and export and import keep them", async () => {
  await using p = await happy();
  await writeFile(join(p.folder, "a.png"), PNG);
  await writeFile(join(p.folder, "b.pdf"), PDF);
  const run = await p.cadre("run", "look", "--json", "--attach", "a.png", "--attach", "b.pdf");
  const [start] = run.lines() as { runId: string; payload: { attachments: { blob: string }[] } }[];
  expect(start?.payload.attachments).toMatchObject([{ name: "a.png" }, { name: "b.pdf" }]);
  const { stdout } = await p.cadre("show", start!.runId);
  expect(stdout).toContain(`a.png (image/png, ${PNG.length} bytes), b.pdf (application/pdf,`);

  await p.cadre("export", start!.runId, "--format", "cadre", "--to", "tree.jsonl");
  await using other = await happy();
  expect(await other.cadre("import", "--accept", join(p.folder, "tree.jsonl"))).toMatchObject({ code: 0 });
  expect((await other.cadre("verify", start!.runId)).stdout).not.toContain("missing");

  await writeFile(join(p.folder, "fake.png"), "<svg>");
  for (const [words, message] of [
    [["run", "look", "--attach", "no.png"], /no\.png cannot be read .*Nothing was started/],
    [["run", "look", "--attach", "fake.png"], /fake\.png is not a file that can be attached/],
    [["run", "--attach", "a.png"], /--attach goes with a task/],
    [["message", start!.runId, "look", "--attach", "no.png"], /Nothing was sent/],
  ] as const) {
    const { code, stderr } = await p.cadre(...words);
    expect([code === 0, stderr]).toEqual([false, expect.stringMatching(message)]);
  }
});
