import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadAgents } from "./load.fixture.ts";
import { type AgentSet, findAgent } from "./load.ts";

const models = { default: "scripted/rehearsal", resolve: (name: string) => ({ model: name }) };
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "cadre-agents-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const agentText = (yaml: string, body = "You help.") => `---\ndescription: d\n${yaml}\n---\n${body}\n`;
const load = (): Promise<AgentSet> =>
  loadAgents(
    { project: join(root, "p"), user: join(root, "home"), builtin: join(root, "builtin") },
    { models },
  );
const fileOf = (set: AgentSet, name: string) => set.agents.get(name)?.file;

describe("delegates that are set only by `policy`", () => {
  const linesOf = ({ agents }: AgentSet, name: string) =>
    agents.get(name)!.problems.map(({ line, code }) => `${line} ${code}`);

  beforeEach(() => {
    write("p/agents/coder.md", agentText("kind: subagent"));
    write("p/agents/reader.md", agentText("kind: subagent"));
    write("p/agents/hidden.md", agentText("kind: subagent\ndelegable: false"));
    write("p/agents/lead.md", agentText("kind: main"));
    write("builtin/helper.md", agentText("kind: subagent"));
  });

  test.each([
    ["policy: [Patch, Finalize, Delegate]", ["coder", "reader"]],
    ["policy: [Finalize, Delegate]\ndelegate_targets: [coder]", ["coder"]],
    ["policy: [Finalize, Delegate]\npolicy.delegate_targets: [coder]", ["coder"]],
    ["policy: {verbs: [Finalize, Delegate], delegate_targets: [coder]}", ["coder"]],
    ["policy: {delegate_targets: [lead, reader]}", ["lead", "reader"]],
    ["policy: [Finalize]\ndelegate_targets: [coder]", []],
    ["policy: [Finalize, Delegate]\nagents: []", []],
    ["policy: [Finalize, Delegate]\nagents: [coder, lead]\ndelegate_targets: ['*']", ["coder", "lead"]],
    ["", []],
  ])(
    "[28.15] [S4-6] [S4-7] a main agent with `%s` may start the agents that its policy allows",
    async (yaml, agents) => {
      write("p/agents/boss.md", agentText(yaml));
      const set = await load();
      expect(set.agents.get("boss")!.definition!.agents).toEqual(agents);
      expect((set.agents.get("boss")!.definition!.delegates ?? []).map(({ agent }) => agent)).toEqual(agents);
      expect(linesOf(set, "boss")).toEqual([]);
    },
  );

  test.each([
    ["policy: [Finalize, Delegate]\ndelegate_targets: [codr]", "4 UNKNOWN_AGENT"],
    ["policy: [Finalize]\nagents: [coder]", "4 DELEGATION_WITHHELD"],
    ["kind: subagent\npolicy: [Finalize, Delegate]", "4 SUBAGENT_DELEGATES"],
    ["policy: [Finalize, Delegate]\ndisallowedTools: [delegate]", "4 DELEGATION_DENIED"],
  ])("[28.15] `validate` says why an agent with `%s` cannot delegate", async (yaml, problem) => {
    write("p/agents/boss.md", agentText(yaml));
    expect(linesOf(await load(), "boss")).toEqual([problem]);
  });

  test("[28.15] `validate` reports only the mistake itself in a file with `Delegate` that cannot be used", async () => {
    write("p/agents/boss.md", agentText("policy: [Finalize, Delegate]\nlimits: 5"));
    const { problems, definition } = (await load()).agents.get("boss")!;
    expect(definition).toBeUndefined();
    expect(problems.map(({ message }) => message).join()).not.toContain("kind:subagent");
    expect(problems).toHaveLength(1);
  });

  test("[28.15] `validate` reports an agent with `Delegate` in a project without subagents", async () => {
    for (const name of ["coder", "reader", "hidden"]) write(`p/agents/${name}.md`, agentText("kind: main"));
    write("p/agents/boss.md", agentText("policy: [Finalize, Delegate]"));
    expect(linesOf(await load(), "boss")).toEqual(["3 NO_SUBAGENTS"]);
  });
});

describe("finding agent files", () => {
  test("every agents folder is searched; the agent in the nearer folder wins, and a note says so", async () => {
    const places = ["agents", ".cadre/agents", ".claude/agents/deep/er", ".opencode/agent", ".github/agents"];
    places.forEach((place, i) => {
      write(`p/${place}/same.md`, agentText("name: same"));
      write(`p/${place}/only-${i}.md`, agentText(`name: only-${i}`));
    });
    write("home/.cadre/agents/same.md", agentText(""));
    write("home/.claude/agents/mine.md", agentText(""));
    write("builtin/pack/assistant.md", agentText(""));
    write("p/.github/agents/x.agent.md", agentText(""));
    const set = await load();
    expect([...set.agents.keys()].sort()).toEqual(
      ["mine", "only-0", "only-1", "only-2", "only-3", "only-4", "pack/assistant", "same", "x"].sort(),
    );
    expect(fileOf(set, "same")).toBe("agents/same.md");
    expect(fileOf(set, "mine")).toBe("~/.claude/agents/mine.md");
    expect(fileOf(set, "pack/assistant")).toBe("builtin:pack/assistant.md");
    expect(set.agents.get("only-2")).toMatchObject({ dialect: "claude", scope: "project" });
    expect(set.problems.map(({ code, file }) => `${code} ${file}`)).toEqual([
      "DUPLICATE_NAME .cadre/agents/same.md",
      "DUPLICATE_NAME .claude/agents/deep/er/same.md",
      "DUPLICATE_NAME .opencode/agent/same.md",
      "DUPLICATE_NAME .github/agents/same.md",
      "AGENT_SHADOWED ~/.cadre/agents/same.md",
    ]);
    expect(set.problems.map(({ message }) => message)[0]).toBe(
      "agent `same` is not used: agents/same.md has the same name and comes first",
    );
  });

  test("a subfolder of Cadre's own folders is a pack; a subfolder of another product's folder does not change agents' names", async () => {
    write("p/agents/factory/planner.md", agentText(""));
    write("p/agents/factory/p.md", agentText("name: Chief"));
    write("p/agents/planner.md", agentText(""));
    write("p/.opencode/agent/core/reviewer.md", agentText(""));
    write("p/.claude/agents/core/x.md", agentText("name: tester"));
    expect([...(await load()).agents.keys()]).toEqual([
      "factory/chief",
      "factory/planner",
      "planner",
      "tester",
      "core/reviewer",
    ]);
  });

  test("every kind of agent file is read; a data file without an agent is skipped", async () => {
    write("p/agents/a.ai", "#!/usr/bin/env ai-agent\n---\ndescription: d\n---\nYou help.\n");
    write("p/agents/schemas/out.json", '{"type": "object", "properties": {"a": {"type": "string"}}}');
    write("p/agents/pack/package.json", '{"name": "x", "version": "1.0.0"}');
    write("p/agents/notes.txt", "x");
    write("p/.claude/agents/b.toml", 'name = "b"\ndescription = "d"\ndeveloper_instructions = "You help."\n');
    const set = await load();
    expect([...set.agents.values()].map(({ name, dialect }) => `${name} ${dialect}`)).toEqual([
      "a ai-agent",
      "b codex",
    ]);
    expect(set.problems).toEqual([]);
  });

  test("[N1] a README with front matter is an agent; a README with broken front matter is reported", async () => {
    for (const name of ["claude", "GEMINI", "agents", "readme", "changelog", "contributing", "license"])
      write(`p/agents/${name}.md`, agentText(""));
    write("p/agents/pack/README.md", "# About\n");
    write("p/agents/pack/AGENTS.md", "---\n# About\n---\nAll of them.\n");
    write("p/agents/pack/CLAUDE.md", "---\ndescription: d\nYou help.\n");
    const set = await load();
    expect([...set.agents].map(([name, { definition }]) => [name, definition !== undefined])).toEqual(
      ["gemini", "agents", "changelog", "claude", "contributing", "license", "readme"].map((name) => [
        name,
        true,
      ]),
    );
    expect(set.problems.map(({ file, code, severity }) => `${severity} ${file} ${code}`)).toEqual([
      "warning agents/pack/AGENTS.md BAD_FRONTMATTER",
      "warning agents/pack/CLAUDE.md FRONTMATTER_UNCLOSED",
    ]);
  });

  test("documentation is not an agent; a bad file does not affect the other files", async () => {
    write("p/agents/README.md", "# About\n");
    write("p/agents/AGENTS.md", "# About\n");
    write("p/agents/README.de.md", "# Über\n");
    write("p/agents/license-checker.md", agentText(""));
    write("p/agents/fragment.md", "Just text.\n");
    write("p/agents/torn.md", "---\nname: torn\nname: again\n---\n");
    write("p/agents/huge.md", agentText("", "x".repeat(10_000_000)));
    write("p/agents/good.md", agentText(""));
    mkdirSync(join(root, "p/agents/folder.md"));
    symlinkSync(join(root, "nowhere"), join(root, "p/agents/dangling.md"));
    symlinkSync("/dev/zero", join(root, "p/agents/endless.md"));
    const set = await load();
    expect([...set.agents].map(([name, { definition }]) => [name, definition !== undefined])).toEqual([
      ["dangling", false],
      ["endless", false],
      ["good", true],
      ["huge", false],
      ["license-checker", true],
      ["torn", false],
    ]);
    expect(set.problems.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      "warning NO_FRONTMATTER",
      "error FILE_UNREADABLE",
      "error FILE_UNREADABLE",
      "error FILE_TOO_LARGE",
      "error DUPLICATE_KEY",
    ]);
  });

  test.skipIf(process.getuid?.() === 0)(
    "if a file cannot be read, its agent is broken, but loading succeeds",
    async () => {
      write("p/agents/secret.md", agentText(""));
      chmodSync(join(root, "p/agents/secret.md"), 0);
      expect((await load()).problems).toMatchObject([{ code: "FILE_UNREADABLE" }]);
    },
  );

  test("[A58] a file with NUL bytes or invalid UTF-8 is read, with a warning at the position of these bytes", async () => {
    const file = join(root, "p/agents/latin.md");
    mkdirSync(dirname(file), { recursive: true });
    const text = agentText("", "Say Gr\u00fc\u00dfe.\r\nThen\0 go.\n");
    writeFileSync(file, Buffer.from(text, "latin1"));
    const { agents, problems } = await load();
    expect(agents.get("latin")?.definition).toBeDefined();
    const line = text.split("\n").findIndex((each) => each.includes("Gr")) + 1;
    expect(problems).toMatchObject([
      { code: "NOT_UTF8", severity: "warning", file: "agents/latin.md", line, column: 7 },
      { code: "NUL_CHARACTER", severity: "warning", line: line + 1, column: 5 },
    ]);
  });

  test("without any agents folder, the set of agents is empty", async () => {
    expect(await load()).toEqual({ agents: new Map(), problems: [] });
  });

  test("loading the same files again gives the same definitions", async () => {
    write("p/agents/a.md", agentText("agents: [b]"));
    write("p/agents/b.md", agentText(""));
    const loadedText = async () => JSON.stringify([...(await load()).agents.values()]);
    expect(await loadedText()).toBe(await loadedText());
  });
});

describe("finding an agent by name", () => {
  test("findAgent finds an agent by its name, whatever the spelling", async () => {
    write("p/agents/x.md", agentText("name: Code Reviewer"));
    expect(findAgent(await load(), "code reviewer").definition.name).toBe("code-reviewer");
  });

  test("findAgent finds the nearest agent that has the given base name; if several are equally near, the error lists them", async () => {
    write("p/agents/one/planner.md", agentText(""));
    write("builtin/two/planner.md", agentText(""));
    expect(findAgent(await load(), "planner").name).toBe("one/planner");
    write("p/agents/three/planner.md", agentText(""));
    const set = await load();
    expect(() => findAgent(set, "Planner")).toThrow(
      "`Planner` may be `one/planner` or `three/planner`: say the full name.",
    );
    expect(findAgent(set, "two/planner").name).toBe("two/planner");
  });

  test("the error for an unknown name lists the known agents and suggests one", async () => {
    write("p/agents/coder.md", agentText(""));
    write("p/agents/tester.md", agentText(""));
    const set = await load();
    expect(() => findAgent(set, "codr")).toThrow(
      expect.objectContaining({
        code: "AGENT_NOT_FOUND",
        message: "There is no agent `codr`. Did you mean `coder`? Known agents: coder, tester.",
      }),
    );
  });

  test("the error for a broken agent shows the first problem with file, line and column", async () => {
    write("p/agents/coder.md", agentText("kind: boss"));
    const set = await load();
    expect(() => findAgent(set, "coder")).toThrow(
      expect.objectContaining({
        code: "AGENT_INVALID",
        message: "Agent `coder` cannot run: agents/coder.md:3:7 `kind`: must be one of main, subagent",
      }),
    );
  });
});

describe("references between agents", () => {
  const problemsOf = async (yaml: string) => {
    write("p/agents/a.md", agentText(yaml));
    write("p/agents/writer.md", agentText(""));
    const agent = (await load()).agents.get("a")!;
    return { agent, problems: agent.problems };
  };

  test("references are resolved to full names, but the model sees the names that the file uses", async () => {
    write("p/agents/x/coder.md", `---\ndescription: ${"y".repeat(2_000)}\n---\nHi.`);
    const { agent } = await problemsOf("agents: [Writer, coder, x/coder]\nhandoff: Coder");
    expect(agent.definition).toMatchObject({
      agents: ["writer", "x/coder"],
      delegates: [
        { name: "Writer", agent: "writer", description: "d" },
        { name: "coder", agent: "x/coder", description: "y".repeat(1_024) },
      ],
      handoff: { agent: "x/coder", onFailure: "fail" },
    });
    expect(agent.references.map(({ agent: meant }) => meant)).toEqual([
      "writer",
      "x/coder",
      "x/coder",
      "x/coder",
    ]);
  });

  test("a reference prefers an agent of the same pack to any other agent with that name", async () => {
    for (const pack of ["one", "two"]) {
      write(`p/agents/${pack}/boss.md`, agentText("agents: [worker]\nadvisors: [worker]"));
      write(`p/agents/${pack}/worker.md`, agentText(""));
    }
    const { agents } = await load();
    expect(agents.get("two/boss")?.definition).toMatchObject({
      agents: ["two/worker"],
      advisors: { agents: ["two/worker"] },
    });
    const { problems } = await problemsOf("agents: [worker]");
    expect(problems).toMatchObject([
      {
        code: "AMBIGUOUS_AGENT",
        severity: "error",
        line: 3,
        column: 10,
        message: "`agents` names `worker`, which may be `one/worker` or `two/worker`",
      },
    ]);
  });

  test("a delegate that does not exist is removed, with a warning at its position", async () => {
    const { agent, problems } = await problemsOf("agents: [writer, writr, a]");
    expect(agent.definition?.agents).toEqual(["writer"]);
    expect(problems).toMatchObject([
      {
        code: "UNKNOWN_AGENT",
        severity: "warning",
        line: 3,
        column: 18,
        suggestion: "did you mean `writer`?",
      },
      { code: "SELF_REFERENCE", severity: "warning", line: 3, column: 25 },
    ]);
  });

  test.each([
    ["handoff: nobody", 10],
    ["router: {destinations: [writer, nobody]}", 33],
    ["router: {destinations: [writer], fallback: nobody}", 44],
    ["router: true\nagents: [writer, nobody]", 18],
    ["advisors: [nobody]", 12],
    ["advisors: {agents: [nobody]}", 21],
    ["team: {members: [nobody]}", 18],
    ["bestOf: {n: 2, judge: nobody}", 23],
  ])("if an agent in %s does not exist, the error has the position of its name", async (yaml, column) => {
    const { agent, problems } = await problemsOf(yaml);
    expect(problems).toMatchObject([{ code: "UNKNOWN_AGENT", severity: "error", column }]);
    expect(agent.definition).toBeUndefined();
  });

  test("[S3-24] if a file says `router: true` the router's destinations are the names in `agents`", async () => {
    const { agent, problems } = await problemsOf("router: true\nagents: [Writer]\ntools: []");
    expect(problems).toEqual([]);
    expect(agent.definition).toMatchObject({ agents: [], router: { destinations: ["writer"] } });
    expect(agent.references).toMatchObject([{ key: "router", agent: "writer" }]);
  });

  test("loading an agent also runs the checks of the whole set", async () => {
    const { problems } = await problemsOf("kind: subagent\nhandoff: writer");
    expect(problems).toMatchObject([{ code: "SUBAGENT_PATTERN", severity: "error", line: 4 }]);
  });
});

describe("unknown tools", () => {
  const TOOLS = ["Read", "Write", "Edit", "Bash", "Grep"];
  const warnings = async (yaml: string) => {
    write("p/agents/a.md", agentText(yaml));
    const folders = { project: join(root, "p"), builtin: join(root, "builtin") };
    const { agents, problems } = await loadAgents(folders, { models, toolNames: TOOLS });
    expect(agents.get("a")?.definition).toBeDefined();
    expect(problems.every(({ severity }) => severity === "warning")).toBe(true);
    const tools = problems.filter(({ code }) => code !== "NO_KNOWN_TOOLS");
    return tools.map(({ line, column, code, message, suggestion }) =>
      [`${line}:${column}`, code, message, suggestion].filter(Boolean).join(" "),
    );
  };

  test("unknown tools give warnings at their positions, in every key that names tools", async () => {
    const yaml = [
      "tools:\n  allow: [Read, Fly]\n  ask: [Wriet]\n  deny:\n    - Bsah(rm *)",
      "disallowed_tools: Read, Eidt\npermissions: { ask: [Read], deny: ['Raed(.env)', 'Bash('] }",
    ].join("\n");
    expect(await warnings(yaml)).toEqual([
      '4:17 UNKNOWN_TOOL no tool is called `Fly`, so "Fly" allows nothing',
      '5:9 UNKNOWN_TOOL no tool is called `Wriet`, so "Wriet" asks about nothing did you mean `Write`?',
      '7:7 UNKNOWN_TOOL no tool is called `Bsah`, so "Bsah(rm *)" forbids nothing did you mean `Bash`?',
      '8:1 UNKNOWN_TOOL no tool is called `Eidt`, so "Eidt" forbids nothing did you mean `Edit`?',
      '9:36 UNKNOWN_TOOL no tool is called `Raed`, so "Raed(.env)" forbids nothing did you mean `Read`?',
      expect.stringMatching(/^9:50 BAD_RULE "Bash\(" is not a rule/),
    ]);
  });

  test.each([
    ["tools: [Read, Fly]", ["3:15"]],
    ["allowedTools: [Fly]", ["3:16"]],
    ["tools: Read, WebSearch", ["3:1"]],
    ["tools: '*'", []],
    ["tools: []", []],
    ["tools: [read, 'mcp__git__*']\ndisallowedTools: WebSearch", []],
  ])("unknown tools in a file with %s are reported", async (yaml, places) => {
    expect((await warnings(yaml)).map((text) => text.split(" ")[0])).toEqual(places);
  });

  test("unknown tools are not reported if the list of tools is not known", async () => {
    write("p/agents/a.md", agentText("tools: [Fly]"));
    expect((await load()).problems).toEqual([]);
  });
});

describe("includes in a prompt", () => {
  const promptOf = async (body: string) => {
    write("p/agents/pack/a.md", agentText("", body));
    const agent = (await load()).agents.get("pack/a")!;
    return { prompt: agent.definition?.prompt, problems: agent.problems };
  };

  test("includes are resolved recursively, and their paths are relative to the file that contains them", async () => {
    write("p/agents/shared/rules.txt", `Rules. \${include:more.txt}\r\n`);
    write("p/agents/shared/more.txt", `$& stays \${TASK}`);
    expect((await promptOf(`One\n\${include:../shared/rules.txt}\nTwo`)).prompt).toBe(
      `One\nRules. $& stays \${TASK}\nTwo`,
    );
  });

  test("[A58] an include never reads a file outside the agents folder, even through a link", async () => {
    write("secret", "SECRET");
    write("p/agents-secret", "SECRET");
    mkdirSync(join(root, "p/agents"), { recursive: true });
    symlinkSync(join(root, "secret"), join(root, "p/agents/link.txt"));
    for (const name of ["../../../secret", join(root, "secret"), "../link.txt", "../../agents-secret"]) {
      const { prompt, problems } = await promptOf(`Hi\n  \${include:${name}}`);
      expect(prompt).toBeUndefined();
      expect(problems).toMatchObject([{ code: "BAD_INCLUDE", severity: "error", line: 6, column: 3 }]);
      expect(JSON.stringify(problems)).not.toContain("SECRET");
    }
    expect((await promptOf("@../../../secret")).prompt).toBe("@../../../secret");
  });

  test("an include in another product's file is plain text", async () => {
    write("p/.claude/agents/x.md", agentText("name: x", `Say \${include:../../secret}`));
    expect((await load()).agents.get("x")?.definition?.prompt).toBe(`Say \${include:../../secret}`);
  });

  test("if includes form a cycle, the error shows the path", async () => {
    write("p/agents/one.txt", `\${include:two.txt}`);
    write("p/agents/two.txt", `\${include:one.txt}`);
    const { problems } = await promptOf(`\${include:../one.txt}`);
    expect(problems[0]?.message).toBe("includes form a cycle: one.txt → two.txt → one.txt");
  });

  test("an include of a missing file is an error, and so is an endless chain of includes", async () => {
    expect((await promptOf(`\${include:no.txt}`)).problems[0]?.message).toBe(
      "include `no.txt` cannot be read",
    );
    write("p/agents/l0.txt", "x".repeat(20_000));
    for (let i = 1; i < 6; i++) write(`p/agents/l${i}.txt`, `\${include:l${i - 1}.txt}`.repeat(10));
    expect((await promptOf(`\${include:../l5.txt}`)).problems[0]?.message).toContain("larger than 1 MB");
    write("p/agents/l0.txt", "");
    expect((await promptOf(`\${include:../l5.txt}`)).problems[0]?.message).toContain(
      "more than 200 includes",
    );
  });
});

describe("files that an agent file refers to", () => {
  const only = async (name = "a") => (await load()).agents.get(name)!;
  const SCHEMA = '{"type": "object", "properties": {"n": {"type": "number"}}}';

  test("schema files are read if they are inside the agents folder; outside it, they are an error", async () => {
    write("p/agents/schemas/out.json", SCHEMA);
    write("p/agents/in.yaml", "type: object");
    write("p/agents/a.md", agentText("output: schemas/out.json\ninput: ./in.yaml"));
    expect((await only()).definition).toMatchObject({
      input: { type: "object" },
      output: { type: "object", properties: { n: { type: "number" } } },
    });
  });

  test.each([
    ["output: no.json", "schema `no.json` cannot be read"],
    ["output: ../../secret.json", "schema `../../secret.json` is outside the agents folder"],
    ["output: list.json", "schema `list.json`: is not a mapping"],
    ["output: torn.json", "schema `torn.json`: 1:"],
    ["steps: ./no.ts", "module `./no.ts` cannot be read"],
  ])("the error for %s has its position", async (yaml, message) => {
    write("secret.json", SCHEMA);
    write("p/agents/list.json", "[]");
    write("p/agents/torn.json", '{"a": ');
    write("p/agents/a.md", agentText(yaml));
    const agent = await only();
    expect(agent.definition).toBeUndefined();
    expect(agent.problems.filter(({ severity }) => severity === "error")).toMatchObject([
      { message: expect.stringContaining(message), line: 3, column: yaml.indexOf(" ") + 2 },
    ]);
  });

  test("the definition pins the hash of the steps module", async () => {
    write("p/agents/a.steps.ts", "export default function* () {}");
    write("p/agents/a.md", agentText("steps: ./a.steps.ts"));
    expect((await only()).definition?.steps).toEqual({
      module: "agents/a.steps.ts",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test("a link named `~` cannot make a module of the project look like one of the user's modules, which need no trust", async () => {
    write("p/agents/a.steps.ts", "export default function* () {}");
    write("p/agents/a.md", agentText("steps: ../~/.cadre/agents/a.steps.ts"));
    mkdirSync(join(root, "p/~/.cadre"), { recursive: true });
    symlinkSync(join(root, "p/agents"), join(root, "p/~/.cadre/agents"));
    expect((await only()).problems).toMatchObject([
      { code: "BAD_STEPS", message: expect.stringContaining("is outside the agents folder") },
    ]);
  });
});

describe("[S2-34] [S2-37] roles of cadre.yaml", () => {
  const rolesOf = (value: unknown) =>
    loadAgents(
      {
        project: join(root, "p"),
        builtin: join(root, "builtin"),
        roles: { value, at: (path) => ({ line: 10, column: path.length }) },
      },
      { models },
    );
  const main = { RoleId: "main", AllowedDelegations: ["coder"], CanDelegate: true, MaxIterations: 50 };
  const coder = { RoleId: "coder", SystemPromptFile: "prompts/coder.md", CanDelegate: false };

  test.each([
    ["a list", [main, coder]],
    ["roles with their wrapper", { AgentRoles: { MaxDepth: 2, Roles: [main, coder] } }],
    ["a file", "config/roles.json"],
  ])("roles in cadre.yaml are loaded from %s", async (_, value) => {
    write("p/prompts/coder.md", "You code.\n");
    write("p/config/prompts/coder.md", "You code.\n");
    write("p/config/roles.json", JSON.stringify([main, coder]));
    const { agents } = await rolesOf(value);
    expect(agents.get("main")).toMatchObject({
      scope: "project",
      dialect: "roles",
      definition: { agents: ["coder"], context: "full", limits: { maxTurns: 50 } },
    });
    expect(agents.get("coder")?.definition).toMatchObject({ prompt: "You code.", agents: [] });
  });

  test.each([
    ["# Coder\n\nYou write code. And more.\n", {}, "You write code."],
    ["You write\ncode\n\nMore.", {}, "You write code"],
    ["# Coder", { DisplayName: "The coder" }, "The coder"],
    ["You code.", { Description: "Implements features." }, "Implements features."],
  ])(
    "[28.11] a role with the prompt %j and the key %j gets a description of one sentence",
    async (prompt, keys, expected) => {
      write("p/prompts/coder.md", prompt);
      const { agents } = await rolesOf([main, { ...coder, ...keys }]);
      const { definition, problems } = agents.get("coder")!;
      expect([definition?.description, problems]).toEqual([expected, []]);
      expect(agents.get("main")!.definition!.delegates![0]!.description).toBe(expected);
    },
  );

  test.each([
    ["a missing prompt file", [{ ...coder, SystemPromptFile: "no.md" }], "BAD_PROMPT_FILE"],
    ["a prompt file outside the project", [{ ...coder, SystemPromptFile: "link.md" }], "BAD_PROMPT_FILE"],
    ["a missing roles file", "no.json", "BAD_ROLES"],
    ["a roles file outside the project", "../roles.json", "BAD_ROLES"],
  ])("%s is an error", async (_, value, code) => {
    write("secret.md", "SECRET");
    write("roles.json", "[]");
    mkdirSync(join(root, "p"), { recursive: true });
    symlinkSync(join(root, "secret.md"), join(root, "p/link.md"));
    const { problems } = await rolesOf(value);
    expect(problems).toContainEqual(expect.objectContaining({ code, severity: "error", line: 10 }));
    expect(JSON.stringify(problems)).not.toContain("SECRET");
  });

  test("an empty `roles` value gives no roles", async () => {
    for (const value of [undefined, [], {}]) expect((await rolesOf(value)).agents.size).toBe(0);
  });
});

describe("[A56] [A57] [N1] hostile files", () => {
  test("a key that is named `constructor` is harmless", async () => {
    for (const key of ["constructor", "toString", "valueOf"])
      write(`p/agents/${key.toLowerCase()}.md`, agentText(`${key}: 1`));
    write("p/agents/good.md", agentText("model: a/b"));
    const set = await load();
    expect(set.agents.size).toBe(4);
    expect(findAgent(set, "good").definition.models).toEqual(["a/b"]);
    expect(set.agents.get("constructor")?.problems).toMatchObject([{ code: "UNKNOWN_KEY" }]);
  });

  test.each([
    [
      "a pattern of stars and a long name",
      `permission: {task: {${"a".repeat(900)}: allow, "${"*a".repeat(12)}*b": deny}}`,
    ],
    [
      "stars in a tool's name",
      `dialect: claude\ntools: ["mcp__${"a".repeat(3000)}"]\nallowed-tools: ["mcp__${"*a".repeat(10)}*b__x"]`,
    ],
    ["very many spaces before a bracket", `dialect: claude\ntools: ["a${" ".repeat(60_000)}(b"]`],
    [
      "many patterns",
      `permission: {bash: {${Array.from({ length: 300 }, (_, i) => `"${"x".repeat(180)}${i} *": allow`).join(", ")}}}`,
    ],
    [
      "many stars in many patterns",
      `permission: {bash: {${Array.from({ length: 150 }, (_, i) => `"${"x*".repeat(20)}${i} *": ${i % 2 ? "allow" : "deny"}`).join(", ")}}}`,
    ],
  ])(
    "a file with %s is read or rejected quickly",
    async (_, yaml) => {
      write("p/agents/slow.md", agentText(yaml));
      expect((await load()).agents.size).toBe(1);
    },
    5_000,
  );
});
