// Tests `cadre usage`, which prints how much runs have spent and how many succeeded.

import { expect, test } from "vitest";
import type { UsageView } from "../../api/client/types.ts";
import { agent, project } from "../cli.fixture.ts";
import { usageLines } from "./usage.ts";

const ask = (name: string, task: string) => `{ tool: delegate, input: { agent: ${name}, task: "${task}" } }`;

test("[S1-75] [S2-93] [S2-94] `cadre usage` prints the measures of success, then the usage per agent, model and delegation", async () => {
  await using p = await project({
    "cadre.yaml":
      "prices:\n  scripted/lead: { input: 10, output: 10 }\n  scripted/reviewer: { input: 1, output: 1 }\n",
    "agents/lead.md": agent("lead", "agents: [reviewer]\n"),
    "agents/reviewer.md": agent("reviewer", "kind: subagent\n"),
    "lead.script.yaml": `turns:
  - { when: { turn: 1 }, usage: { input: 10000, output: 100 }, calls: [${ask("reviewer", "look at it")}] }
  - { usage: { input: 10300, output: 100 }, report: { summary: Done. } }
`,
    "reviewer.script.yaml":
      "turns:\n  - { usage: { input: 2000, output: 500 }, report: { summary: Looks good. } }\n",
  });
  expect((await p.cadre("usage")).stdout).toContain("Nothing was spent in this time.");
  const ran = await p.cadre("run", "lead", "get it ready", "--json");
  const runId = String(ran.lines().find((line) => typeof line["runId"] === "string")!["runId"]);
  const { stdout } = await p.cadre("usage");
  expect(stdout).toMatch(
    /^1 task completed, 0 failed; 1 of the completed ones needed no person \(100 %\)\.$/m,
  );
  expect(stdout).toMatch(/^.* of work took .*: parallel work saved .*\.$/m);
  // The estimate is for a single agent with three turns, which reads 10,000, then 10,100, then 10,800 tokens.
  expect(stdout).toContain(
    "1 task by several agents used 23k tokens and $0.21; one agent alone would have used about 32k and $0.32 (an estimate",
  );
  expect(stdout).toMatch(/^1 review in 1 task: 1\.0 rounds each\.$/m);
  expect(stdout).toMatch(/^lead +1 +21k +0 % +\$0\.21 /m);
  expect(stdout).toMatch(/^scripted\/reviewer +1 +2\.5k +0 % +\$0\.0025$/m);
  expect(stdout).toMatch(/^lead +reviewer +1 +1 +0 +100 %$/m);

  const [trees] = (await p.cadre("usage", "--json")).lines() as unknown as UsageView[];
  const together = { ...trees!.overTime!.trees.together, cost: 0.0045, singleCost: 0.0091 };
  const small = {
    ...trees!,
    overTime: { ...trees!.overTime!, trees: { ...trees!.overTime!.trees, together } },
  };
  expect(usageLines(small, (_, text) => text).join("\n")).toMatch(
    /used 23k tokens and \$0\.0045; .* about 32k and \$0\.0091 /,
  );

  const [own] = (await p.cadre("usage", runId, "--json")).lines() as { byAgent: unknown[] }[];
  expect(own!.byAgent).toHaveLength(2);
  expect((await p.cadre("usage", "--since", "yesterday")).code).toBe(2);
});
