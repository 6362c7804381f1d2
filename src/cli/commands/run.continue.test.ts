// Tests how `cadre run` continues an earlier run, reads its task from stdin, and prints only the answer.

import { expect, test } from "vitest";
import { agent, type Project, project } from "../cli.fixture.ts";

const helper = () =>
  project({
    "agents/helper.md": agent("helper", "tools: [Write]\n"),
    "helper.script.yaml": `turns:
  - { when: { lastUser: and the second }, text: The second is two. }
  - { when: { task: fail }, error: { status: 400, message: no } }
  - { when: { turn: 1, task: write }, calls: [{ tool: Write, input: { path: a.txt, content: hello } }] }
  - { text: "The task was: \${task}" }
`,
  });

const idOf = async (p: Project) => String((await p.cadre("runs", "--all", "--json")).lines()[0]!["id"]);

test("--continue gives the latest run the next message, and the agent still knows the conversation", async () => {
  await using p = await helper();
  await p.cadre("run", "helper", "name the first");
  const first = await idOf(p);
  const next = await p.cadre("run", "--continue", "and the second");
  expect(next).toMatchObject({ code: 0, stdout: expect.stringContaining("The second is two.") });
  const again = await p.cadre("run", "--resume", first.slice(0, 10), "-p", "and the second");
  expect(again).toMatchObject({ code: 0, stdout: "The second is two.\n" });
  const shown = await p.cadre("show", await idOf(p));
  expect(shown.stdout, "it continues the transcript").toContain(first);
});

test("a message to an ended run is refused with the command that continues the run", async () => {
  await using p = await helper();
  await p.cadre("run", "helper", "name the first");
  const id = await idOf(p);
  const { code, stderr } = await p.cadre("message", id, "and the second");
  expect(code).toBe(1);
  expect(stderr).toContain(
    `To continue it with this message: \`cadre run --resume ${id} 'and the second'\`.`,
  );
});

test("--print prints the answer and nothing else; every other outcome is on stderr, with its exit code", async () => {
  await using p = await helper();
  expect(await p.cadre("run", "-p", "helper", "greet")).toMatchObject({
    code: 0,
    stdout: "The task was: greet\n",
  });
  const failed = await p.cadre("run", "-p", "helper", "fail");
  expect([failed.code, failed.stdout]).toEqual([1, ""]);
  expect(failed.stderr).toContain("Failed");
  const waiting = await p.cadre("run", "-p", "helper", "write");
  expect([waiting.code, waiting.stdout]).toEqual([3, ""]);
  expect(waiting.stderr).toContain("cadre approve ");
});

test("--output json prints one object with the result", async () => {
  await using p = await helper();
  const done = await p.cadre("run", "--output", "json", "helper", "greet");
  expect(done.lines()).toEqual([
    expect.objectContaining({ type: "result", status: "completed", exitCode: 0, runId: await idOf(p) }),
  ]);
  const waiting = await p.cadre("run", "--output", "json", "helper", "write");
  expect(waiting.lines()).toEqual([expect.objectContaining({ type: "needs_person" })]);
});

test("`-` reads the task from stdin", async () => {
  await using p = await helper();
  for (const args of [
    ["run", "-p", "helper", "-"],
    ["run", "-p"],
  ]) {
    const { code, stdout } = await p.piped("greet me\nby name\n", ...args);
    expect([code, stdout]).toEqual([0, "The task was: greet me\nby name\n"]);
  }
  expect((await p.piped("\n", "run", "-")).stderr).toContain("A run needs a task");
});

test("options that do not fit together are refused, and nothing is started", async () => {
  await using p = await helper();
  const refusals: [string[], RegExp][] = [
    [["--continue", "on"], /There is no run here to continue/],
    [["--continue"], /needs one message/],
    [["--continue", "helper", "on"], /needs one message/],
    [["--continue", "--resume", "r1", "on"], /not both/],
    [["--continue", "--input", "{}", "on"], /keeps its rules and its input/],
  ];
  for (const [args, sentence] of refusals) {
    const { code, stderr } = await p.cadre("run", ...args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)]);
  }
  expect((await p.cadre("runs", "--all", "--json")).lines()).toEqual([]);
});
