// If a tainted run has written a file, each run of the tree that reads the file becomes tainted too.
// The write also ends grants for commands that could run the file.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  charge,
  delegate,
  familyOf,
  payloadsOf,
  roles,
  scenario,
  turns,
} from "../../../test/support/scenario.ts";
import { hear, hearTool, STRANGER } from "../../../test/support/stranger.ts";
import { openApprovalIds, type World } from "../../../test/support/world.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { noTaintedWrites, trackTaintedWrites } from "../../projections/folds/tainted-writes.ts";
import { defineTool } from "../../tools/tool.ts";
import { decideApproval } from "../commands/person-commands.ts";

const write = (path: string) => ({ tool: "Write", input: { path, content: "{}" } });
const bash = (command: string) => ({ tool: "Bash", input: { command } });
const edit = (path: string, old_string = "{}") => ({
  tool: "Edit",
  input: { path, old_string, new_string: "{ }" },
});
const read = (path: string) => ({ tool: "Read", input: { path } });

const asked = async (world: World, runId: string): Promise<(string | undefined)[]> =>
  payloadsOf(await world.events(runId), "TOOL_PROPOSED").map(({ verdict, basis }) =>
    verdict === "ask" ? (basis ?? "rule") : verdict,
  );

const grantRun = async (world: World, runId: string): Promise<void> => {
  await world.settled(runId);
  const [id] = await openApprovalIds(world, runId);
  await decideApproval(id!, { decision: "approve", scope: "run" }, "maria", world.runtime.people);
};

const config = "permissions: { allow: [Write, Edit, 'Edit(agents/scout.md)', charge, hear] }\n";

describe("[A72] [30.13] a grant for a command that runs project code", () => {
  const cases: [string, { tool: string; input: object }[][], (string | undefined)[]][] = [
    [
      "asks again after a tainted run has written a file",
      [[hear], [bash("true x")], [write("package.json")], [bash("true x")]],
      ["default", "allow", "allow", "allow", "taint"],
    ],
    [
      "still holds if the write came before the taint",
      [[write("package.json")], [hear], [bash("true x")]],
      ["default", "allow", "allow", "allow"],
    ],
    [
      "holds for commands that run no project code",
      [[hear], [write("a")], [bash("mkdir -p out")]],
      ["default", "allow", "allow", "allow"],
    ],
    [
      "does not cover a pipe or a list of commands",
      [[hear], [write("Makefile")], [bash("true x && true x")]],
      ["default", "allow", "allow", "taint"],
    ],
  ];
  for (const [title, then, verdicts] of cases)
    scenario(
      title,
      {
        more: [hearTool],
        config,
        script: turns(
          { calls: [bash(title.includes("no project code") ? "mkdir -p out" : "true x")] },
          ...then.map((calls) => ({ calls })),
        ),
      },
      async (world) => {
        const runId = await world.run("go");
        await grantRun(world, runId);
        const last = `m${then.length + 1}.0`;
        if (verdicts.at(-1) === "taint")
          while ((await openApprovalIds(world, runId))[0] !== `${runId}:${last}`) await world.settled(runId);
        else await world.seen(runId, "RUN_COMPLETED");
        expect(await asked(world, runId)).toEqual(verdicts);
      },
    );
});

describe("[A72] [30.13] a file that a tainted run has written", () => {
  const sibling = (reads: { tool: string; input: object }) => {
    let written = (): void => {};
    const isWritten = new Promise<void>((resolve) => (written = resolve));
    const step = (name: string, act: () => unknown) =>
      defineTool({
        name,
        description: "Keeps the order of the two runs.",
        input: z.object({}),
        effect: "read",
        reaches: [],
        execute: async () => {
          await act();
          return { output: "ok" };
        },
      });
    return {
      more: [hearTool, step("done", () => written()), step("await", () => isWritten)],
      agent: "agents: [scout, builder]\ntools: []\ndelegation: { mode: parallel, maxParallel: 2 }",
      cast: { scout: "", builder: "" },
      config,
      script: roles({
        tester: turns({ calls: [delegate("scout"), delegate("builder")] }),
        scout: turns(
          { calls: [hear] },
          { calls: [write("docs/notes.md")] },
          { calls: [{ tool: "done", input: {} }] },
        ),
        builder: turns(
          { calls: [{ tool: "await", input: {} }] },
          { calls: [reads] },
          { calls: [charge("1")] },
        ),
      }),
    };
  };
  const stainedBy = async (world: World, isAsked: boolean): Promise<void> => {
    const root = await world.run("go");
    await world.settled(root);
    const builder = (await familyOf(world, root)).find(({ agent }) => agent === "builder")!;
    if (isAsked)
      while ((await openApprovalIds(world, builder.id)).length === 0) await world.settled(builder.id);
    else await world.seen(builder.id, "RUN_COMPLETED");
    const results = payloadsOf(await world.events(builder.id), "TOOL_RESULT");
    expect(results.map(({ untrusted }) => untrusted)).toContain(isAsked ? STRANGER : undefined);
    expect((await asked(world, builder.id)).at(-1)).toBe(isAsked ? "taint" : "allow");
  };
  for (const [title, reads] of [
    ["taints a sibling that reads it", read("docs/notes.md")],
    ["taints a sibling that reads it under another spelling of its path", read("./docs//../docs/notes.md")],
    ["taints a sibling that searches the folder with the file", { tool: "Grep", input: { pattern: "." } }],
    ["taints a sibling that runs a command which could show the file", bash("ls docs")],
    ["taints a sibling that edits it, because the result shows lines of it", edit("docs/notes.md")],
    ["taints a sibling that edits it under another spelling", edit("./docs/x/../notes.md")],
    ["taints a sibling whose edit finds only similar lines", edit("docs/notes.md", "{{}")],
    ["taints a sibling that lists its folder", { tool: "LS", input: { path: "docs" } }],
    ["taints a sibling that lists the workspace", { tool: "LS", input: {} }],
    ["taints a sibling that finds its name", { tool: "Glob", input: { pattern: "**/*.md" } }],
    [
      "taints a sibling that finds its name in a folder",
      { tool: "Glob", input: { pattern: "*", path: "docs" } },
    ],
    ["taints a sibling that is told its name in place of a missing file", read("docs/note.md")],
    ["taints a sibling that reads the folder", read("docs")],
  ] as const)
    scenario(title, sibling(reads), async (world) => stainedBy(world, true));
  for (const [title, reads] of [
    ["reads another file", read("agents/tester.md")],
    ["lists another folder", { tool: "LS", input: { path: "agents" } }],
    ["edits another file", edit("agents/scout.md", "You test.")],
    ["writes another file", write("other.json")],
  ] as const)
    scenario(`does not taint a sibling that ${title}`, sibling(reads), async (world) =>
      stainedBy(world, false),
    );

  test("writes count as tainted from the run's first untrusted text on, and a command counts as a write to any file", () => {
    const state = noTaintedWrites();
    const events = [
      ["TOOL_PROPOSED", { toolCallId: "a", effect: "unsafe" }],
      ["TOOL_STARTED", { toolCallId: "a" }],
      ["TOOL_RESULT", { toolCallId: "a", output: "" }],
      ["TOOL_RESULT", { toolCallId: "b", output: "", untrusted: STRANGER }],
      ["TOOL_PROPOSED", { toolCallId: "c", effect: "unsafe" }],
      ["TOOL_RESULT", { toolCallId: "c", output: "", outcome: "denied" }],
      ["TOOL_PROPOSED", { toolCallId: "d", effect: "read" }],
      ["TOOL_STARTED", { toolCallId: "d" }],
      ["TOOL_RESULT", { toolCallId: "d", output: "" }],
      ["TOOL_PROPOSED", { toolCallId: "e", effect: "unsafe" }],
      ["TOOL_STARTED", { toolCallId: "e" }],
      ["TOOL_RESULT", { toolCallId: "e", output: "" }],
      ["TOOL_RESULT", { toolCallId: "f", output: "", files: [{ path: "x", change: "created" }] }],
    ] as const;
    for (const [ts, [type, payload]] of events.entries())
      trackTaintedWrites(state, { type, payload, ts, seq: ts + 1 } as unknown as JournalEvent);
    expect(state.writes).toEqual([
      { path: undefined, at: 11, source: STRANGER },
      { path: "x", at: 12, source: STRANGER },
    ]);
  });
});
