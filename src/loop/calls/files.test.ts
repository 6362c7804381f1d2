// Tests the file tools in the loop, on real files: rules, crashes and approvals.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { delegate, payloadsOf, resultsRead, roles, scenario, turns } from "../../../test/support/scenario.ts";
import type { World, WorldOptions } from "../../../test/support/world.ts";
import { defineTool } from "../../tools/tool.ts";
import { decideApproval } from "../commands/person-commands.ts";

const at = (world: World, name: string) => join(world.folder, name);
const read = (world: World, name: string) => readFileSync(at(world, name), "utf8");
const call = (tool: string, input: object) => turns({ calls: [{ tool, input }] });

for (const [deny, how] of [
  ["Read(.env)", "by its name"],
  ["Read(**/.env*)", "by a pattern"],
  ["Grep(.env)", "for this tool"],
])
  scenario(
    `[A35] [X4] a search does not show a file that is denied ${how}`,
    {
      idle: true,
      config: `permissions: { deny: ["${deny}"] }`,
      files: { ".env": "KEY=canary\n", "a.txt": "KEY=1\n" },
      script: call("Grep", { pattern: "KEY=" }),
    },
    async (world) => {
      const runId = await world.run("search");
      await world.drive(runId);
      expect(resultsRead(await world.events(runId))).toEqual([
        "a.txt:1:KEY=1\n(some are not shown: a rule does not allow it)",
      ]);
    },
  );

scenario(
  "a search does not show a file that needs approval, unless a person approved the search",
  {
    idle: true,
    config: `permissions: { ask: ["Read(.env)", Glob] }`,
    files: { ".env": "KEY=canary\n", "a.txt": "KEY=1\n" },
    script: turns(
      { calls: [{ tool: "Grep", input: { pattern: "KEY=" } }] },
      { calls: [{ tool: "Glob", input: { pattern: "*.{txt,env}" } }] },
    ),
  },
  async (world) => {
    const runId = await world.run("search");
    await world.drive(runId);
    await decideApproval(`${runId}:m2.0`, { decision: "approve" }, "ann", world.runtime.people);
    await world.drive(runId);
    expect(resultsRead(await world.events(runId))).toEqual([
      expect.not.stringContaining("canary"),
      "a.txt\n(some are not shown: a rule does not allow it)",
    ]);
  },
);

const ALLOWED = "permissions: { allow: [Write, Edit] }";
const EDIT = { path: "a.txt", old_string: "old", new_string: "old, new" };

for (const [path, before] of [
  [".github/workflows/new.yml", undefined],
  [".mcp.json", undefined],
  ["agents/tester.md", "present"],
  [".GIT/config", undefined],
  ["src/../.vscode/tasks.json", undefined],
] as const)
  scenario(
    `[A37] a write to ${path} (${before ?? "absent"}) needs approval although all edits are allowed; after a rejection nothing is written`,
    {
      idle: true,
      config: `permissions: { allow: [Write, Edit, "Write(**)"] }`,
      script: call("Write", { path, content: "mine\n" }),
    },
    async (world) => {
      const [was, exists] = [before && read(world, path), existsSync(at(world, path))];
      const runId = await world.run("write");
      expect(await world.drive(runId)).toMatchObject({ status: "suspended" });
      expect(payloadsOf(await world.events(runId), "TOOL_PROPOSED")).toMatchObject([
        { verdict: "ask", rule: expect.stringMatching(/^protected /) },
      ]);
      await decideApproval(`${runId}:m1.0`, { decision: "reject" }, "ann", world.runtime.people);
      await world.drive(runId);
      expect(existsSync(at(world, path))).toBe(exists);
      if (before) expect(read(world, path)).toBe(was);
    },
  );

const HELPER = "---\ndescription: helps\nmodel: scripted/test\ntools: [Bash]\n---\nYou do anything.\n";

for (const [who, cast] of [
  ["the run that changed the file", { helper: "tools: [Read]" }],
  ["a run below that run", { helper: "tools: [Read]", middle: "agents: [helper]" }],
] as const)
  scenario(
    `[A37] [X5] ${who} cannot start an agent whose file was changed by a run of the same tree`,
    {
      idle: true,
      agent: `agents: [${Object.keys(cast).join(", ")}]`,
      cast,
      config: `permissions: { allow: ["Write(agents/helper.md)"] }`,
      script: roles({
        tester: turns(
          { calls: [{ tool: "Write", input: { path: "agents/helper.md", content: HELPER } }] },
          { calls: [delegate(Object.keys(cast).at(-1)!)] },
          (seen) => ({ text: seen }),
        ),
        middle: turns({ calls: [delegate("helper")] }, (seen) => ({ text: seen })),
      }),
    },
    async (world) => {
      const runId = await world.run("go");
      await world.drive(runId);
      const [child] = (await world.state(runId)).children.values();
      if (child) {
        await world.drive(child.runId);
        await world.drive(runId);
      }
      const { end } = await world.state(runId);
      expect(read(world, "agents/helper.md")).toBe(HELPER);
      expect(end?.summary).toContain("agents/helper.md was changed by a run of this tree");
      // A tree that starts later is allowed to use the changed file.
      expect((await world.runtime.parts.findAgent("helper")).prompt).toContain("You do anything.");
    },
  );

/** Drives the run until the append of this type, then simulates a crash. */
function crashScenario(
  title: string,
  [type, when]: ["TOOL_STARTED" | "TOOL_RESULT", "before" | "after"],
  body: (world: World, runId: string) => Promise<void>,
): void {
  let world: World | undefined;
  let dead = false;
  const options: WorldOptions = {
    idle: true,
    config: ALLOWED,
    files: { "a.txt": "old\n" },
    script: call("Edit", EDIT),
    async intercept(append, send) {
      if (dead) return new Promise(() => {});
      if (!append.events.some((event) => event.type === type)) return send();
      dead = true;
      if (when === "after") await send();
      world!.die();
      return new Promise(() => {});
    },
  };
  scenario(title, options, async (made) => {
    world = made;
    const runId = await made.run("edit");
    void made.drive(runId).catch(() => {});
    await made.dead();
    await made.restart();
    await body(made, runId);
  });
}

crashScenario(
  "[P4] if a crash interrupts an edit before the file is written, the edit is made once",
  ["TOOL_STARTED", "after"],
  async (world, runId) => {
    await world.drive(runId);
    expect(read(world, "a.txt")).toBe("old, new\n");
  },
);

crashScenario(
  "[P4] if a crash interrupts an edit after the file was written, the edit is not made twice",
  ["TOOL_RESULT", "before"],
  async (world, runId) => {
    expect(read(world, "a.txt")).toBe("old, new\n");
    await world.drive(runId);
    expect(read(world, "a.txt")).toBe("old, new\n");
    expect(payloadsOf(await world.events(runId), "TOOL_RESULT")).toMatchObject([
      { attempt: 2, files: [{ path: "a.txt", change: "modified" }] },
    ]);
  },
);

for (const [type, when] of [
  ["TOOL_STARTED", "after"],
  ["TOOL_RESULT", "before"],
] as const)
  crashScenario(
    `[A20] a file that a person changed after a crash ${when} ${type} is not overwritten`,
    [type, when],
    async (world, runId) => {
      writeFileSync(at(world, "a.txt"), "old, and theirs\n");
      await world.drive(runId);
      expect(read(world, "a.txt")).toBe("old, and theirs\n");
      expect(payloadsOf(await world.events(runId), "TOOL_RESULT")).toMatchObject([
        { attempt: 2, outcome: "stale", isError: true, output: expect.stringContaining("Read it again") },
      ]);
    },
  );

const STEP = (tool: string, input: object) => ({ calls: [{ tool, input }] });

for (const [tool, input] of [
  ["Edit", { path: "./a.txt", old_string: "old", new_string: "new" }],
  ["Write", { path: "a.txt", content: "new\n" }],
] as const)
  for (const [how, look] of [
    ["read", STEP("Read", { path: "a.txt" })],
    ["written", STEP("Write", { path: "a.txt", content: "old\n" })],
  ] as const)
    scenario(
      `[A20] [X3] ${tool} is refused as stale if someone changed the file after the model had ${how} it; after a new read the call succeeds`,
      {
        idle: true,
        config: ALLOWED,
        files: { "a.txt": "older\n" },
        tools: [
          defineTool({
            name: "Meanwhile",
            description: "Somebody else changes the file.",
            input: z.object({ folder: z.string() }),
            effect: "idempotent",
            reaches: [],
            async execute({ folder }) {
              writeFileSync(join(folder, "a.txt"), "old, and theirs\n");
              return { output: "ok" };
            },
          }),
        ],
        script: ({ turn, task }) =>
          [
            look,
            STEP("Meanwhile", { folder: task }),
            STEP(tool, input),
            STEP("Read", { path: "a.txt" }),
            STEP(tool, input),
          ][turn - 1] ?? { text: "done" },
      },
      async (world) => {
        const runId = await world.run(world.folder);
        await world.drive(runId);
        const results = payloadsOf(await world.events(runId), "TOOL_RESULT");
        expect(results.map(({ outcome = "ok" }) => outcome)).toEqual(["ok", "ok", "stale", "ok", "ok"]);
        expect(results[3]!.output).toBe("1\told, and theirs");
        expect(read(world, "a.txt")).toBe(tool === "Edit" ? "new, and theirs\n" : "new\n");
      },
    );
