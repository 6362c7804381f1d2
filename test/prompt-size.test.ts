// Tests that prompts stay small, because every turn pays for them. Sizes are the estimates that the budget uses.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tokensOf } from "../src/loop/model/reserve-budget.ts";
import { openProject } from "../src/project/project.ts";
import { scratchFolder } from "./support/scratch.ts";

/** A project with these agents, whose descriptions have the usual length. */
function projectWith(agents: Record<string, string>) {
  const folder = scratchFolder("cadre-size-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "agents"));
  for (const [name, keys] of Object.entries(agents)) {
    const description = `Works on the part ${name} of this project, and reports what was changed.`;
    writeFileSync(
      join(folder, "agents", `${name}.md`),
      `---\ndescription: ${description}\n${keys}\n---\nHi.\n`,
    );
  }
  return openProject({ folder, home: join(folder, "home"), env: { CADRE_TRUST: "1" } });
}

async function sizeOf(project: ReturnType<typeof projectWith>, name: string): Promise<number> {
  const { prompt, tools } = await project.prompt(name, "go");
  return tokensOf(prompt) + tokensOf(JSON.stringify(tools));
}

test("[25.6] the assistant's prompt describes every delegable agent of the project, and it can delegate to each of them", async () => {
  const project = projectWith({ coder: "", secret: "delegable: false" });
  const { prompt, tools } = await project.prompt("assistant", "go");
  expect(prompt).toContain("- coder: Works on the part coder of this project");
  expect(prompt).not.toContain("secret");
  const { inputSchema } = tools.find(({ name }) => name === "delegate")!;
  expect(inputSchema).toMatchObject({ properties: { agent: { enum: ["coder"] } } });
  expect((await projectWith({}).prompt("assistant", "go")).tools.map(({ name }) => name)).not.toContain(
    "delegate",
  );
});

test("[25.6] the system prompt and the tools of the assistant have at most 3,000 tokens", async () => {
  expect(await sizeOf(projectWith({ coder: "", tester: "", reviewer: "" }), "assistant")).toBeLessThan(3_000);
});

test("[25.7] the ability to delegate, and to manage its child runs, costs an agent at most 300 tokens per turn", async () => {
  const parent = (keys: string) => projectWith({ lead: `tools: [Read]\n${keys}`, coder: "" });
  const alone = await sizeOf(parent("agents: []"), "lead");
  const sizes = ["generic", "per-agent", "delegate_to_agent"].map(async (tool) => {
    const { prompt, tools } = await parent(`agents: [coder]\ndelegation: { tool: ${tool} }`).prompt(
      "lead",
      "go",
    );
    const own = tools.filter(({ name }) => /delegate|^run_|manage_runs/.test(name));
    expect(own).toHaveLength(tool === "generic" ? 2 : 1);
    const more = tokensOf(prompt) + tokensOf(JSON.stringify(own));
    return more - tokensOf((await parent("agents: []").prompt("lead", "go")).prompt);
  });
  expect(alone).toBeGreaterThan(0);
  for (const size of await Promise.all(sizes)) expect(size).toBeLessThanOrEqual(300);
});
