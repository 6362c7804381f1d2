// Tests what a person sees at a terminal, and what their keys do.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

const PROMPT =
  /\[a\]pprove {2}\[e\]dit {2}\[r\]eject {2}\[s\]kip {2}\[A\]lways this, for 30 days: \S+\s+\[\?\]/;

const writer = (input = '{ path: out.txt, content: "written" }') =>
  project({
    "agents/pen.md": agent("pen"),
    "pen.script.yaml": `turns:
  - when: { turn: 1 }
    text: I write it down.
    calls: [{ tool: Write, input: ${input} }]
  - when: { isError: true }
    report: { summary: "Not written: \${lastResult}" }
  - report: { summary: Written. }
`,
  });

describe("a question at the terminal", () => {
  test("[U50] a question shows the tool, the rule and a preview; `?` explains the keys; `a` approves the call once", async () => {
    await using p = await writer();
    const terminal = p.terminal("run", "write it");
    await terminal.sees(PROMPT);
    expect(terminal.text()).toContain("model scripted/pen (scripted)");
    expect(terminal.text()).toContain("I write it down.");
    expect(terminal.text()).toMatch(
      /pen needs your approval\nworks on: write it\ntool Write\nwhy it asks: no rule allows this use of Write/,
    );
    expect(terminal.text()).toContain("+written");
    await terminal.press("?", /e {2}edit the input, then approve it/);
    expect(await readdir(p.folder)).not.toContain("out.txt");
    await terminal.press("a", /✓ Write out\.txt/);
    expect(await terminal.code).toBe(0);
    expect(terminal.text()).toMatch(/Completed\nWritten\.\n/);
    expect(terminal.text()).toContain("files: created out.txt");
  });

  test("[26] a question about a command shows the command once", async () => {
    await using p = await project({
      "agents/pen.md": agent("pen"),
      "pen.script.yaml": "turns:\n  - calls: [{ tool: Bash, input: { command: touch out.txt } }]\n",
    });
    const terminal = p.terminal("run", "write it");
    await terminal.sees(/\[a\]pprove/);
    const [above] = terminal.screen().split("[a]pprove");
    expect(above!.match(/touch out\.txt/g)).toHaveLength(1);
    await terminal.press("s", /needs approval/);
    expect(await terminal.code).toBe(3);
  });

  test("`r` rejects the call and asks the person for a reason, which the agent reads", async () => {
    await using p = await writer();
    const terminal = p.terminal("run", "write it");
    await terminal.sees(PROMPT);
    await terminal.press("r", /Why \(the agent reads it\): /);
    terminal.type("not there\r");
    expect(await terminal.code).toBe(0);
    expect(terminal.text()).toMatch(/Not written: .*not there/);
    expect(await readdir(p.folder)).not.toContain("out.txt");
  });

  test("[U26] each of five reasons for a rejection has its own key", async () => {
    await using p = await writer();
    const terminal = p.terminal("run", "write it");
    await terminal.sees(PROMPT);
    await terminal.press("r", /3 too risky · 4 wrong place[\s\S]*Why \(the agent reads it\): /);
    terminal.type("3\r");
    expect(await terminal.code).toBe(0);
    expect(terminal.text()).toMatch(/Not written: .*This is too risky\. Find a safer way\./s);
  });

  test("`s` skips an item and shows the next question; at the end, skipped items are listed with the commands that answer them", async () => {
    const write = (path: string) => `{ tool: Write, input: { path: ${path}, content: x } }`;
    await using p = await project({
      "agents/pen.md": agent("pen"),
      "pen.script.yaml": `turns:\n  - { when: { turn: 1 }, calls: [${write("one.txt")}, ${write("two.txt")}] }\n  - report: { summary: Written. }\n`,
    });
    const terminal = p.terminal("run", "write it");
    await terminal.sees(/\+\+\+ one\.txt[\s\S]*1 more is waiting {2}\[a\]pprove/);
    await terminal.press("s", /\+\+\+ two\.txt/);
    await terminal.press("s", /needs approval: Write one\.txt\s+cadre approve r\w+:m1\.0/);
    expect(await terminal.code).toBe(3);
    expect(terminal.screen()).toMatch(/The run waits and costs nothing meanwhile/);
    expect(await readdir(p.folder)).not.toContain("one.txt");
  });

  test("`e` opens the call's input in the editor; an invalid edit is explained, and the question is asked again", async () => {
    await using p = await writer();
    await p.write("edit.sh", 'printf "%s" "$NEXT" > "$1"\n');
    p.env["EDITOR"] = `NEXT='{"path":"out.txt","content":7}' sh ${join(p.folder, "edit.sh")}`;
    const misfit = p.terminal("run", "write it");
    await misfit.sees(PROMPT);
    await misfit.press("e", /does not fit Write.*\n\[a\]pprove/s);
    await misfit.press("r", /Why/);
    misfit.type("\r");
    expect(await misfit.code).toBe(0);

    p.env["EDITOR"] = `NEXT='{"path":"out.txt","content":"mine"}' sh ${join(p.folder, "edit.sh")}`;
    const fit = p.terminal("run", "write it");
    await fit.sees(PROMPT);
    await fit.press("e", /Changed and approved/);
    expect(await fit.code).toBe(0);
    expect(fit.text()).toMatch(
      /- {2}"content": "written"\n {2}\+ {2}"content": "mine"[\s\S]*Changed and approved/,
    );
    expect(await readFile(join(p.folder, "out.txt"), "utf8")).toBe("mine");
  });

  test("an edit that is not JSON is offered again for correction, with and without an editor", async () => {
    await using p = await writer();
    await p.write(
      "edit.sh",
      `grep -q broken "$1" && sed -i 's/broken//' "$1" || sed -i 's/written"/mine"broken/' "$1"\n`,
    );
    p.env["EDITOR"] = `sh ${join(p.folder, "edit.sh")}`;
    const editor = p.terminal("run", "write it");
    await editor.sees(PROMPT);
    await editor.press("e", /This is not JSON[\s\S]*\[\?\]/);
    await editor.press("e", /Changed and approved/);
    expect(await editor.code).toBe(0);
    expect(await readFile(join(p.folder, "out.txt"), "utf8")).toBe("mine");

    delete p.env["EDITOR"];
    const bare = p.terminal("run", "write it");
    await bare.sees(PROMPT);
    // The edit line starts with the call's input. If the person changes nothing, nothing is decided.
    await bare.press("e", /Input as JSON: \{"path":"out\.txt","content":"[^"]+"\}$/);
    bare.type("\r");
    await bare.shows(/Input as JSON: .*[\s\S]*\[\?\]/);
    await bare.press("e", /Input as JSON: [\s\S]*Input as JSON: \{"path":"out\.txt","content":"[^"]+"\}$/);
    bare.type('\u0015{"path":"out.txt","content":"typed"\r');
    await bare.shows(/This is not JSON[\s\S]*\[\?\]/);
    await bare.press("e", /This is not JSON[\s\S]*: \{"path":"out\.txt","content":"typed"$/);
    bare.type("}\r");
    expect(await bare.code).toBe(0);
    expect(await readFile(join(p.folder, "out.txt"), "utf8")).toBe("typed");
  });

  test("`A` turns the approval into a rule, and the next run needs no approval", async () => {
    await using p = await writer();
    const first = p.terminal("run", "write it");
    await first.sees(PROMPT);
    await first.press("A", /and granted .* \(always\)/);
    expect(await first.code).toBe(0);
    expect(await p.cadre("run", "write it")).toMatchObject({ code: 0 });
  });

  test("a question that is decided elsewhere disappears, and the next question is asked", async () => {
    const write = (path: string) => `calls: [{ tool: Write, input: { path: ${path}, content: x } }]`;
    await using p = await project({
      "agents/pen.md": agent("pen"),
      "pen.script.yaml": `turns:\n  - { when: { turn: 1 }, ${write("one.txt")} }\n  - { when: { turn: 2 }, ${write("two.txt")} }\n  - report: { summary: Written. }\n`,
    });
    const terminal = p.terminal("run", "write it");
    await terminal.sees(PROMPT);
    const [, id] = /run (\w+)/.exec(terminal.text())!;
    const [decided] = (await p.cadre("approve", `${id}:m1.0`, "--json")).lines();
    expect(decided).toMatchObject({ decision: "approve", alreadyDecided: false });
    await terminal.shows(/✓ Write one\.txt[\s\S]*needs your approval[\s\S]*\[\?\]/);
    await terminal.press("a", /✓ Write two\.txt/);
    expect(await terminal.code).toBe(0);
  });

  test("a question stays on the screen when another open call is decided elsewhere", async () => {
    const write = (path: string) => `{ tool: Write, input: { path: ${path}, content: x } }`;
    await using p = await project({
      "agents/pen.md": agent("pen"),
      "pen.script.yaml": `turns:\n  - { when: { turn: 1 }, calls: [${write("one.txt")}, ${write("two.txt")}] }\n  - report: { summary: Written. }\n`,
    });
    const terminal = p.terminal("run", "write it");
    await terminal.sees(PROMPT);
    const [, id] = /run (\w+)/.exec(terminal.text())!;
    // The first question is shown as soon as the first call is recorded. Here we wait for the second call.
    await expect.poll(async () => (await p.cadre("approve", "--json")).lines()).toHaveLength(2);
    expect((await p.cadre("approve", `${id!.slice(0, 12)}:m1.1`)).code).toBe(0);
    await terminal.sees(/Approved by .*two\.txt[\s\S]*one\.txt[\s\S]*\n\[a\]pprove .*\[\?\]/);
    await terminal.press("a", /✓ Write one\.txt/);
    expect(await terminal.code).toBe(0);
  });

  test("[E1] if the owner is killed while a question is open, the question is shown again, and the answer is recorded", async () => {
    await using p = await writer();
    await p.write("agents/slow.md", agent("slow"));
    await p.write("slow.script.yaml", "turns:\n  - { delay: 600000, text: Never. }\n");
    const owner = p.start("run", "--json", "slow", "wait");
    await owner.shows(/MODEL_CALL_STARTED/);
    const terminal = p.terminal("run", "pen", "write it");
    await terminal.sees(PROMPT);
    owner.process.kill("SIGKILL");
    await terminal.press("a", /✓ Write out\.txt/);
    expect(await terminal.code).toBe(0);
  });

  test("Ctrl-C at a question keeps the run, and the next `cadre run` asks the question again", async () => {
    await using p = await writer();
    const first = p.terminal("run", "write it");
    await first.sees(PROMPT);
    first.type("\u0003");
    expect(await first.code).toBe(130);
    const next = p.terminal("run");
    await next.sees(PROMPT);
    await next.press("a", /✓ Write/);
    expect(await next.code).toBe(0);
  });

  test("[A17] keys typed before a question is shown do not answer the question", async () => {
    await using p = await writer();
    const terminal = p.terminal("run", "write it");
    terminal.type("aaa");
    terminal.type("a");
    await terminal.sees(PROMPT);
    terminal.type("\u0003");
    expect(await terminal.code).toBe(130);
    expect(await readdir(p.folder)).not.toContain("out.txt");
  });

  test("[A17] [A64] a call can neither hide its text nor control the terminal", async () => {
    const evil = JSON.stringify({
      command: `ls\u202e${"\n".repeat(3000)}rm x \u001b]52;c;aGk=\u0007\u009b2J`,
      description: "✅ read-only\u001b[2A",
    });
    await using p = await project({
      "agents/pen.md": agent("pen"),
      "pen.script.yaml": `turns:\n  - when: { turn: 1 }\n    text: "ok \\u001b]0;title\\u0007"\n    calls: [{ tool: Bash, input: ${evil} }]\n  - text: Done.\n`,
    });
    const terminal = p.terminal("run", "go");
    await terminal.shows(/\[r\]eject {2}\[s\]kip {2}\[\?\]/);
    const screen = terminal.text();
    expect(screen).toContain("ls⟦U+202E⟧");
    expect(screen).toContain("⟦2999 empty lines⟧");
    expect(screen).toContain("rm x ⟦U+001B⟧]52;c;aGk=⟦U+0007⟧⟦U+009B⟧2J");
    expect(screen).toContain("agent says: ✅ read-only⟦U+001B⟧[2A");
    expect(screen).toContain("ok ⟦U+001B⟧]0;title⟦U+0007⟧");
    for (const order of ["\u001b]", "\u001b[2A", "\u001b[2J", "\u009b", "\u0007", "\u202e"]) {
      expect(terminal.raw()).not.toContain(order);
    }
    terminal.type("\u0003");
    await terminal.code;
  });
});

test("[P4] for a call with an unknown outcome, the person chooses between three answers: it happened, run it again, or fail", async () => {
  const command = "echo x >> effects.txt; sleep 600";
  await using p = await project({
    "agents/pen.md": agent("pen"),
    "pen.script.yaml": `turns:\n  - when: { turn: 1 }\n    calls: [{ tool: Bash, input: { command: "${command}" } }]\n  - text: Went on.\n`,
  });
  const killed = p.start("run", "--yes", "--json", "go");
  await killed.shows(/TOOL_STARTED/);
  await expect.poll(() => readdir(p.folder), { timeout: 10_000 }).toContain("effects.txt");
  killed.process.kill("SIGKILL");
  await killed.end();

  const parked = await p.cadre("run");
  expect(parked.code).toBe(3);
  expect(parked.stdout).toMatch(
    /outcome unknown: Run: .*\n {2}cadre outcome \w+ m1\.0 happened\|run_again\|fail/,
  );
  const [{ id, runId }] = (await p.cadre("approve", "--json")).lines() as [{ id: string; runId: string }];
  for (const args of [
    ["approve", id],
    ["approve", `${runId}:m1.0`],
    ["reject", `${runId.slice(0, 8)}:m1.0`],
  ]) {
    const { code, stderr } = await p.cadre(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^cadre: It is unknown whether this took effect \(Run: echo x/);
    expect(stderr).toContain(`record it: cadre outcome ${runId} m1.0 happened|run_again|fail\n`);
  }

  const terminal = p.terminal("run");
  await terminal.shows(/\[l\]ook {2}\[h\]appened {2}\[r\]un again {2}\[f\]ail {2}\[s\]kip {2}\[\?\]/);
  expect(terminal.text()).toContain("does not know whether this was done");
  await terminal.press("h", /Its result \(the agent/);
  terminal.type("it printed x\r");
  expect(await terminal.code).toBe(0);
  expect(terminal.text()).toContain("Went on.");
  expect(await readFile(join(p.folder, "effects.txt"), "utf8")).toBe("x\n");
});

test("[U49] with ACCESSIBLE set, Cadre prints plain lines to a terminal, and the person can still answer", async () => {
  await using p = await writer();
  p.env["ACCESSIBLE"] = "1";
  const terminal = p.terminal("run", "write it");
  await terminal.sees(PROMPT);
  await terminal.press("a", /Written\./);
  expect(await terminal.code).toBe(0);
  expect(terminal.raw()).not.toContain("\u001b[");
});
