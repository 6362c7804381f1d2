// Tests how the blast radius is shown at the terminal: at the prompt, and in the list of open items.

import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

test("[BR1] [BR2] the prompt and the list of open items show the blast radius of a delegation and mark new capabilities", async () => {
  await using p = await project({
    "agents/lead.md": agent(
      "lead",
      "tools: [Read, Write]\nagents: [worker]\npermissions: { ask: [delegate] }\n",
    ),
    "agents/worker.md": agent(
      "worker",
      "tools: ['Write(src/**)']\nagents: [editor]\nlimits: { maxCost: 1 }\n",
    ),
    "agents/editor.md": agent("editor", "kind: subagent\ntools: [Bash]\nlimits: { maxCost: 0.1 }\n"),
    "lead.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: delegate, input: { agent: worker, task: "Mend it" } }] }
  - report: { summary: done }
`,
    "worker.script.yaml": "turns:\n  - report: { summary: mended }\n",
  });
  const terminal = p.terminal("run", "lead", "see to it");
  await terminal.sees(/Blast radius: could run commands, change files, reach any host,/);
  await terminal.sees(/\+ Bash: held by editor \(new\)/);
  await terminal.press("r", /Why/);
  await terminal.press("not now\r", /done/);
  expect(await terminal.code).toBe(0);

  const { stdout } = await p.cadre("run", "--json", "lead", "see to it");
  expect(stdout).toContain("needs_person");
  const notice = (await p.cadre("run")).stdout;
  expect(notice).toMatch(
    /^needs approval: .*worker.*\n {2}Blast radius: could run commands, .*; new: Bash, any host$/m,
  );
  const open = (await p.cadre("approve")).stdout;
  expect(open).toContain(
    "Blast radius: could run commands, change files, reach any host, start 1 more agent, go 1 level deeper, spend up to $3.00; new: Bash, any host",
  );
  expect(open).toContain("    Write: only Write(src/**); held by worker");
  expect(open).toContain("+ worker delegates to editor (new)");
  const [item] = JSON.parse((await p.cadre("approve", "--json")).stdout) as { blastRadius: object }[];
  expect(item!.blastRadius).toMatchObject({ agent: "worker", maxCost: 3 });
});
