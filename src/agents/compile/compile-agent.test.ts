import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Definition } from "../../journal/definition.ts";
import type { AgentEnvironment, ModelNames } from "../agent.ts";
import { createDrafts } from "../files/draft.ts";
import { KNOWN_KEYS } from "../files/known-keys.ts";
import { parseAgent } from "../files/parse.ts";
import { compileAgent } from "./compile-agent.ts";

const models: ModelNames = {
  default: "scripted/rehearsal",
  resolve(name) {
    const model =
      { fast: "local/qwen", deep: "anthropic/opus" }[name] ?? (name.includes("/") ? name : undefined);
    return model ? { model } : { model: "scripted/rehearsal", note: `model \`${name}\` is not known` };
  },
};
const TOOLS = ["Read", "Write", "Edit", "Bash", "Grep"];

function compileSource(source: string, known: Partial<AgentEnvironment> = {}) {
  const place = {
    path: "agents/coder.md",
    below: "coder.md",
    packs: true,
    scope: "project",
    hash: "hash",
  } as const;
  const [draft] = createDrafts(parseAgent(source, "agents/coder.md"), place);
  return compileAgent(draft!, { models, ...known });
}
const compile = (yaml: string, body = "You are a.", toolNames?: string[]) =>
  compileSource(`---\n${yaml}\n---\n${body}`, toolNames ? { toolNames } : {});
const compileDescribed = (yaml: string) => compile(`description: d\n${yaml}`);

function definition(yaml: string): Definition {
  const agent = compileDescribed(yaml);
  expect(agent.problems.filter(({ severity }) => severity === "error")).toEqual([]);
  return Definition.parse(agent.definition);
}

describe("compiling a definition", () => {
  test("the smallest file is compiled to a definition with the file's name, every tool and the default model", () => {
    expect(compile("description: Writes code.")).toEqual({
      name: "coder",
      file: "agents/coder.md",
      dialect: "cadre",
      scope: "project",
      references: [],
      problems: [],
      at: expect.any(Function),
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

  test("a file with every key is compiled to a complete definition", () => {
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

  test("without a description, the definition uses the first line of the prompt, and a warning says so", () => {
    const agent = compile("name: a", "# Fixer of things\n\nYou fix.");
    expect(agent.definition?.description).toBe("Fixer of things");
    expect(agent.problems).toMatchObject([{ code: "NO_DESCRIPTION", severity: "warning" }]);
  });
});

describe("an absent `tools` allows every tool; an empty `tools` allows none", () => {
  test.each([
    ["absent", "", undefined],
    ["a star", "tools: *", undefined],
    ["a list with a star", 'tools: ["*"]', undefined],
    ["an empty list", "tools: []", []],
    ["an empty text", 'tools: ""', []],
    ["names separated by commas", "tools: Read, Grep", ["Read", "Grep"]],
    ["one word", "tools: Read", ["Read"]],
    ["commas in a pattern", "tools: Bash(git log, git diff), Read", ["Bash(git log, git diff)", "Read"]],
    ["only deny", "tools: {deny: [Bash]}", undefined],
    ["an empty `allow` list", "tools: {allow: [], ask: [Bash]}", []],
    ["another spelling", "allowed-tools: Read", ["Read"]],
  ])("`tools` with %s gives the expected tool list", (_, yaml, allow) => {
    expect(definition(yaml).tools.allow).toEqual(allow);
  });

  test("`tools: null` gives a warning and has the same meaning as an absent `tools`", () => {
    const agent = compileDescribed("tools:");
    expect(agent.definition?.tools.allow).toBeUndefined();
    expect(agent.problems).toMatchObject([{ code: "TOOLS_EMPTY", severity: "warning", line: 3 }]);
  });

  test.each(["tools: {alow: [Read]}", "permissions: {dney: [Bash]}", "tools: 3"])(
    "the invalid value %s is an error, because ignoring it could allow more than the author meant",
    (yaml) => {
      const agent = compileDescribed(yaml);
      expect(agent.definition).toBeUndefined();
      expect(agent.problems).toMatchObject([{ code: "BAD_VALUE", severity: "error", line: 3 }]);
    },
  );
});

describe("unknown tools in an agent file", () => {
  const compileTools = (yaml: string) => {
    const { definition, problems } = compile(`description: d\n${yaml}`, "Hi.", TOOLS);
    return { allow: definition?.tools.allow, codes: problems.map(({ code }) => code) };
  };

  test.each([
    ["tools: [Read, Fly]", ["Read"], ["UNKNOWN_TOOL"]],
    ["tools: [Fly, Swim]", [], ["UNKNOWN_TOOL", "UNKNOWN_TOOL", "NO_KNOWN_TOOLS"]],
    ["tools: {allow: [Fly]}", [], ["UNKNOWN_TOOL", "NO_KNOWN_TOOLS"]],
    ["tools: Read, WebFetch", ["Read", "WebFetch"], ["UNKNOWN_TOOL"]],
    ["tools: [read, 'mcp__git__*', 'Bash(git log)']", ["read", "mcp__git__*", "Bash(git log)"], []],
    ["tools: ['Bash(']", [], ["BAD_RULE", "NO_KNOWN_TOOLS"]],
    ["tools: [Fly, '*']", undefined, ["UNKNOWN_TOOL"]],
    ["tools: []", [], []],
    ["", undefined, []],
  ])("unknown tools in %s are ignored, and the agent gets no other tools instead", (yaml, allow, codes) => {
    expect(compileTools(yaml)).toEqual({ allow, codes });
  });
});

describe("keys of an agent file", () => {
  test.each(["agents", "subagents", "spawnableAgents", "allowedDelegations", "delegates"])(
    "the key `%s` lists the delegates",
    (key) => {
      expect(definition(`${key}: [Tester, code reviewer]`).agents).toEqual(["Tester", "code reviewer"]);
    },
  );

  test.each(["maxTurns", "maxIterations", "max_iters"])("the key `%s` limits the number of turns", (key) => {
    expect(definition(`${key}: 7`).limits.maxTurns).toBe(7);
    expect(definition(`limits: { ${key}: 7 }`).limits).toEqual({ maxTurns: 7 });
  });

  test("the warning about an unknown key suggests a known key", () => {
    expect(compileDescribed("handof: b").problems).toEqual([
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
    expect(compileDescribed("zebra: 1").problems[0]?.suggestion).toBeUndefined();
  });

  test("an unknown limit gives a warning, and the known limits still apply", () => {
    const agent = compileDescribed("limits: {maxTurn: 3, maxDepth: 2}");
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
    ["agents: [a, 3]", "`agents.1`: must be a string", 13],
    ["advisors: {agents: [a], require: most}", "`advisors.require`", 34],
    ["advisors: []", "at least one agent", 11],
    ["team: {members: [a], maxRounds: 0}", "`team.maxRounds`: must be more than 0", 33],
    ["router: true", "no agents to choose from", 1],
    ["router: true\nsubagents: [a]", "`router` and `subagents` exclude each other", 1],
    ["handoff: {pass: result}", "must name the next agent, as `to` or as `agent`", 10],
    ["team: {members: [a], terminationMode: vote}", "consensus, maxRounds or coordinatorDecides", 39],
    ["policy: [Fly]", "must be one of Patch, Finalize, Delegate", 10],
    ["policy: {verbs: [Patch], target: [a]}", "is not known here", 34],
    ["maxTurns: 3\nmaxIterations: 4", "both set `maxTurns`", 1],
    ["limits: {maxTurns: 3, max_iters: 4}", "`limits.max_iters`: and `maxTurns` both set `maxTurns`", 34],
  ])("an invalid value is reported: %s", (yaml, words, column) => {
    const agent = compileDescribed(yaml);
    expect(agent.definition).toBeUndefined();
    const errors = agent.problems.filter(({ severity }) => severity === "error");
    expect(errors).toMatchObject([{ column, message: expect.stringContaining(words) }]);
  });

  test("[E6] `pool` is kept in the definition; a pool that cadre.yaml does not declare gives a warning", () => {
    expect(compileDescribed("pool: gpu")).toMatchObject({ definition: { pool: "gpu" }, problems: [] });
    const among = (pool: string) =>
      compileSource(`---\ndescription: d\npool: ${pool}\n---\nYou are a.`, { pools: ["default", "data"] });
    expect(among("gpu")).toMatchObject({
      definition: { pool: "gpu" },
      problems: [
        {
          code: "UNKNOWN_POOL",
          severity: "warning",
          message: expect.stringContaining("names default, data; any worker takes its runs"),
        },
      ],
    });
    expect(among("data").problems).toEqual([]);
  });
});

describe("MCP servers in an agent file", () => {
  test("an agent file can name MCP servers, but cannot start one", () => {
    expect(compileDescribed("mcpServers: [git, docs]")).toMatchObject({
      definition: { mcpServers: ["git", "docs"] },
      problems: [],
    });
    for (const yaml of ["mcpServers: {a: {command: rm}}", "mcpServers: [{a: {command: rm}}]"])
      expect(compileDescribed(yaml)).toMatchObject({
        definition: { mcpServers: [] },
        problems: [{ code: "BAD_VALUE", message: expect.stringContaining("nothing else here is started") }],
      });
  });
});

describe("default values of patterns", () => {
  test("[S3-10] the project says what a handoff passes on; the agent's own file wins", () => {
    const passOf = (yaml: string) =>
      compileSource(`---\ndescription: d\n${yaml}\n---\nx`, { handoffPass: "result" }).definition?.handoff;
    expect(passOf("handoff: writer")).toEqual({ agent: "writer", onFailure: "fail", pass: "result" });
    expect(passOf("handoff: {to: writer, pass: request+result}")).toEqual({
      agent: "writer",
      onFailure: "fail",
    });
  });

  test.each([
    ["handoff: writer", { handoff: { agent: "writer", onFailure: "fail" } }],
    ["handoff: {agent: writer}", { handoff: { agent: "writer", onFailure: "fail" } }],
    ["router: {destinations: 'a, b'}", { router: { destinations: ["a", "b"], allowAnswer: false } }],
    [
      "router: {destinations: [a], fallback: b, allowAnswer: true}",
      { router: { destinations: ["a"], fallback: "b", allowAnswer: true } },
    ],
    [
      "router: true\nagents: [a, b]",
      { agents: [], router: { destinations: ["a", "b"], allowAnswer: false } },
    ],
    ["advisors: [a, b]", { advisors: { agents: ["a", "b"], require: "any" } }],
    [
      "advisors: {agents: a, require: 1, timeout: 2m}",
      { advisors: { agents: ["a"], require: 1, timeout: 120_000 } },
    ],
    [
      "team: {members: [a, b]}",
      { team: { members: ["a", "b"], termination: ["consensus"], maxRounds: 10, memberMaxTurns: 5 } },
    ],
    ["bestOf: 3", { bestOf: { n: 3, strategies: [] } }],
    ["bestOf: {n: 2, judge: a, strategies: [x]}", { bestOf: { n: 2, judge: "a", strategies: ["x"] } }],
    [
      "agents: [a]\ndelegation: {mode: parallel}",
      {
        delegation: { mode: "parallel", maxParallel: 3, tool: "generic", onFailure: "return", atEnd: "wait" },
      },
    ],
    ["delegable: false\nusage: Say the file.", { delegable: false, usage: "Say the file." }],
    ["context: full\nworkspace: worktree", { context: "full", workspace: "worktree" }],
    ["icon: x\ncolor: [1]", { icon: "x" }],
  ])("the definition has every default value if the file says %s", (yaml, expected) => {
    expect(definition(yaml)).toMatchObject(expected);
  });

  test("a key that is absent from the file is absent from the definition", () => {
    const absent = ["delegation", "delegable", "usage", "context", "finalizes", "handoff", "router", "color"];
    for (const key of absent) expect(definition("delegable: true")).not.toHaveProperty(key);
  });

  test.each([
    ["delegation: {mod: parallel}", "delegation.mod", "mode"],
    ["advisors: {agents: [a], requires: 1}", "advisors.requires", "require"],
    ["router: {destinations: [a], falback: b}", "router.falback", "fallback"],
    ["bestOf: {n: 2, strateges: [x]}", "bestOf.strateges", "strategies"],
    ["team: {members: [a], quorun: 1}", "team.quorun", "quorum"],
  ])(
    "for an unknown key in %s, a warning suggests the right key, and the other keys apply",
    (yaml, key, meant) => {
      const agent = compileDescribed(yaml);
      expect(agent.definition).toBeDefined();
      expect(agent.problems).toContainEqual(
        expect.objectContaining({
          code: "UNKNOWN_KEY",
          severity: "warning",
          message: `unknown key \`${key}\``,
          suggestion: `did you mean \`${meant}\`?`,
        }),
      );
    },
  );

  test("references to other agents keep their positions in the file", () => {
    const yaml = "subagents: [a, B c]\nrouter: {destinations: [d], fallback: e}\nbestOf: {n: 2, judge: f}";
    expect(compileDescribed(yaml).references).toEqual([
      { key: "agents", name: "a", line: 3, column: 13 },
      { key: "agents", name: "B c", line: 3, column: 16 },
      { key: "router", name: "d", line: 4, column: 25 },
      { key: "router", name: "e", line: 4, column: 39 },
      { key: "bestOf", name: "f", line: 5, column: 23 },
    ]);
  });
});

describe("compiling another product's file", () => {
  const foreign = (yaml: string) => compile(`dialect: claude\nname: x\ndescription: d\n${yaml}`);

  test("an invalid value in another product's file is ignored with a warning", () => {
    const agent = foreign("temperature: hot\ntools: Read");
    expect(agent).toMatchObject({ name: "x", dialect: "claude", definition: { dialect: "claude" } });
    expect(agent.definition).not.toHaveProperty("temperature");
    expect(agent.problems).toMatchObject([{ severity: "warning", line: 5 }]);
  });

  test.each(["tools: {bash: 3}", "disallowedTools: {a: 1}", "policy: [Fly]"])(
    "the invalid value %s in another product's file is an error, because ignoring it could allow more",
    (yaml) => {
      const agent = foreign(yaml);
      expect(agent.definition).toBeUndefined();
      expect(agent.problems).toContainEqual(expect.objectContaining({ severity: "error", line: 5 }));
    },
  );

  test("a value that is too long is not parsed", () => {
    expect(foreign(`tools: ${"a,".repeat(5_000)}`).problems).toMatchObject([
      { code: "VALUE_TOO_LONG", line: 5 },
    ]);
  });

  test("the error for an unknown dialect lists the known dialects", () => {
    const agent = compile("dialect: klaude\ndescription: d");
    expect(agent.definition).toBeUndefined();
    expect(agent.problems).toMatchObject([
      { code: "UNKNOWN_DIALECT", severity: "error", line: 2, column: 10 },
    ]);
    expect(agent.problems[0]?.message).toContain("claude");
  });
});

describe("models in an agent file", () => {
  test("`inherit` means the parent's model; in a root run it means the default model", () => {
    expect(definition("model: inherit")).toMatchObject({
      inheritsModel: true,
      models: ["scripted/rehearsal"],
    });
    expect(definition("model: [deep, inherit]")).not.toHaveProperty("inheritsModel");
    expect(definition("")).not.toHaveProperty("inheritsModel");
  });

  test.each([
    ["inherit", ["scripted/rehearsal"]],
    ["deep", ["anthropic/opus"]],
    ["[deep, inherit, deep]", ["anthropic/opus", "scripted/rehearsal"]],
    ["kilo/anthropic/claude", ["kilo/anthropic/claude"]],
  ])("`model: %s` gives the expected list of models", (model, chain) => {
    expect(definition(`model: ${model}`).models).toEqual(chain);
  });

  test("an unknown model is replaced by another model, with a warning", () => {
    const agent = compileDescribed("model: gpt-1");
    expect(agent.definition?.models).toEqual(["scripted/rehearsal"]);
    expect(agent.problems).toMatchObject([{ code: "MODEL_SUBSTITUTED", severity: "warning", line: 3 }]);
  });
});

describe("a policy restricts the agent", () => {
  test("a policy without Patch removes tools that change files; a policy without Delegate removes delegates", () => {
    expect(definition("policy: [Finalize]\nagents: [b]")).toMatchObject({
      tools: { deny: ["Write", "Edit", "Bash", "mcp__git__commit", "mcp__git__branch"] },
      agents: [],
    });
  });

  test("[S4-20] an agent without Finalize never gives the answer itself", () => {
    expect(definition("policy: [Patch]").finalizes).toBe(false);
    expect(definition("policy: [Finalize]")).not.toHaveProperty("finalizes");
    expect(definition("policy: {delegate_targets: [a]}")).not.toHaveProperty("finalizes");
  });

  test.each([
    ["delegate_targets: [b, c]", ["b"]],
    ["policy: {delegate_targets: [B]}", ["b"]],
    ["policy: {verbs: [Delegate], delegate_targets: [a, b]}\ndelegate_targets: b", ["b"]],
    ["policy: {verbs: [Patch]}", []],
    ["policy: [Delegate]", ["x/a", "b"]],
    ["delegate_targets: [a]", ["x/a"]],
    ["delegate_targets: []", []],
  ])("[S4-7] with %s, the agent keeps only the allowed delegates", (yaml, agents) => {
    expect(definition(`agents: [x/a, b]\n${yaml}`).agents).toEqual(agents);
  });
});

test("every truncated agent file gives a definition, or an error with a line and a column", () => {
  const yaml =
    "name: a\ndescription: 'x: y'\ntools: {allow: [Read, 'Bash(ls)'], deny: Write}\nbestOf: {n: 2}";
  const whole = `\uFEFF#!/usr/bin/env x\n---\n${yaml}\nteam: {members: [b]}\nlimits: {maxTurns: 3}\n---\nHi.\n`;
  for (const ends of ["\n", "\r\n", "\r"]) {
    const text = whole.replaceAll("\n", ends);
    for (let end = 0; end <= text.length; end++) {
      const { definition: found, problems } = compileSource(text.slice(0, end));
      for (const { line, column } of problems) expect(Math.min(line, column)).toBeGreaterThan(0);
      expect(found !== undefined || problems.some(({ severity }) => severity === "error")).toBe(true);
    }
    expect(compileSource(text).definition).toMatchObject({
      name: "a",
      prompt: "Hi.",
      limits: { maxTurns: 3 },
    });
  }
});

test("any value of any key gives a definition, or an error with a line and a column", () => {
  const words = fc.constantFrom("*", "Read", "a", "", "inherit", "none", "30m", "[]", "Bash(", "../x");
  const scalar = fc.oneof(words, fc.string({ maxLength: 8 }), fc.integer(), fc.boolean(), fc.constant(null));
  const map = fc.dictionary(fc.constantFrom("allow", "deny", "agents", "n", "mode", "verbs", "x"), scalar);
  const value = fc.oneof(scalar, fc.array(fc.oneof(scalar, map), { maxLength: 3 }), map);
  const key = fc.constantFrom(...[...KNOWN_KEYS].filter((name) => name !== "customModes"));
  fc.assert(
    fc.property(fc.dictionary(key, value, { minKeys: 1, maxKeys: 5 }), (data) => {
      const yaml = Object.entries(data).map(([name, said]) => `${name}: ${JSON.stringify(said)}`);
      const { definition: found, problems } = compile(yaml.join("\n"), "Hi.", TOOLS);
      for (const { line, column } of problems) expect(Math.min(line, column)).toBeGreaterThan(0);
      if (found) Definition.parse(found);
      else expect(problems.some(({ severity }) => severity === "error")).toBe(true);
    }),
    { numRuns: 1_000, seed: 7 },
  );
});

describe("[N3] a misspelled key that restricts the agent", () => {
  test.each([
    ["toools: [Read]", "tools"],
    ["disalowedTools: [Bash]", "disallowedTools"],
    ["permisions: {deny: [Bash]}", "permissions"],
  ])("the misspelled key in %s is an error, because ignoring it would allow more", (line, meant) => {
    const agent = compileDescribed(line);
    expect(agent.definition).toBeUndefined();
    expect(agent.problems).toMatchObject([
      { code: "UNKNOWN_KEY", severity: "error", suggestion: `did you mean \`${meant}\`?` },
    ]);
  });

  test("a misspelled key gives only a warning if the correct key is also present, or if the correct key restricts nothing", () => {
    for (const lines of ["tools: [Read]\ntool: [Bash]", "handof: writer"])
      expect(compileDescribed(lines).problems).toMatchObject([{ code: "UNKNOWN_KEY", severity: "warning" }]);
  });
});

test("[A58] invisible text in a description is reported, because the models of other agents read descriptions", () => {
  const hidden = `tidy up${String.fromCodePoint(0xe0041)}`;
  expect(compile(`description: ${hidden}`).problems).toMatchObject([
    { code: "INVISIBLE_TEXT", severity: "warning" },
  ]);
  for (const key of ["name", "title", "usage"])
    expect(compileDescribed(`${key}: ${hidden}`).problems, key).toMatchObject([
      {
        code: "INVISIBLE_TEXT",
        line: 3,
        message: `invisible characters in \`${key}\`: the model reads them, people do not`,
      },
    ]);
});
