import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AgentSet, findAgent, loadAgents } from "./load.ts";

const models = { default: "scripted/rehearsal", resolve: () => undefined };
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
  loadAgents({ project: join(root, "p"), user: join(root, "home"), builtin: join(root, "builtin") }, models);
const fileOf = (set: AgentSet, name: string) => set.agents.get(name)?.file;

describe("discovery", () => {
  test("every folder, nearer wins and says so", async () => {
    const places = [
      "agents/pack",
      ".cadre/agents",
      ".claude/agents/deep/er",
      ".opencode/agent",
      ".github/agents",
    ];
    places.forEach((place, i) => {
      write(`p/${place}/same.md`, agentText(""));
      write(`p/${place}/only-${i}.md`, agentText(""));
    });
    write("home/.cadre/agents/same.md", agentText(""));
    write("home/.claude/agents/mine.md", agentText(""));
    write("builtin/assistant.md", agentText(""));
    write("p/.github/agents/x.agent.md", agentText(""));
    const set = await load();
    expect([...set.agents.keys()].sort()).toEqual(
      ["assistant", "mine", "only-0", "only-1", "only-2", "only-3", "only-4", "same", "x"].sort(),
    );
    expect(fileOf(set, "same")).toBe("agents/pack/same.md");
    expect(fileOf(set, "mine")).toBe("~/.claude/agents/mine.md");
    expect(fileOf(set, "assistant")).toBe("builtin:assistant.md");
    expect(set.problems.map(({ code, file }) => `${code} ${file}`)).toEqual([
      "AGENT_SHADOWED .cadre/agents/same.md",
      "AGENT_SHADOWED .claude/agents/deep/er/same.md",
      "AGENT_SHADOWED .opencode/agent/same.md",
      "AGENT_SHADOWED .github/agents/same.md",
      "AGENT_SHADOWED ~/.cadre/agents/same.md",
    ]);
    expect(set.problems[0]?.message).toContain("agents/pack/same.md");
  });

  test("notes are no agents, and one bad file stops no other", async () => {
    write("p/agents/README.md", "# About\n");
    write("p/agents/AGENTS.md", "# About\n");
    write("p/agents/README.de.md", agentText(""));
    write("p/agents/license-checker.md", agentText(""));
    write("p/agents/fragment.md", "Just text.\n");
    write("p/agents/torn.md", "---\nname: torn\ndescription: a: b\n---\n");
    write("p/agents/good.md", agentText(""));
    mkdirSync(join(root, "p/agents/folder.md"));
    symlinkSync(join(root, "nowhere"), join(root, "p/agents/dangling.md"));
    const set = await load();
    expect([...set.agents].map(([name, { definition }]) => [name, definition !== undefined])).toEqual([
      ["dangling", false],
      ["good", true],
      ["license-checker", true],
      ["torn", false],
    ]);
    expect(set.problems.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      "warning NO_FRONTMATTER",
      "error FILE_UNREADABLE",
      "error BLOCK_AS_IMPLICIT_KEY",
    ]);
  });

  test.skipIf(process.getuid?.() === 0)("a file without permission is broken, not fatal", async () => {
    write("p/agents/secret.md", agentText(""));
    chmodSync(join(root, "p/agents/secret.md"), 0);
    expect((await load()).problems).toMatchObject([{ code: "FILE_UNREADABLE" }]);
  });

  test("no folders at all is an empty set", async () => {
    expect(await load()).toEqual({ agents: new Map(), problems: [] });
  });

  test("the same files give the same definitions", async () => {
    write("p/agents/a.md", agentText("agents: [b]"));
    write("p/agents/b.md", agentText(""));
    expect(await load()).toEqual(await load());
  });
});

describe("findAgent", () => {
  test("by its name, in any spelling", async () => {
    write("p/agents/x.md", agentText("name: Code Reviewer"));
    expect(findAgent(await load(), "code reviewer").definition.name).toBe("code-reviewer");
  });

  test("not found: lists the known ones and the one that was meant", async () => {
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

  test("broken: the first problem, with file, line and column", async () => {
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

describe("validation", () => {
  const problemsOf = async (yaml: string) => {
    write("p/agents/a.md", agentText(yaml));
    write("p/agents/writer.md", agentText(""));
    const agent = (await load()).agents.get("a")!;
    return { agent, problems: agent.problems.filter(({ code }) => code !== "NOT_YET") };
  };

  test("a delegate that does not exist is taken away, with a warning where it stands", async () => {
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
    "handoff: nobody",
    "router: {destinations: [writer, nobody]}",
    "advisors: [nobody]",
    "advisors: {agents: [nobody]}",
    "team: {members: [nobody]}",
    "bestOf: {n: 2, judge: nobody}",
  ])("%s is an error", async (yaml) => {
    const { agent, problems } = await problemsOf(yaml);
    expect(problems).toMatchObject([{ code: "UNKNOWN_AGENT", severity: "error", line: 3 }]);
    expect(agent.definition).toBeUndefined();
  });

  test("a pattern that names agents that exist is fine", async () => {
    expect((await problemsOf("handoff: Writer")).problems).toEqual([]);
  });

  test("[S4-15] a subagent with a pattern is an error", async () => {
    const { problems } = await problemsOf("kind: subagent\nhandoff: writer");
    expect(problems).toMatchObject([
      {
        code: "SUBAGENT_PATTERN",
        message: "a subagent has no `handoff`: remove it, or make it `kind: main`",
      },
    ]);
  });
});

describe("tools that nobody has", () => {
  const TOOLS = ["Read", "Write", "Edit", "Bash", "Grep"];
  const warnings = async (yaml: string) => {
    write("p/agents/a.md", agentText(yaml));
    const folders = { project: join(root, "p"), builtin: join(root, "builtin") };
    const { agents, problems } = await loadAgents(folders, models, TOOLS);
    expect(agents.get("a")?.definition).toBeDefined();
    expect(problems.every(({ severity }) => severity === "warning")).toBe(true);
    return problems.map(({ line, column, code, message, suggestion }) =>
      [`${line}:${column}`, code, message, suggestion].filter(Boolean).join(" "),
    );
  };

  test("are warnings where they stand, in every place that names tools", async () => {
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
  ])("%s", async (yaml, places) => {
    expect((await warnings(yaml)).map((text) => text.split(" ")[0])).toEqual(places);
  });

  test("without the names of the tools nothing is said", async () => {
    write("p/agents/a.md", agentText("tools: [Fly]"));
    expect((await load()).problems).toEqual([]);
  });
});

describe("includes", () => {
  const promptOf = async (body: string) => {
    write("p/agents/pack/a.md", agentText("", body));
    const agent = (await load()).agents.get("a")!;
    return { prompt: agent.definition?.prompt, problems: agent.problems };
  };

  test("of files and of files in files, relative to where they stand", async () => {
    write("p/agents/shared/rules.txt", `Rules. \${include:more.txt}\r\n`);
    write("p/agents/shared/more.txt", `$& stays \${TASK}`);
    expect((await promptOf(`One\n\${include:../shared/rules.txt}\nTwo`)).prompt).toBe(
      `One\nRules. $& stays \${TASK}\nTwo`,
    );
  });

  test("[A58] nothing outside the agents folder is read, not by a link either", async () => {
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

  test("a circle is an error that prints its path", async () => {
    write("p/agents/one.txt", `\${include:two.txt}`);
    write("p/agents/two.txt", `\${include:one.txt}`);
    const { problems } = await promptOf(`\${include:../one.txt}`);
    expect(problems[0]?.message).toBe("includes run in a circle: one.txt → two.txt → one.txt");
  });

  test("what is missing, or grows without end, is an error", async () => {
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

test("the built-in agents load without a word", async () => {
  const builtin = join(import.meta.dirname, "../../agents");
  const set = await loadAgents({ project: root, builtin }, models);
  expect(set.problems).toEqual([]);
  expect(findAgent(set, "assistant").definition).toMatchObject({
    kind: "main",
    tools: { ask: [], deny: [] },
  });
});
