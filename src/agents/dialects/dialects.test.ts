// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are templates
// Tests how each product's keys are translated into Cadre's keys. Each documented meaning has one row.

import { describe, expect, test } from "vitest";
import { codesOf, plain, translateAll, translateKeys } from "./dialect.fixture.ts";
import { dialectNames, dialectOf, dialects } from "./index.ts";

const dialect = (name: string) => dialects.find((one) => one.name === name)!;

/** Front matter, the expected Cadre keys, and the codes of the expected problems. */
type Row = [yaml: string, keys: object, codes?: string[]];

function rows(name: string, table: readonly Row[]): void {
  test.each(table)(`the dialect ${name} translates %s`, (yaml, keys, codes = []) => {
    const result = translateKeys(dialect(name), yaml);
    expect(plain(result.keys)).toEqual(keys);
    expect(codesOf(result)).toEqual(codes);
  });
}

const READ_ONLY = [
  "Write",
  "Edit",
  "Bash",
  "mcp__git__commit",
  "mcp__git__branch",
  "NotebookEdit",
  "restart_service",
];

describe("keys that several products share", () => {
  rows("claude", [
    ["name: a\ncolor: red", { name: "a", color: "red" }],
    [
      "emoji: x\nvibe: y\ncategory: z\ntags: [a]\nversion: 1\nauthor: b\npriority: 1\ntype: t\nargument-hint: h",
      {},
    ],
    ["descripton: typo", { descripton: "typo" }],
    ["model: sonnet", { model: "sonnet" }],
    ["model: GPT-4.1 | 'gpt-5' | 'Claude Sonnet 4.5'", { model: ["GPT-4.1", "gpt-5", "Claude Sonnet 4.5"] }],
    ["model: '<MODEL:sonnet | opus>'", { model: "<MODEL:sonnet | opus>" }],
    ["model: [a, b]", { model: ["a", "b"] }],
    ["temperature: 0.2", { temperature: 0.2 }],
    ["temperature: low", {}, ["VALUE_IGNORED"]],
    ["topP: 0.9\nvariant: a\nmemory: user", {}, ["UNSUPPORTED_KEY", "UNSUPPORTED_KEY", "UNSUPPORTED_KEY"]],
    [
      "hooks: {Stop: [{command: rm}]}\nmcpServers: {a: {command: b}}",
      {},
      ["UNSUPPORTED_KEY", "UNSUPPORTED_KEY"],
    ],
    ["mcpServers: [git, docs]", { mcpServers: ["git", "docs"] }],
    ["mcpServers: [git, {a: {command: b}}]", {}, ["UNSUPPORTED_KEY"]],
    ["effort: high", { reasoning: "high" }],
    ["maxTurns: 7", { limits: { maxTurns: 7 } }],
    ["maxTurns: many", {}, ["VALUE_IGNORED"]],
    ["hidden: true", { kind: "subagent" }],
    ["user-invocable: false", { kind: "subagent" }],
    ["disable-model-invocation: true", { delegable: false }],
    ["outputSchema: {type: object}", { output: { type: "object" } }],
  ]);

  test("keys that have no effect in Cadre are kept as written", () => {
    const { extra } = translateKeys(
      dialect("claude"),
      "topP: 0.9\nmcp-servers: {a: {env: {K: '${{ secrets.K }}'}}}",
    );
    expect(plain(extra)).toEqual({ topP: 0.9, "mcp-servers": { a: { env: { K: "${{ secrets.K }}" } } } });
  });

  test("each problem has the line and column of its key, and the translation records where each key comes from", () => {
    const result = translateKeys(dialect("claude"), "name: a\neffort: low\ntools: [Read, Nope]");
    expect(result.problems).toMatchObject([
      { file: "agents/a.md", line: 4, column: 15, code: "UNKNOWN_TOOL" },
    ]);
    expect(result.from).toMatchObject({ reasoning: ["effort"], tools: ["tools"] });
  });
});

describe("reading the key `tools`", () => {
  rows("claude", [
    ["name: a", { name: "a" }],
    ["tools:", { tools: null }],
    ["tools: []", { tools: [] }],
    ["tools: '*'", { tools: ["*"] }],
    [
      "tools: read_file, Bash(git diff, git log), shell",
      { tools: ["Read", "Bash(git diff, git log)", "Bash"] },
    ],
    [
      "tools: [mcp__git__log, mcp__memory, 'mcp__x__*']",
      { tools: ["mcp__git__log", "mcp__memory__*", "mcp__x__*"] },
    ],
    ["tools: [Read, codebase, problems]", { tools: ["Read", "Grep"] }, ["TOOL_IDE_ONLY"]],
    ["tools: [Read, Bash, BashOutput, KillShell]", { tools: ["Read", "Bash"] }],
    ["tools: [Read, ExitPlanMode, testFailure]", { tools: ["Read"] }, ["TOOL_IDE_ONLY"]],
    ["tools: [Read, wireshark]", { tools: ["Read"] }, ["UNKNOWN_TOOL"]],
    ["tools: [wireshark, problems]", { tools: [] }, ["UNKNOWN_TOOL", "TOOL_IDE_ONLY", "NO_KNOWN_TOOLS"]],
    ["tools: Read, Task", { tools: ["Read"], agents: ["*"] }],
    ["tools: Read, Task, Agent(a)", { tools: ["Read"], agents: ["*"] }],
    ["tools: Read, Agent(a)", { tools: ["Read"], agents: ["a"] }],
    ["tools: Read, Agent\nagents: [a]", { tools: ["Read"], agents: ["a"] }],
    ["tools: [Read, changes]", { tools: ["Read", "Bash(git diff *)", "Bash(git status *)"] }],
    ["tools: [search/changes]", { tools: ["Bash(git diff *)", "Bash(git status *)"] }],
    ["tools: 'Read, Task(planner, coder)'", { tools: ["Read"], agents: ["planner", "coder"] }],
    ["tools: Task(a, b)\ndisallowedTools: Task(b)", { tools: [], agents: ["a"] }],
    ["agents: [a, b]\ntools: Task(b, c)", { tools: [], agents: ["b"] }],
    ["subagents: a, b\nhidden: true", { agents: ["a", "b"] }],
    ["disallowedTools: Task\ntools: Task(a)", { tools: [], agents: [] }],
    [
      "disallowedTools: [write, NotebookEdit]",
      { tools: { deny: ["Write", "NotebookEdit", "Edit(**/*.ipynb)"] } },
    ],
    ["tools: {allow: [bash], deny: [write_file]}", { tools: { allow: ["Bash"], deny: ["Write"] } }],
    ["tools: [{name: Read}]", { tools: [] }, ["UNKNOWN_TOOL", "NO_KNOWN_TOOLS"]],
    ["tools: 5", {}, ["BAD_TOOLS"]],
    ["disallowedTools: [{a: b}]", {}, ["BAD_TOOLS"]],
  ]);

  test("a file with unreadable tool rules is rejected; a file with an unknown tool is not", () => {
    const severity = (yaml: string) =>
      translateKeys(dialect("claude"), yaml).problems.map((one) => one.severity);
    expect(severity("tools: 5")).toEqual(["error"]);
    expect(severity("tools: [Nope, Read]")).toEqual(["warning"]);
  });
});

describe("the dialect of Claude Code", () => {
  rows("claude", [
    ["description: one\\ntwo", { description: "one\ntwo" }],
    ["permissionMode: plan", { tools: { deny: READ_ONLY } }],
    ["permissionMode: default", {}],
    ["permissionMode: ask", {}],
    ["permissionMode: acceptEdits", {}, ["GRANT_IGNORED"]],
    ["permissionMode: bypassPermissions", {}, ["BYPASS_REFUSED"]],
    ["permissionMode: [x]", {}, ["BAD_PERMISSION"]],
  ]);
});

describe("the dialect of opencode", () => {
  rows("opencode", [
    ["description: one\\ntwo", { description: "one\\ntwo" }],
    ["id: copy\nname: Open Copy", { name: "copy", title: "Open Copy" }],
    ["mode: subagent", { kind: "subagent" }],
    ["mode: primary", { kind: "main" }],
    ["mode: all", {}],
    ["mode: other", {}, ["VALUE_IGNORED"]],
    ["steps: 4", { limits: { maxTurns: 4 } }],
    ["disable: true", {}, ["AGENT_DISABLED"]],
    ["tools: {}", {}],
    ["tools: {read: true, bash: false}", { tools: { deny: ["Bash"] } }],
    ["tools: {'*': false, read: true}", { tools: ["Read"], agents: [] }],
    ["tools: {'git_*': false}", { tools: { deny: ["mcp__git__*", "mcp__git_*__*"] } }],
    ["mode: subagent\npermission: {task: {'*': deny, scout: allow}}", { agents: ["scout"] }],
    ["tools: {bash: true}\npermission: {bash: deny}", { tools: { deny: ["Bash"] } }],
    [
      "tools: [read, bash, task]\nallowed_directories: [docs, ./src/]",
      { tools: ["Read(docs/**)", "Read(src/**)"], agents: ["*"] },
      ["PERMISSION_NARROWED"],
    ],
  ]);
});

describe("the dialect of GitHub Copilot", () => {
  rows("copilot", [
    ["tools: [edit, search]", { tools: ["Edit", "Write", "Grep", "Glob", "LS"] }],
    ["tools: [read, execute, web, todo]", { tools: ["Read", "Bash", "WebFetch", "WebSearch", "TodoWrite"] }],
    ["tools: ['github/*', azure/query]", { tools: ["mcp__github__*", "mcp__azure__query"] }],
    ["tools: [read, edit/createDirectory]", { tools: ["Read"] }, ["UNKNOWN_TOOL"]],
    ["tools: [microsoft.docs.mcp]", { tools: ["mcp__microsoft.docs.mcp__*"] }],
    ["tools: [edit/editFiles, execute/runInTerminal]", { tools: ["Edit", "Bash"] }],
    ["tools: [context7]\nmcp-servers: {context7: {}}", { tools: ["mcp__context7__*"] }, ["UNSUPPORTED_KEY"]],
    ["tools: [context7]", { tools: [] }, ["UNKNOWN_TOOL", "NO_KNOWN_TOOLS"]],
    [
      "tools: [read, vscode/memory, read/problems, ms-python.python/install]",
      { tools: ["Read"] },
      ["TOOL_IDE_ONLY"],
    ],
    ["tools: [agent, read]", { tools: ["Read"], agents: ["*"] }],
    ["tools: [agent]\nagents: [SWE, QA]\nuser-invocable: false", { tools: [], agents: ["SWE", "QA"] }],
    ["infer: false", { delegable: false }],
    ["mode: subagent", { kind: "subagent" }],
    ["agents: []", { agents: [] }],
    ["agents: ['*']", { agents: ["*"] }],
    ["agents: {a: b}", {}, ["BAD_AGENTS"]],
    ["handoffs: [{label: Go, agent: coder, send: true}]", { handoff: "coder" }],
    ["handoffs: [{label: Go, agent: coder}]", {}, ["UNSUPPORTED_KEY"]],
    ["handoffs: [{agent: a, send: true}, {agent: b, send: true}]", {}, ["UNSUPPORTED_KEY"]],
  ]);
  rows("copilot-chatmode", [["title: Beast\ntools: [codebase]", { title: "Beast", tools: ["Grep"] }]]);
});

describe("the dialects of Gemini, Cursor, Factory, pi and Linggen", () => {
  rows("gemini", [
    ["kind: local\ntimeout_mins: 5\nmax_turns: 3", { limits: { maxDuration: 300_000, maxTurns: 3 } }],
    ["kind: remote", {}, ["REMOTE_AGENT"]],
    ["kind: subagent", { kind: "subagent" }],
    ["tools: [run_shell_command, replace]", { tools: ["Bash", "Edit"] }],
  ]);
  rows("cursor", [
    ["readonly: true", { tools: { deny: READ_ONLY } }],
    ["readonly: false", {}],
    ["readonly: maybe", {}, ["BAD_PERMISSION"]],
  ]);
  rows("factory", [
    ["tools: read-only", { tools: { allow: ["Read", "Grep", "Glob", "LS"], deny: READ_ONLY } }],
    ["tools: [read-only, edit, Execute]", { tools: ["Read", "Grep", "Glob", "LS", "Edit", "Write", "Bash"] }],
  ]);
  rows("pi", [
    ["tools: read, find\nthinking: off", { tools: ["Read", "Glob"], reasoning: "none" }],
    ["tools: none", { tools: [] }],
    ["tools: ext:x.mjs/tool", { tools: [] }, ["UNKNOWN_TOOL", "NO_KNOWN_TOOLS"]],
    ["defaultContext: fork\ninheritSkills: false", { context: "full" }],
    ["output: report.md", {}, ["UNSUPPORTED_KEY"]],
  ]);
  rows("linggen", [["reasoning_effort: low\ntools: ['*']", { reasoning: "low", tools: ["*"] }]]);

  test("linggen: the personality comes before the prompt", () => {
    expect(translateKeys(dialect("linggen"), "personality: Warm.").body).toBe("Warm.\n\nBody.");
  });
});

describe("the dialect of Kiro", () => {
  rows("kiro", [
    [
      "tools: ['@git', '@git/status', write]",
      { tools: ["mcp__git__*", "mcp__git__status", "Write", "Edit"] },
    ],
    ["allowedTools: [read]", { tools: ["Read"] }],
    ["tools: [read, shell]\nallowedTools: [read]", { tools: ["Read", "Bash"] }, ["GRANT_IGNORED"]],
    [
      "toolsSettings: {shell: {deniedCommands: ['rm .*']}}",
      { tools: { deny: ["Bash"] } },
      ["PERMISSION_NARROWED", "UNSUPPORTED_KEY"],
    ],
  ]);

  test("kiro: a JSON agent has its prompt in a key, or in a file in the same folder", () => {
    const of = (prompt: string) =>
      translateAll(dialect("kiro"), JSON.stringify({ name: "k", prompt }), ".kiro/agents/k.json")[0]!;
    expect(of("Do it.")).toMatchObject({ body: "Do it.", problems: [] });
    expect(of("file://./p/k.md")).toMatchObject({ promptFile: "p/k.md", body: "", problems: [] });
    for (const outside of ["file://../k.md", "file:///etc/passwd", "file://~/x", "file://C:\\x"])
      expect(of(outside)).toMatchObject({ problems: [{ code: "PROMPT_OUTSIDE", severity: "error" }] });
  });
});

test("codex: in a TOML file, the prompt is the value of a key", () => {
  const text = [
    'name = "fixer"',
    'developer_instructions = """\nFix it.\n"""',
    'model_reasoning_effort = "high"',
    'sandbox_mode = "read-only"',
    'approval_policy = "never"',
    "[mcp_servers.x]",
    'command = "y"',
  ].join("\n");
  const [result] = translateAll(dialect("codex"), text, ".codex/agents/fixer.toml");
  expect(plain(result!.keys)).toEqual({ name: "fixer", reasoning: "high", tools: { deny: READ_ONLY } });
  expect(result!.body).toBe("Fix it.");
  expect(codesOf(result!)).toEqual(["GRANT_IGNORED", "UNSUPPORTED_KEY"]);
});

describe("the dialect of Codex", () => {
  rows("codex", [
    ["sandbox_mode: workspace-write", {}],
    ["sandbox_mode: danger-full-access", {}, ["GRANT_IGNORED"]],
    ["sandbox_mode: 1", {}, ["BAD_PERMISSION"]],
    ["approval_policy: untrusted", { tools: { ask: ["Bash", "Write", "Edit"] } }],
    ["approval_policy: {granular: true}", {}, ["BAD_PERMISSION"]],
  ]);
});

describe("which dialect a file is read in", () => {
  test.each([
    [".claude/agents/a.md", {}, "claude"],
    ["/home/u/.claude/agents/deep/a.md", {}, "claude"],
    ["agents/a.md", { permissionMode: "plan" }, "claude"],
    ["agents/a.md", { name: "a", tools: "Read", model: "sonnet" }, undefined],
    ["agents/a.md", { permissionMode: "plan", kind: "main" }, undefined],
    ["agents/a.md", { mode: "subagent", router: true }, undefined],
    ["agents/a.md", { mode: "subagent" }, "opencode"],
    ["agents/a.md", { tools: { read: true } }, "opencode"],
    ["agents/a.md", { tools: { allow: ["Read"] } }, undefined],
    [".opencode/agent/x/a.md", {}, "opencode"],
    [".kilo/agents/a.md", {}, "kilo"],
    [".github/agents/a.md", {}, "copilot"],
    ["agents/a.agent.md", { mode: "subagent" }, "copilot"],
    ["chatmodes/a.chatmode.md", {}, "copilot-chatmode"],
    [".gemini/agents/a.md", {}, "gemini"],
    ["agents/a.md", { kind: "local" }, "gemini"],
    [".cursor/agents/a.md", {}, "cursor"],
    [".factory/droids/a.md", {}, "factory"],
    [".kiro/agents/a.json", {}, "kiro"],
    [".codex/agents/a.toml", {}, "codex"],
    ["x.toml", { developer_instructions: "" }, "codex"],
    [".roomodes", {}, "roo"],
    ["custom_modes.yaml", {}, "roo"],
    ["x.yaml", { customModes: [{}] }, "roo"],
    ["a.ai", {}, "ai-agent"],
    ["agents/a.md", { personality: "warm" }, "linggen"],
    ["agents/a.md", { systemPromptMode: "append" }, "pi"],
    ["roles.json", { AgentRoles: {} }, "roles"],
    ["roles.json", { roles: [] }, "roles"],
  ])("the file %s with the keys %j has the dialect %s", (path, keys, name) => {
    expect(dialectOf(path, keys)?.name).toBe(name);
  });

  test("the key `dialect` takes precedence over the folder", () => {
    expect(dialectOf(".claude/agents/a.md", {}, "gemini")?.name).toBe("gemini");
    expect(dialectOf(".claude/agents/a.md", {}, "cadre")).toBeUndefined();
    expect(dialectOf(".claude/agents/a.md", {}, "nobody")).toBeUndefined();
    expect(dialectNames).toContain("copilot-chatmode");
  });
});

test.each(["runTests", "execute/runTests"])(
  "[25.4] `%s` of VS Code allows the common test commands, and no other command",
  (name) => {
    const { tools } = translateKeys(dialect("copilot"), `tools: [${name}]`).keys as { tools: string[] };
    expect(tools).toEqual(
      expect.arrayContaining(["Bash(npm test *)", "Bash(pytest *)", "Bash(cargo test *)"]),
    );
    expect(
      tools.every((rule) =>
        /^Bash\(.* test \*\)$|^Bash\((npx (vitest|jest)|(python -m )?pytest) \*\)$/.test(rule),
      ),
    ).toBe(true);
  },
);
