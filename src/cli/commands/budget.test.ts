// Tests `cadre budget`, `cadre freeze` and `cadre thaw`. One test kills the process.

import { expect, test } from "vitest";
import { agent, type Project, project } from "../cli.fixture.ts";

const team = () =>
  project({
    "cadre.yaml": "limits: { tree: { maxTokens: 40000 }, onBudget: suspend }\n",
    "agents/lead.md": agent("lead", "agents: [worker]\n"),
    "agents/worker.md": agent("worker", "kind: subagent\nlimits: { maxTokens: 20000 }\n"),
    "lead.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: delegate, input: { agent: worker, task: dig } }] }
  - report: { summary: All is dug. }
`,
    "worker.script.yaml": `turns:
  - { when: { turn: 1 }, usage: { input: 3000, output: 100 }, calls: [{ tool: LS, input: {} }] }
  - { when: { turn: 2, attempt: 1 }, delay: 600000, text: Never. }
  - report: { summary: Dug. }
`,
  });

async function idsOf(p: Project): Promise<string[]> {
  const runs = (await p.cadre("runs", "--all", "--json")).lines() as { id: string; agent: string }[];
  return ["lead", "worker"].map((name) => runs.find((run) => run.agent === name)!.id);
}

test("[BV4] [F01] [U36] a frozen branch stays frozen after a kill, and one command thaws the branch", async () => {
  await using p = await team();
  await p.write("agents/worker.md", agent("worker", "kind: subagent\nlimits: { maxTokens: 30000 }\n"));
  const first = p.start("run", "--json", "lead", "dig it");
  await first.shows(/"agent":"worker"[\s\S]*"TOOL_RESULT"[\s\S]*MODEL_CALL_STARTED/);
  const [lead, worker] = await idsOf(p);
  const frozen = await p.cadre("freeze", lead!);
  expect(frozen.stdout).toBe(
    `2 runs frozen; the current step ends, and it stays frozen until \`cadre thaw ${lead}\`.\n`,
  );
  expect((await p.cadre("freeze", lead!)).stdout).toBe(
    `Nothing to do: the branch of ${lead} is already frozen.\n`,
  );
  first.process.kill("SIGKILL");
  await first.end();

  const parked = await p.cadre("run");
  expect(parked.code, "nothing went on").toBe(3);
  expect(parked.stdout).toMatch(
    new RegExp(`^Cannot continue: .*Frozen by .*\\n {2}cadre thaw ${lead}$`, "m"),
  );
  expect((await p.cadre("resume", worker!)).stderr).toContain(`frozen with the branch of ${lead}`);
  expect((await p.cadre("budget", lead!)).stdout).toMatch(
    /^Together: .* spent, .* of it wasted; .* reserved for calls in progress and last turns\.$/m,
  );
  // The budget includes the input tokens of the interrupted call, because the provider might have charged for them.
  expect((await p.cadre("budget", lead!)).stdout).toMatch(
    new RegExp(`^${worker} +worker +frozen +6\\.\\dk +3\\.\\dk .* 30,000 tokens$`, "m"),
  );
  const thawed = await p.cadre("thaw", lead!);
  expect(thawed.stdout).toMatch(/^2 runs thawed; no Cadre process is running here: /);
  const done = await p.cadre("run");
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("All is dug.") });
});

test("[BV1] [BV2] [U36] a run's budget can be raised and lowered, and every refusal says why", async () => {
  await using p = await team();
  await p.write(
    "worker.script.yaml",
    `turns:
  - { when: { turn: 1 }, usage: { input: 12000, output: 100 }, calls: [{ tool: LS, input: {} }] }
  - report: { summary: Dug. }
`,
  );
  expect((await p.cadre("run", "lead", "dig it")).code, "its budget does not cover another turn").toBe(3);
  const [lead, worker] = await idsOf(p);
  const change = async (...args: string[]) => {
    const { code, stdout, stderr } = await p.cadre("budget", ...args);
    return code === 0 ? stdout : stderr;
  };
  expect(await change(worker!, "--take", "15000 tokens")).toMatch(
    /cannot have less than 12,100 tokens: that much is already spent\. Nothing was changed\./,
  );
  expect(await change(worker!, "--give", "90k")).toContain("The tree does not have so much left");
  expect(await change(worker!, "--give", "$1.00")).toContain(
    "The run has no limit of dollars to add to: --set sets one, and --tree changes that of its tree.",
  );
  expect(await change(lead!, "--tree", "--take", "35k tokens")).toContain(
    "The tree cannot have 5,000 tokens",
  );
  expect(await change(lead!, "--give", "much")).toContain('"much" is not an amount');
  for (const bare of ["1", "0.50", "90000", "1.5 tokens", "$1 tokens", "1e3", ""])
    expect(await change(lead!, "--give", bare), `"${bare}" has no clear unit`).toMatch(
      /is not an amount\. Write '\$5' \(in quotes\) or 5usd for dollars.* Nothing was changed\./,
    );
  for (const dollars of ["$1", "1usd", "1 dollar"])
    expect(await change(worker!, "--give", dollars)).toContain("The run has no limit of dollars to add to");
  expect(await change(lead!, "--tree", "--give", "60,000 tokens")).toMatch(
    /^The tree may now spend 100,000 tokens; /,
  );
  expect(await change(worker!, "--give", "30k tokens")).toMatch(/^Run \w+ may now spend 50,000 tokens; /);
  const told = (await p.cadre("budget", lead!, "--json")).lines()[0] as {
    tree: object;
    runs: { agent: string; limit: object }[];
  };
  expect(told).toMatchObject({
    tree: { maxTokens: 100_000 },
    runs: [{ agent: "lead" }, { agent: "worker", limit: { maxTokens: 50_000 } }],
  });
  const done = await p.cadre("run");
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("All is dug.") });
});
