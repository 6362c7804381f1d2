import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadAgents } from "../load.fixture.ts";

const models = { default: "scripted/rehearsal", resolve: (name: string) => ({ model: name }) };
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "cadre-extends-"));
  mkdirSync(join(root, "agents"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (name: string, yaml: string, body = "") =>
  writeFileSync(join(root, "agents", `${name}.md`), `---\n${yaml}\n---\n${body}`);

async function child(base: string, own: string, body = "") {
  write("base", `description: of the base\n${base}`, "You are the base.");
  write("child", `extends: base\n${own}`, body);
  const { agents } = await loadAgents({ project: root, builtin: join(root, "none") }, { models });
  return agents.get("child")!;
}
const definition = async (base: string, own: string) => {
  const { definition: found, problems } = await child(base, own);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  return found!;
};

test("an agent inherits the keys and the body of its base, but not the name", async () => {
  const agent = await child("name: base\ntitle: The Base\nmodel: a/b\ntemperature: 0.5", "temperature: 0.1");
  expect(agent.definition).toMatchObject({
    name: "child",
    description: "of the base",
    prompt: "You are the base.",
    models: ["a/b"],
    temperature: 0.1,
  });
  expect(agent.definition).not.toHaveProperty("title");
  expect((await child("", "", "You are the child.")).definition?.prompt).toBe("You are the child.");
});

describe("tools and limits that an agent inherits from its base", () => {
  test.each([
    ["the base has a tool list", "tools: [Read]", "", { allow: ["Read"], ask: [], deny: [] }],
    ["the base has no tools", "tools: []", "", { allow: [], ask: [], deny: [] }],
    [
      "the agent's own `tools` is null, which means the same as absent",
      "tools: [Read]",
      "tools:",
      { allow: ["Read"], ask: [], deny: [] },
    ],
    [
      "the agent has its own tool list",
      "tools: [Read]",
      "tools: Bash",
      { allow: ["Bash"], ask: [], deny: [] },
    ],
    [
      "the agent and its base have deny and ask rules",
      "tools: {allow: [Read], ask: [Bash], deny: Write}",
      "tools: {ask: [Edit], deny: [WebFetch]}",
      { allow: ["Read"], ask: ["Bash", "Edit"], deny: ["Write", "WebFetch"] },
    ],
    [
      "the agent has a tool list, and its base denies tools",
      "tools: {deny: [Bash]}",
      "tools: [Read, Bash]",
      { allow: ["Read", "Bash"], ask: [], deny: ["Bash"] },
    ],
    [
      "the base spells the key differently",
      "disallowed_tools: Bash",
      "disallowedTools: [Write]",
      { ask: [], deny: ["Bash", "Write"] },
    ],
    [
      "the base has a policy",
      "policy: [Finalize]",
      "policy: [Finalize, Patch]",
      { ask: [], deny: ["Write", "Edit", "Bash", "mcp__git__commit", "mcp__git__branch"] },
    ],
  ])("an agent never gets a tool that its base denies: %s", async (_, base, own, tools) => {
    expect((await definition(base, own)).tools).toEqual(tools);
  });

  test("the permission rules of the base and of the agent itself both apply", async () => {
    const { permissions } = await definition("permissions: {deny: [A]}", "permissions: {deny: B, ask: [C]}");
    expect(permissions).toEqual({ ask: ["C"], deny: ["A", "B"] });
  });

  test("an agent overrides single limits of its base and inherits all other limits; limits can have any known spelling", async () => {
    expect((await definition("limits: {maxTurns: 3, maxDepth: 1}", "maxTurns: 9")).limits).toEqual({
      maxTurns: 9,
      maxDepth: 1,
    });
    expect((await definition("limits: {max_iters: 3}", "limits: {maxIterations: 9}")).limits).toEqual({
      maxTurns: 9,
    });
    expect((await definition("max_turns: 3", "limits: {maxCost: 1}")).limits).toEqual({
      maxTurns: 3,
      maxCost: 1,
    });
  });

  test("an invalid value in the base is reported at `extends`", async () => {
    const agent = await child("tools: {bogus: 1, deny: [Bash]}", "model: x/y");
    expect(agent.definition).toBeUndefined();
    expect(agent.problems).toContainEqual(expect.objectContaining({ severity: "error", line: 2 }));
  });
});

describe("a base that cannot be used is an error", () => {
  test.each([
    ["a base that does not exist", "extends: bsae", "`extends` names `bsae`, and there is no such agent"],
    ["a base that is the agent itself", "extends: child", "`extends` forms a cycle: child → child"],
    [
      "a base that is broken",
      "extends: torn",
      "`extends` names `torn`, which cannot be used: mend agents/torn.md:3:1",
    ],
  ])("`extends` with %s is an error", async (_, own, message) => {
    write("torn", "name: torn\nname: again");
    write("base", "description: d");
    write("child", own);
    const { agents } = await loadAgents({ project: root, builtin: join(root, "none") }, { models });
    const agent = agents.get("child")!;
    expect(agent.definition).toBeUndefined();
    expect(agent.problems).toContainEqual(
      expect.objectContaining({ severity: "error", message, line: 2, column: 10 }),
    );
  });

  test("if `extends` forms a cycle, the error shows the path", async () => {
    write("a", "extends: b");
    write("b", "extends: c");
    write("c", "extends: a");
    const { problems } = await loadAgents({ project: root, builtin: join(root, "none") }, { models });
    expect(problems.find(({ code }) => code === "EXTENDS_CYCLE")?.message).toBe(
      "`extends` forms a cycle: a → b → c → a",
    );
  });
});
