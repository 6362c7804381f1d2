// Tests how Cadre shows an agent's to-do list to a person.

import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

test("while the run works, its to-do list is shown as one line; `cadre show` prints the whole list", async () => {
  await using p = await project({
    "agents/mend.md": agent("mend").replace("---\n", "---\ntools: [TodoWrite, AskUser]\n"),
    "mend.script.yaml": `turns:
  - when: { turn: 1 }
    calls:
      - tool: TodoWrite
        input:
          todos:
            - { content: Read the code, status: completed }
            - { content: Write the test, status: in_progress, activeForm: writing the test }
            - { content: Mend it, status: pending }
  - report: { summary: done }
`,
  });
  const run = await p.cadre("run", "mend it");
  expect(run.stdout).toContain("To do: 1 of 3 done: writing the test");
  const runId = (await p.cadre("runs", "--json")).lines()[0]!["id"] as string;
  const { stdout } = await p.cadre("show", runId);
  expect(stdout).toContain(
    "To do: 1 of 3 done: writing the test\n  ✓ Read the code\n  ● Write the test\n  ○ Mend it\n",
  );
});
