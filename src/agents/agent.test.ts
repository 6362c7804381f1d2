import { describe, expect, test } from "vitest";
import { Definition } from "../journal/definition.ts";
import { agentId, compileAgent, type ModelNames } from "./agent.ts";
import { NOT_YET } from "./frontmatter.ts";
import { parseAgent } from "./parse.ts";

const models: ModelNames = {
  default: "scripted/rehearsal",
  resolve: (name) => ({ fast: "local/qwen", deep: "anthropic/opus" })[name],
};

const compile = (yaml: string, body = "You are a.") =>
  compileAgent(parseAgent(`---\n${yaml}\n---\n${body}`, "agents/coder.md"), models, "hash");
const described = (yaml: string) => compile(`description: d\n${yaml}`);

function definition(yaml: string): Definition {
  const agent = described(yaml);
  expect(agent.problems.filter(({ severity }) => severity === "error")).toEqual([]);
  return Definition.parse(agent.definition);
}

describe("a definition", () => {
  test("of the smallest file: name from the file, every tool, the default model", () => {
    expect(compile("description: Writes code.")).toEqual({
      name: "coder",
      file: "agents/coder.md",
      references: [],
      problems: [],
      definition: {
        name: "coder",
        description: "Writes code.",
        kind: "main",
        models: ["scripted/rehearsal"],
        prompt: "You are a.",
        tools: { ask: [], deny: [] },
        permissions: { ask: [], deny: [] },
        agents: [],
        limits: {},
        source: { file: "agents/coder.md", hash: "hash" },
      },
    });
  });

  test("of a file that says everything", () => {
    const yaml = [
      "name: Code Writer\nkind: subagent\nmodel: [fast, openai/gpt-5]\ntemperature: 0.2\nmaxOutputTokens: 900",
      "reasoning: high\ntools: {allow: Read, ask: [Bash], deny: [WebFetch]}\ndisallowedTools: Write, Edit",
      "permissions: {deny: [WebSearch]}\noutput: {type: object}",
      "limits: {maxTurns: 0, maxDuration: 1h 30m, toolTimeout: 90s, tree: {maxCost: 2.5}, onBudget: suspend}",
    ].join("\n");
    expect(definition(yaml)).toMatchObject({
      name: "code-writer",
      title: "Code Writer",
      kind: "subagent",
      models: ["local/qwen", "openai/gpt-5"],
      temperature: 0.2,
      maxOutputTokens: 900,
      reasoning: "high",
      tools: { allow: ["Read"], ask: ["Bash"], deny: ["WebFetch", "Write", "Edit"] },
      permissions: { ask: [], deny: ["WebSearch"] },
      limits: {
        maxTurns: 0,
        maxDuration: 5_400_000,
        toolTimeout: 90_000,
        tree: { maxCost: 2.5 },
        onBudget: "suspend",
      },
      output: { type: "object" },
    });
  });

  test("without a description takes the first words of the prompt, and says so", () => {
    const agent = compile("name: a", "# Fixer of things\n\nYou fix.");
    expect(agent.definition?.description).toBe("Fixer of things");
    expect(agent.problems).toMatchObject([{ code: "NO_DESCRIPTION", severity: "warning" }]);
  });
});

describe("tools: absent, null and empty are three things", () => {
  test.each([
    ["absent", "", undefined],
    ["a star", "tools: *", undefined],
    ["a list with a star", 'tools: ["*"]', undefined],
    ["an empty list", "tools: []", []],
    ["an empty text", 'tools: ""', []],
    ["CSV", "tools: Read, Grep", ["Read", "Grep"]],
    ["one word", "tools: Read", ["Read"]],
    ["commas in a pattern", "tools: Bash(git log, git diff), Read", ["Bash(git log, git diff)", "Read"]],
    ["only deny", "tools: {deny: [Bash]}", undefined],
    ["an empty allow", "tools: {allow: [], ask: [Bash]}", []],
    ["another name", "allowed-tools: Read", ["Read"]],
    ["extends, which might narrow", "extends: base", []],
  ])("%s", (_, yaml, allow) => {
    expect(definition(yaml).tools.allow).toEqual(allow);
  });

  test("null counts as absent, and says so", () => {
    const agent = described("tools:");
    expect(agent.definition?.tools.allow).toBeUndefined();
    expect(agent.problems).toMatchObject([{ code: "TOOLS_EMPTY", severity: "warning", line: 3 }]);
  });

  test.each(["tools: {bash: false}", "tools: {alow: [Read]}", "permissions: {dney: [Bash]}", "tools: 3"])(
    "%s is an error: dropping it could allow more than was meant",
    (yaml) => {
      const agent = described(yaml);
      expect(agent.definition).toBeUndefined();
      expect(agent.problems).toMatchObject([{ code: "BAD_VALUE", severity: "error", line: 3 }]);
    },
  );
});

describe("keys", () => {
  test.each(["agents", "subagents", "spawnableAgents", "allowedDelegations", "delegates"])("%s", (key) => {
    expect(definition(`${key}: [Tester, code reviewer]`).agents).toEqual(["tester", "code-reviewer"]);
  });

  test.each(["maxTurns", "maxIterations", "max_iters"])("%s", (key) => {
    expect(definition(`${key}: 7`).limits.maxTurns).toBe(7);
  });

  test("one that nobody knows warns with the one that was meant", () => {
    expect(described("handof: b").problems).toEqual([
      {
        file: "agents/coder.md",
        line: 3,
        column: 1,
        code: "UNKNOWN_KEY",
        severity: "warning",
        message: "unknown key `handof`",
        suggestion: "did you mean `handoff`?",
      },
    ]);
    expect(described("zebra: 1").problems[0]?.suggestion).toBeUndefined();
  });

  test("an unknown limit warns, and the others count", () => {
    const agent = described("limits: {maxTurn: 3, maxDepth: 2}");
    expect(agent.problems).toMatchObject([
      {
        code: "UNKNOWN_KEY",
        message: "unknown key `limits.maxTurn`",
        suggestion: "did you mean `maxTurns`?",
      },
    ]);
    expect(agent.definition?.limits).toEqual({ maxDepth: 2 });
  });

  test.each([
    ["kind: boss", "must be one of main, subagent", 7],
    ["limits: {maxDuration: soon}", "is no duration", 23],
    ["limits: {maxTurns: -1}", "at least 0", 20],
    ["temperature: hot", "must be a number", 14],
    ["agents: {a: 1}", "must be a string or a list", 9],
    ["maxTurns: 3\nmaxIterations: 4", "both set `maxTurns`", 1],
  ])("%s", (yaml, words, column) => {
    const agent = described(yaml);
    expect(agent.definition).toBeUndefined();
    expect(agent.problems).toMatchObject([{ severity: "error", column }]);
    expect(agent.problems[0]?.message).toContain(words);
  });

  test("those of later versions load, and say that they do nothing yet", () => {
    const samples: Partial<Record<string, string>> = {
      policy: "[Patch, Finalize, Delegate]",
      delegation: "{mode: parallel}",
      context: "full",
      handoff: "writer",
      router: "{destinations: [a, b]}",
      advisors: "[a, b]",
      team: "{members: [a, b]}",
      bestOf: "{n: 3}",
      steps: "./steps.ts",
      runner: "{acp: {command: x}}",
      input: "{type: object}",
      workspace: "worktree",
      pool: "gpu",
      mcpServers: "[git]",
      extends: "base",
    };
    for (const key of NOT_YET) {
      const agent = described(`${key}: ${samples[key]}`);
      expect(agent.definition, key).toBeDefined();
      expect(
        agent.problems.map(({ code }) => code),
        key,
      ).toEqual(["NOT_YET"]);
    }
  });
});

describe("models", () => {
  test.each([
    ["inherit", ["scripted/rehearsal"]],
    ["deep", ["anthropic/opus"]],
    ["[deep, inherit, deep]", ["anthropic/opus", "scripted/rehearsal"]],
    ["kilo/anthropic/claude", ["kilo/anthropic/claude"]],
  ])("model: %s", (model, chain) => {
    expect(definition(`model: ${model}`).models).toEqual(chain);
  });

  test("a name that nobody knows is replaced, and that is said", () => {
    const agent = described("model: gpt-1");
    expect(agent.definition?.models).toEqual(["scripted/rehearsal"]);
    expect(agent.problems).toMatchObject([{ code: "MODEL_SUBSTITUTED", severity: "warning", line: 3 }]);
  });
});

describe("policy narrows", () => {
  test("without Patch no tool that changes files, without Delegate no delegates", () => {
    expect(definition("policy: [Finalize]\nagents: [b]")).toMatchObject({
      tools: { deny: ["Write", "Edit"] },
      agents: [],
    });
  });

  test("delegates are those of `agents` that `delegate_targets` names too", () => {
    expect(definition("agents: [a, b]\ndelegate_targets: [b, c]").agents).toEqual(["b"]);
  });
});

test("[S4-16] a subagent never delegates, whatever its file says", () => {
  const agent = described("kind: subagent\nagents: [b]");
  expect(agent.definition?.agents).toEqual([]);
  expect(agent.problems).toContainEqual(
    expect.objectContaining({ code: "SUBAGENT_DELEGATES", line: 4, column: 1 }),
  );
});

test.each([
  ["Code Reviewer", "code-reviewer"],
  ["ops/Coding", "ops/coding"],
  ["../../etc", "etc"],
  ["Übersetzer 2", "übersetzer-2"],
])("the id of %s", (name, id) => {
  expect(agentId(name)).toBe(id);
});
