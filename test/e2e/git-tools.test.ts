// Tests the git tools in a run: who gets them, what asks, and what the rules of the project hide.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { payloadsOf, resultsRead, turns } from "../support/scenario.ts";
import { makeWorld } from "../support/world.ts";

it("[28.7] [30.7] a diff in a run leaves out a file that a rule denies reading; a commit asks; the tools go only to agents that name them", async () => {
  const world = await makeWorld({
    config: 'permissions: { deny: ["Read(.env)"] }',
    agent: "tools: [mcp__git__*]",
    cast: { open: "mcpServers: [git]", plain: "" },
    files: { ".env": "KEY=1\n", "a.txt": "a\n" },
    script: turns(
      { calls: [{ tool: "mcp__git__diff", input: {} }] },
      { calls: [{ tool: "mcp__git__commit", input: { message: "m", paths: ["a.txt"] } }] },
      { text: "Done." },
    ),
  });
  try {
    const git = (...args: string[]) => execFileSync("git", ["-C", world.folder, ...args]);
    git("init", "-q");
    git("add", ".env", "a.txt");
    git("-c", "user.name=P", "-c", "user.email=p@x", "commit", "-qm", "first");
    writeFileSync(join(world.folder, ".env"), "KEY=2\n");
    writeFileSync(join(world.folder, "a.txt"), "b\n");

    const runId = await world.run("look");
    await world.settled(runId);
    const [shown] = resultsRead(await world.events(runId));
    expect(shown).toContain("+b");
    expect(shown).toContain("a rule does not allow it");
    expect(shown).not.toContain("KEY");
    expect(payloadsOf(await world.events(runId), "TOOL_PROPOSED")).toMatchObject([
      { verdict: "allow", effect: "read" },
      { verdict: "ask", effect: "unsafe", preview: "m\n\na.txt" },
    ]);

    const { findAgent, tools, offers } = world.runtime.parts;
    const toolsOf = async (name: string) => {
      const definition = await findAgent(name);
      return [...new Set(tools.values())].filter((tool) => tool.group === "git" && offers(definition, tool))
        .length;
    };
    expect([await toolsOf("tester"), await toolsOf("open"), await toolsOf("plain")]).toEqual([5, 5, 0]);
  } finally {
    await world.close();
  }
});
