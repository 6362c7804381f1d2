import { expect, test } from "vitest";
import { agent, project } from "./cli.fixture.ts";

const SCRIPT = `turns:
  - when: { turn: 1 }
    calls: [{ tool: Read, input: { path: note.txt } }]
  - report: { summary: All is well. }
`;
const FILES = { "agents/tidy.md": agent("tidy"), "tidy.script.yaml": SCRIPT, "note.txt": "hello\n" };

test("[L2] cadre replay: the same while the rules are; after a change, the event that would be another", async () => {
  await using p = await project(FILES);
  await p.cadre("run", "tidy", "look");
  const runId = String((await p.cadre("runs", "--json")).lines()[0]!["id"]);
  const same = await p.cadre("replay", runId);
  expect(same).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The same: \d+ decisions of 1 run, made again\n$/),
  });

  await p.write("cadre.yaml", "permissions: { deny: [Read] }\n");
  const other = await p.cadre("replay", runId);
  expect(other.code).toBe(1);
  const events = (await p.cadre("show", runId, "--events", "--json")).lines();
  const proposed = events.find(({ type }) => type === "TOOL_PROPOSED");
  expect(other.stdout).toContain(`Diverges at event ${String(proposed!["seq"])} of ${runId} (tidy)`);
  expect(other.stdout).toMatch(/recorded {2}allow Read .*\n {2}now {7}deny Read \(project deny Read/);
  expect((await p.cadre("replay", runId, "--json")).lines()).toMatchObject([
    { runId, divergence: { runId } },
  ]);
});
