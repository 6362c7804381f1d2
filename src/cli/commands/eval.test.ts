// Tests `cadre eval`: it runs tasks, checks the answers and compares pass rates with the baseline. One test kills the process.

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, type Project, project } from "../cli.fixture.ts";

const CRITIC = `---
name: critic
description: Judges.
model: scripted/critic
tools: [Read]
output: { type: object, properties: { pass: { type: boolean }, why: { type: string } }, required: [pass, why] }
---
Judge.
`;
const CRITIC_SCRIPT = `turns:
  - when: { task: Hello Ada }
    report: { summary: Polite., output: { pass: true, why: It greets her. } }
  - report: { summary: Rude., output: { pass: false, why: No greeting. } }
`;
const CLERK = `turns:
  - when: { turn: 1, task: write }
    calls: [{ tool: Write, input: { path: out.txt, content: written } }]
  - when: { task: count }
    report: { summary: There are two., output: { lines: 2 } }
  - when: { task: ask }
    calls: [{ tool: AskUser, input: { question: Which? } }]
  - report: { summary: "Hello Ada" }
`;
const EVAL = `agent: clerk
permissions: edits
repeats: 2
cases:
  - name: greets
    task: greet Ada
    expect: [{ contains: Ada }, { matches: ^Hello }, { equals: Hello Ada }, { callsNot: Write }, { maxTurns: 1 }]
    judge: { agent: critic, question: Is it polite? }
  - name: counts
    task: count the lines
    expect:
      - equals: { lines: 2 }
      - schema: { type: object, properties: { lines: { type: integer } }, required: [lines] }
      - maxCost: 0.5
  - name: writes
    task: write it
    files: [seed.txt]
    expect: [{ calls: Write }, { file: out.txt }, { file: seed.txt }]
  - name: asks
    task: ask me
    expect: [{ contains: never }]
`;
const FILES = {
  "agents/clerk.md": agent("clerk"),
  "agents/critic.md": CRITIC,
  "clerk.script.yaml": CLERK,
  "critic.script.yaml": CRITIC_SCRIPT,
  "evals/clerk.yaml": EVAL,
  "evals/seed.txt": "seed\n",
};

interface Result {
  id: string;
  cases: {
    name: string;
    passed: number;
    n: number;
    repeats: { runId: string; failures: string[]; judge?: object }[];
  }[];
  regressions: { case: string; rule: string }[];
}

test.each([
  ["6:5 cases.0 has no key `tsak`: did you mean `task`?", "task: greet Ada", "tsak: greet Ada"],
  ["7:16 cases.0.expect.0 has no key `contain`: did you mean `contains`?", "contains: Ada", "contain: Ada"],
  ["3:1 the file has no key `repeat`: did you mean `repeats`?", "repeats: 2", "repeat: 2"],
  ["5:5 cases.0.task is missing: it must be a string.", "    task: greet Ada\n", ""],
])("a mistake in an eval file is reported with its line: %s", async (said, right, wrong) => {
  await using p = await project({ ...FILES, "evals/clerk.yaml": EVAL.replace(right, wrong) });
  expect(await p.cadre("eval", "evals/clerk.yaml")).toMatchObject({
    code: 2,
    stderr: `cadre: evals/clerk.yaml:${said} Nothing was started.\n`,
  });
});

const runEval = async (
  p: Project,
  ...options: string[]
): Promise<{ code: number | null; result: Result }> => {
  const { code, lines } = await p.cadre("eval", "evals/clerk.yaml", "--json", ...options);
  return { code, result: lines()[0] as unknown as Result };
};

async function keptState(p: Project): Promise<unknown> {
  const [folder] = await readdir(join(p.folder, ".cadre/evals"));
  return JSON.parse(await readFile(join(p.folder, ".cadre/evals", folder!, "state.json"), "utf8"));
}

test("[EV1] [EV2] [EV3] an eval runs and judges its cases, and reports a pass rate below the baseline as a regression", async () => {
  await using p = await project(FILES);
  const shown = await p.cadre("eval", "evals/clerk.yaml");
  expect(shown.code).toBe(0);
  expect(shown.stdout).toMatch(/^case +passed +rate +95 % interval +baseline +cost +judges$/m);
  expect(shown.stdout).toMatch(/^greets +2 of 2 +100 % +34 % to 100 % +- +\$0\.00 +\$0\.00$/m);
  expect(shown.stdout).toMatch(/^asks +0 of 2 +0 % +0 % to 66 % +- /m);
  expect(shown.stdout).toMatch(/^all +6 of 8 +75 % /m);
  expect(shown.stdout).toContain("it needs a person, whom an eval cannot ask");
  expect(shown.stdout).toContain("This is the baseline");
  expect(existsSync(join(p.folder, "out.txt"))).toBe(false);
  const runs = (await p.cadre("runs", "--json")).lines();
  expect(runs).toHaveLength(10);
  expect(runs.filter(({ status }) => status === "cancelled")).toHaveLength(2);

  await p.write(
    "clerk.script.yaml",
    CLERK.replace("Hello Ada", "Go away").replace("lines: 2 }", "lines: two }"),
  );
  const worse = await runEval(p);
  expect(worse.code).toBe(1);
  expect(worse.result.regressions).toEqual([
    {
      case: "greets",
      rule: expect.stringContaining("passed 2 of 2 in the baseline, 0 of 2 now: with fewer than 10"),
    },
    { case: "counts", rule: expect.stringContaining("with fewer than 10 repeats") },
  ]);
  const [greets, counts] = worse.result.cases;
  expect(greets!.repeats[0]!.failures).toEqual([
    "the answer does not contain “Ada”",
    "the answer does not match ^Hello",
    "the answer is not “Hello Ada”",
    "critic: No greeting.",
  ]);
  expect(counts!.repeats[0]!.failures).toEqual([
    'the output is not {"lines":2}',
    expect.stringContaining("the output does not fit"),
  ]);
  const accepted = await runEval(p, "--baseline");
  expect(accepted).toMatchObject({ code: 0, result: { regressions: [] } });
  expect(await keptState(p)).toEqual({ baseline: accepted.result.id });
}, 240_000);

test("[EV1] if an eval is killed, the same command continues it, and no run is started or paid for twice", async () => {
  const slow = CLERK.replace(
    'report: { summary: "Hello Ada" }',
    'delay: 1500\n    report: { summary: "Hello Ada" }',
  );
  const file = EVAL.replace(/ {2}- name: asks[\s\S]*/, "");
  await using p = await project({ ...FILES, "clerk.script.yaml": slow, "evals/clerk.yaml": file });
  const first = p.start("eval", "evals/clerk.yaml");
  await first.shows(/pass {2}counts/);
  first.process.kill("SIGKILL");
  await first.end();
  const before = (await p.cadre("runs", "--json")).lines();
  const second = await p.cadre("eval", "evals/clerk.yaml");
  expect(second.stdout).toContain("Continuing the interrupted eval");
  expect(second.stdout).toMatch(/^all +6 of 6 /m);
  const after = (await p.cadre("runs", "--json")).lines();
  expect(after).toHaveLength(8);
  const ended = before.filter(({ status }) => status === "completed");
  expect(ended.length).toBeGreaterThan(0);
  for (const run of ended) expect(after.find(({ id }) => id === run["id"])).toEqual(run);
  expect(await keptState(p)).toEqual({ baseline: expect.stringMatching(/^[0-9a-f]{16}$/) });
}, 240_000);

test("[EV1] [EV2] an eval file with a mistake is refused, and nothing is started", async () => {
  await using p = await project(FILES);
  const refuses = async (text: string, why: RegExp) => {
    await p.write("evals/clerk.yaml", text);
    expect(await p.cadre("eval", "evals/clerk.yaml")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(why),
    });
  };
  await refuses(EVAL.replace("repeats: 2", "repeats: 0"), /evals\/clerk\.yaml:3:10 repeats /);
  await refuses(
    EVAL.replace("{ contains: Ada }", "{ contain: Ada }"),
    /clerk\.yaml:7:\d+ cases\.0\.expect\.0 /,
  );
  await refuses(EVAL.replace("name: counts", "name: greets"), /has two cases with the same name/);
  await refuses(EVAL.replace("[seed.txt]", "[../agents]"), /outside the folder of the eval file/);
  await refuses(EVAL.replace("[seed.txt]", "[weed.txt]"), /There is no weed.txt next to/);
  await refuses(
    EVAL.replace("agent: critic", "agent: clerk"),
    /clerk cannot judge: its file declares no `output`/,
  );
  await refuses(EVAL.replace("agent: clerk", "agent: nobody"), /There is no agent nobody/);
  expect((await p.cadre("eval", "no.yaml")).stderr).toContain("no.yaml cannot be read");
});
