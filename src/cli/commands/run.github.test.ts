// Tests how `cadre run` reports to GitHub Actions, and the script of action.yml.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { agent, type Project, project } from "../cli.fixture.ts";

const HOSTILE = "::set-output name=x::y\n```\n::error::forged\nrun-id=forged";

async function actions() {
  const p = await project({
    "agents/helper.md": agent("helper", "tools: [Write]\n"),
    "helper.script.yaml": `turns:
  - { when: { task: fail }, error: { status: 400, message: no } }
  - { when: { turn: 1, task: write }, calls: [{ tool: Write, input: { path: a.txt, content: hello } }] }
  - { when: { task: attack }, text: ${JSON.stringify(HOSTILE)} }
  - { text: "The task was: \${task}" }
`,
  });
  const [summary, outputs] = [join(p.folder, "summary.md"), join(p.folder, "outputs")];
  Object.assign(p.env, { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: outputs });
  return {
    p,
    summary: () => readFileSync(summary, "utf8"),
    outputs: () => outputsIn(readFileSync(outputs, "utf8")),
  };
}

/** Reads the file of outputs as GitHub's runner does. */
function outputsIn(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  const lines = text.split("\n");
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [, block, end] = /^([\w-]+)<<(.+)$/.exec(line) ?? [];
    if (block === undefined) {
      const [, name, value] = /^([\w-]+)=(.*)$/.exec(line) ?? [];
      if (name !== undefined) found[name] = value!;
      continue;
    }
    const value: string[] = [];
    for (let next = lines.shift(); next !== undefined && next !== end; next = lines.shift()) value.push(next);
    found[block] = value.join("\n");
  }
  return found;
}

const run = (p: Project, task: string) => p.cadre("run", "--output", "github", "helper", task);

test("[32.7] a result becomes an answer in the log, a page of the summary, and outputs", async () => {
  const { p, summary, outputs } = await actions();
  await using _ = p;
  const done = await run(p, "greet");
  expect(done.code).toBe(0);
  expect(done.stdout).toMatch(/^::stop-commands::([\w-]+)\nThe task was: greet\n::\1::\n$/);
  expect(summary()).toMatch(
    /^### Cadre: the run is done\n\nRun `r\w+` of `helper`\n\n```text\nThe task was: greet\n```\n/,
  );
  expect(outputs()).toMatchObject({
    "exit-code": "0",
    "needs-person": "false",
    answer: "The task was: greet",
  });
  const failed = await run(p, "fail");
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(/\n::error title=Cadre%3A the run failed::Run r\w+ of helper\n$/);
  const waiting = await run(p, "write");
  expect(waiting.code).toBe(3);
  expect(waiting.stdout).toContain("::warning title=Cadre%3A the run waits for a person::");
  expect(outputs()).toMatchObject({
    "needs-person": "true",
    answer: expect.stringContaining("cadre approve "),
  });
});

test("[32.7] [GH1] [GH2] an answer gives no commands to the runner, and closes no fence and no output", async () => {
  const { p, summary, outputs } = await actions();
  await using _ = p;
  const { stdout } = await run(p, "attack");
  const [, word] = /^::stop-commands::([\w-]+)\n/.exec(stdout)!;
  expect(stdout).toBe(`::stop-commands::${word}\n${HOSTILE}\n::${word}::\n`);
  expect(summary()).toContain(`\n\`\`\`\`text\n${HOSTILE}\n\`\`\`\`\n`);
  expect(outputs()).toMatchObject({ answer: HOSTILE, "run-id": expect.stringMatching(/^r\w{10,}$/) });
});

test("[32.7] the script of action.yml runs the agent with the task as it is, whatever it contains", async () => {
  const { p, outputs } = await actions();
  await using _ = p;
  const { runs, inputs } = parse(readFileSync(join(import.meta.dirname, "../../../action.yml"), "utf8"));
  const [step] = runs.steps;
  const used = JSON.stringify(runs)
    .match(/inputs\.([\w-]+)/g)!
    .map((each) => each.slice("inputs.".length));
  expect(new Set(used)).toEqual(new Set(Object.keys(inputs)));
  const task = 'greet $(touch pwned) `id` "; exit 7';
  await promisify(execFile)("bash", ["-e", "-o", "pipefail", "-c", step.run], {
    cwd: p.folder,
    env: {
      ...process.env,
      ...p.env,
      INPUT_TASK: task,
      INPUT_AGENT: "helper",
      INPUT_COMMAND: `${process.execPath} ${p.launcher}`,
    },
  });
  expect(outputs()).toMatchObject({ "exit-code": "0", answer: `The task was: ${task}` });
});
