// Tests `cadre permissions suggest`, which suggests rules that would have made earlier approvals unnecessary.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

const paths = ["src/one.ts", "src/two.ts", "src/three.ts", "docs/four.md"];

const MAKER = `turns:
  - when: { turn: 1, task: again }
    calls: [{ tool: Write, input: { path: src/five.ts, content: x } }]
  - when: { turn: 1 }
    calls:
${paths.map((path) => `      - { tool: Write, input: { path: ${path}, content: x } }`).join("\n")}
  - report: { summary: done }
`;

test("[SG1] [SG2] after three approvals and a rejection, Cadre suggests a rule that fits all four decisions; the next run needs no approval", async () => {
  await using p = await project({ "agents/maker.md": agent("maker"), "maker.script.yaml": MAKER });
  await p.cadre("run", "--json", "make them");
  const open = JSON.parse((await p.cadre("approve", "--json")).stdout) as { id: string }[];
  for (const { id } of open.slice(0, 3)) await p.cadre("approve", id);
  await p.cadre("reject", open[3]!.id, "--note", "not there");

  const { stdout } = await p.cadre("permissions", "suggest");
  expect(stdout).toContain("Tested on the latest 4 decisions (3 allowed, 1 refused):");
  expect(stdout).toContain(
    "Edit(src/**/*.ts)\n  would have allowed all 3 such calls that people allowed, and not the one that they refused",
  );
  expect(stdout).toContain('  permissions:\n    allow:\n      - "Edit(src/**/*.ts)"\n');

  appendFileSync(join(p.folder, "cadre.yaml"), 'permissions:\n  allow:\n    - "Edit(src/**/*.ts)"\n');
  await p.cadre("trust");
  expect((await p.cadre("run", "--json", "again")).lines().at(-1)).toMatchObject({ status: "completed" });
  expect(JSON.parse((await p.cadre("permissions", "suggest", "--json")).stdout)).toEqual({
    looked: { allowed: 3, refused: 1 },
    suggestions: [],
  });
});
