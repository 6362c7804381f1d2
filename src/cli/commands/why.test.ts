// Tests `cadre why` with trees that have failed, wait for a person, or have ended.

import { describe, expect, test } from "vitest";
import { agent, type Project, project } from "../cli.fixture.ts";

const ask = (name: string, task: string) => `{ tool: delegate, input: { agent: ${name}, task: "${task}" } }`;
const needs = (name: string) => `agents: [${name}]\ndelegation: { onFailure: fail }\n`;

/** A lead starts a worker, and the worker starts a researcher. Each parent fails if its child fails. */
const tree = (researcher: string, more = "") =>
  project({
    "agents/lead.md": agent("lead", needs("worker")),
    "agents/worker.md": agent("worker", needs("researcher")),
    "agents/researcher.md": agent("researcher", `kind: subagent\n${more}`),
    "lead.script.yaml": `turns:
  - { when: { turn: 1 }, text: I split it., calls: [${ask("worker", "write the parser")}] }
  - report: { summary: All parts are there. }
`,
    "worker.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [${ask("researcher", "look into the parser")}] }
  - report: { summary: The parser is there. }
`,
    "researcher.script.yaml": researcher,
  });

const WRITE = "turns:\n  - calls: [{ tool: Write, input: { path: a.txt, content: x } }]\n";

async function runs(p: Project): Promise<Record<string, string>> {
  const rows = (await p.cadre("runs", "--all", "--json")).lines() as { id: string; agent: string }[];
  return Object.fromEntries(rows.map(({ id, agent: name }) => [name, id]));
}

describe("a failed tree", () => {
  test("[U44] [U42] [S1-66] `why` prints the first cause, then the path up to the root run, then what to do", async () => {
    await using p = await tree("turns:\n  - error: { status: 401, message: no }\n");
    expect((await p.cadre("run", "lead", "get it ready")).code).toBe(1);
    const { lead, worker, researcher } = await runs(p);
    const { code, stdout } = await p.cadre("why", lead!);
    expect(code).toBe(0);
    const said = stdout.replaceAll(/\d\d:\d\d:\d\d/g, "TIME");
    expect(said).toMatch(
      new RegExp(
        [
          `^lead · run ${lead} · TIME\nget it ready\n`,
          "Failed, because researcher did\\. The model's provider refused, or did not answer\\.\n",
          `First cause\n {2}TIME {2}researcher: The model call failed: .* ${researcher}#3`,
          " {12}because the provider does not accept the key\n",
          `How it spread\n {2}TIME {2}researcher: Failed \\(provider\\): .* ${researcher}#4`,
          " {12}because the model's provider refused, or did not answer",
          ` {2}TIME {2}worker: Failed ${worker}#\\d+\n {12}because researcher did not succeed`,
          ` {2}TIME {2}lead: Failed ${lead}#\\d+\n {12}because worker did not succeed\n`,
          "What you can do now\n {2}Check the key and .*`cadre doctor` tries it\\.",
        ].join("\n"),
      ),
    );
    expect(said).toContain(`\`cadre retry ${lead}\` retries it in a new run that keeps finished work.`);
    expect(said).toContain(`\`cadre why ${researcher}#3\` shows what led to the first cause`);

    const back = await p.cadre("why", `${researcher}#3`, "--json");
    const [why] = back.lines() as { chain: { agent: string; what: string; type: string }[] }[];
    expect(why!.chain.map(({ agent: name, type }) => `${name} ${type}`)).toEqual([
      "researcher MODEL_CALL_FAILED",
      "worker CHILD_RUN_STARTED",
      "worker AGENT_THOUGHT",
      "lead CHILD_RUN_STARTED",
      "lead AGENT_THOUGHT",
      "lead RUN_STARTED",
    ]);
  });

  test("[U42] [B1] `why` names the limit that ended the run, and its value", async () => {
    await using p = await tree(
      "turns:\n  - { calls: [{ tool: LS, input: { path: . } }] }\n",
      "limits: { maxTurns: 2 }\n",
    );
    await p.cadre("run", "lead", "get it ready");
    const { lead, researcher } = await runs(p);
    const { stdout } = await p.cadre("why", lead!);
    expect(stdout).toMatch(
      /First cause\n.* researcher: Limit reached: maxTurns \(2\) .*\n +because `limits\.maxTurns` is 2\n/,
    );
    expect(stdout).toMatch(/Raise `limits\.maxTurns` in the agent's file/);
    expect((await p.cadre("why", researcher!)).stdout).toMatch(/^Failed\. It used all its turns\.$/m);
  });

  test("[A63] [U44] in `why --markdown` the agent's text is escaped", async () => {
    await using p = await tree("turns:\n  - error: { status: 400, message: '# Not `a` [link](http://x)' }\n");
    await p.cadre("run", "lead", "# Get it\n\n[ready](http://x)");
    const { lead } = await runs(p);
    const { stdout } = await p.cadre("why", lead!, "--markdown");
    expect(stdout.match(/^#+ .*$/gm)).toEqual([
      "## Why: lead",
      "### How it spread",
      "### What you can do now",
    ]);
    expect(stdout).toContain("Task: ` # Get it [ready](http://x) `");
    expect(stdout).toMatch(/\*\*First cause\*\*: ` researcher ` `` .*# Not `a` \[link\]\(http:\/\/x\) ``/);
  });
});

describe("a run that has not failed", () => {
  test("[S1-64] `why` says how long a run has waited, for whom, because of which rule, and how to answer", async () => {
    await using p = await tree(WRITE);
    expect((await p.cadre("run", "lead", "get it ready")).code).toBe(3);
    const { lead, researcher } = await runs(p);
    const { stdout } = await p.cadre("why", lead!);
    expect(stdout).toMatch(/^lead · run \S+ · since \d\d:\d\d:\d\d$/m);
    expect(stdout).toContain(
      "Waits for you (researcher): Asks to use Write a.txt, because no rule allows this use of Write.",
    );
    expect(stdout).toContain(`\`cadre approve ${researcher}:m1.0\` lets it happen`);
    expect((await p.cadre("reject", `${researcher}:m1.0`, "--note", "not there")).code).toBe(0);
    const log = (await p.cadre("why", lead!, "--log")).stdout;
    expect(log).toMatch(
      /researcher: Rejected by \w+ \(not there\): Write a\.txt .*\n +because \w+ said: not there/,
    );
    expect(log).toMatch(/lead: Started worker: write the parser .*\n +because its model chose worker for/);
  });

  test("[S1-64] [U45] `why` says that a run has completed, and the decision log explains repeated model calls", async () => {
    await using p = await tree(
      "turns:\n  - { when: { attempt: 1 }, error: { status: 429, message: slow, retryAfter: 0 } }\n  - report: { summary: Fine. }\n",
    );
    expect((await p.cadre("run", "lead", "get it ready")).code).toBe(0);
    const { lead, researcher } = await runs(p);
    expect((await p.cadre("why", lead!)).stdout).toMatch(/^Completed\. It gave its answer\.$/m);
    expect((await p.cadre("why", researcher!, "--log")).stdout).toMatch(
      /Model call: scripted\/researcher \(attempt 2\) .*\n +because attempt 1 failed: the provider's rate limit was reached/,
    );
  });

  test("[P7] `why` names the person who cancelled a run, even if you ask about a descendant of that run", async () => {
    await using p = await tree(WRITE);
    await p.cadre("run", "lead", "get it ready");
    const { lead, researcher } = await runs(p);
    expect((await p.cadre("cancel", lead!, "--reason", "enough")).code).toBe(0);
    const { stdout } = await p.cadre("why", researcher!);
    expect(stdout).toMatch(/^Cancelled\. It ended because a run above it did\.$/m);
    expect(stdout).toMatch(new RegExp(`lead: \\S+ asked to cancel: enough ${lead}#\\d+`));
  });
});

test("`why` reports a run or event that does not exist", async () => {
  await using p = await tree("turns:\n  - report: { summary: Fine. }\n");
  await p.cadre("run", "lead", "get it ready");
  const { lead } = await runs(p);
  const missing = await p.cadre("why", `${lead}#999`);
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringContaining("There is no event 999 in run"),
  ]);
  for (const event of ["0", "x"])
    expect(await p.cadre("why", `${lead}#${event}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`\`${lead}#${event}\` is not an event: events are numbered from 1.`),
    });
});

test("[26.13] for a run below the root, `why` and `show` suggest the same next command, after a failure and after a cancellation", async () => {
  await using failed = await tree("turns:\n  - error: { status: 401, message: no }\n");
  expect((await failed.cadre("run", "lead", "get it ready")).code).toBe(1);
  const { lead, researcher } = await runs(failed);
  for (const command of ["why", "show"]) {
    const { stdout } = await failed.cadre(command, researcher!);
    expect(stdout.match(/cadre retry \w+/g), command).toEqual([`cadre retry ${lead}`]);
  }
  await using cancelled = await tree(WRITE, "tools: [Write]\n");
  expect((await cancelled.cadre("run", "lead", "get it ready")).code).toBe(3);
  const { lead: top, worker } = await runs(cancelled);
  await cancelled.cadre("cancel", top!);
  for (const command of ["why", "show"]) {
    const { stdout } = await cancelled.cadre(command, worker!);
    expect(stdout.match(/cadre retry \w+/g), command).toEqual([`cadre retry ${top}`]);
  }
});
