// Tests `cadre agents` and `cadre init` as people, editors and CI use them.

import { readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agent, type Project, project } from "../../cli.fixture.ts";

const file = (keys: string) => `---\ndescription: Does its part.\n${keys}---\nTask: \${TASK}\n`;

const FILES = {
  "agents/lead.md": file(
    "agents: [pack/coder, reader]\ntools: [Read]\nlimits: { maxTurns: 10, maxDepth: 2 }\n",
  ),
  "agents/pack/coder.md": file("agents: [reader]\ntools: [Read, Write, Bash(npm test)]\nhandoff: checker\n"),
  "agents/pack/checker.md": file("tools: [Read]\nmodel: scripted/checker\n"),
  "agents/reader.md": file("kind: subagent\ntools: [Read, Grep]\n"),
};

async function ours(files: Record<string, string> = {}): Promise<Project> {
  return project({ ...FILES, ...files });
}

test("a run warns about ignored and misread keys in its agent's file", async () => {
  await using p = await project({
    "agents/helper.md": "---\nname: helper\ndescription: [broken\n---\nDo it.\n",
  });
  const { code, stderr } = await p.cadre("run", "--rehearse", "helper", "hello");
  expect(code).toBe(0);
  expect(stderr).toMatch(/^warning: agents\/helper\.md:\d+:\d+ `description` is not valid YAML/m);
});

describe("cadre agents", () => {
  test("`cadre agents` lists your own agents in detail, then built-in agents by pack, and creates no store", async () => {
    await using p = await ours({ "agents/broken.md": file("handoff: nobody\n") });
    const { code, stdout } = await p.cadre("agents");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^lead {2}main · → pack\/coder, reader · Read\n {4}Does its part\.\n/m);
    expect(stdout).toMatch(/^pack\/checker {2}main · Read · scripted\/checker \(scripted\)$/m);
    expect(stdout).toMatch(
      /^pack\/coder {2}main · → reader · handoff → checker · Read, Write, Bash\(npm test\)$/m,
    );
    expect(stdout).toMatch(/^broken {2}cannot be used\n {4}agents\/broken\.md\n/m);
    expect(stdout).toMatch(
      /^reader[\s\S]*^Built in, .*:\n {2}assistant [\s\S]*^ {2}ops\/… +a pack of 3 agents: an incident/m,
    );
    expect(stdout).not.toContain("ops/coding");
    expect(stdout).toMatch(/: cadre agents --all$/m);
    const all = await p.cadre("agents", "--all");
    expect(all.stdout).toMatch(
      /^reader[\s\S]*^Built in\n {2}assistant [\s\S]*^Built in: the pack ops\n {2}ops\/coding /m,
    );
    expect(stdout).toMatch(/^Agents that name no model use scripted\/rehearsal \(scripted\)\.$/m);
    expect(stdout).toMatch(/^error: agents\/broken\.md:3:10 `handoff` names `nobody`/m);
    expect(await readdir(p.folder)).toEqual(["agents"]);
  });

  test("[A53] an agent is marked as unable to run if its provider is unknown or untrusted", async () => {
    const providers = "providers: { lab: { type: openai-compatible, baseURL: http://127.0.0.1:9/v1 } }\n";
    await using p = await project({ "agents/one.md": file("model: lab/qwen\n"), "cadre.yaml": providers });
    const { stdout } = await p.cadre("agents");
    expect(stdout).toMatch(
      /^one {2}cannot run: its model's provider is unknown or not trusted · main .* lab\/qwen$/m,
    );
    await p.cadre("trust");
    expect((await p.cadre("agents")).stdout).toMatch(/^one {2}main .* lab\/qwen$/m);
  });

  test("[A53] [26.12] a default model whose provider is not trusted is marked", async () => {
    const providers = "providers: { lab: { type: openai-compatible, baseURL: http://127.0.0.1:9/v1 } }\n";
    await using p = await project({
      "agents/one.md": file(""),
      "cadre.yaml": `model: lab/qwen\n${providers}`,
    });
    expect((await p.cadre("agents")).stdout).toMatch(
      /^Agents that name no model use lab\/qwen, which cannot be used: its provider is unknown or not trusted\.$/m,
    );
    await p.cadre("trust");
    expect((await p.cadre("agents")).stdout).toMatch(/^Agents that name no model use lab\/qwen\.$/m);
  });

  test("`cadre agents --json` prints a list of agents", async () => {
    await using p = await ours();
    const { stdout: listed, lines: values } = await p.cadre("agents", "--json");
    const lines = values();
    expect(JSON.parse(listed)).toEqual(lines);
    expect(lines.find(({ name }) => name === "lead")).toMatchObject({
      kind: "main",
      models: ["scripted/rehearsal"],
      tools: ["Read"],
      agents: ["pack/coder", "reader"],
      file: "agents/lead.md",
      dialect: "cadre",
      scope: "project",
    });
    expect(lines.some(({ scope }) => scope === "builtin")).toBe(true);
  });

  test("[A17] text from an agent file never controls the terminal", async () => {
    await using p = await project({
      "agents/sly.md": '---\ndescription: "\\e[2Jhello\\u202E"\ntools: ["\\e[31mRead"]\n---\nx\n',
    });
    for (const args of [
      ["agents"],
      ["agents", "explain", "sly"],
      ["agents", "graph"],
      ["agents", "validate"],
    ]) {
      const { stdout } = await p.cadre(...args);
      for (const control of ["\u001B", "\u202E"]) expect(stdout).not.toContain(control);
    }
  });
});

describe("cadre agents validate", () => {
  test("`agents validate` exits with 0 if there are only warnings, but with 1 under --strict; printed paths are relative to the current folder", async () => {
    await using p = await project({ "agents/a.md": file("titel: A\n") });
    expect(await p.cadre("agents", "validate")).toMatchObject({
      code: 0,
      stdout:
        "warning: agents/a.md:3:1 unknown key `titel`: did you mean `title`?\n\n1 file: all can be used (1 warning).\n",
    });
    expect(await p.cadre("agents", "validate", "--strict")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^error: .*\n\n1 file: 0 can be used, 1 cannot \(1 error\)\.\n$/),
    });
    await p.write("agents/a.md", file("title: A\n"));
    expect(await p.cadre("agents", "validate", "--strict")).toMatchObject({
      code: 0,
      stdout: "1 file: all can be used.\n",
    });
  });

  test("`agents validate --json` prints exactly one object, for editors and CI", async () => {
    await using p = await project({
      "agents/a.md": file("handoff: b\n"),
      "agents/b.md": file("handoff: a\n"),
      "agents/c.md": agent("c"),
      "agents/notes.md": "no front matter\n",
    });
    const { code, lines } = await p.cadre("agents", "validate", "--json");
    expect(code).toBe(1);
    const [report, ...more] = lines() as [{ files: { problems: { message: string }[] }[] }];
    expect(more).toEqual([]);
    const { files } = report;
    const suggestion = "an agent is never started below itself: remove one of these";
    const cycle = (message: string) => ({
      code: "CYCLE",
      severity: "error",
      line: 3,
      column: 10,
      message,
      suggestion,
    });
    expect(files).toEqual([
      {
        file: "agents/a.md",
        name: "a",
        dialect: "cadre",
        status: "skipped",
        problems: [cycle("cycle: a → (handoff) b → (handoff) a")],
      },
      {
        file: "agents/b.md",
        name: "b",
        dialect: "cadre",
        status: "skipped",
        problems: [cycle("cycle: b → (handoff) a → (handoff) b")],
      },
      { file: "agents/c.md", name: "c", dialect: "cadre", status: "loaded", problems: [] },
      {
        file: "agents/notes.md",
        dialect: "cadre",
        status: "skipped",
        problems: [expect.objectContaining({ code: "NO_FRONTMATTER", line: 1, column: 1 })],
      },
    ]);
  });

  test("`agents validate` checks agent files of any product; it checks a project's file together with the project's other agents", async () => {
    await using p = await project({
      "agents/a.md": file("handoff: a2\n"),
      "agents/a2.md": file("handoff: a\n"),
      "elsewhere/.claude/agents/cr.md": "---\nname: cr\ndescription: Reads.\ntools: Read, Grep\n---\nx\n",
    });
    const one = await p.cadre("agents", "validate", "elsewhere", "--json");
    expect(one.code).toBe(0);
    expect(one.lines()).toEqual([
      {
        files: [
          {
            file: "elsewhere/.claude/agents/cr.md",
            name: "cr",
            dialect: "claude",
            status: "loaded",
            problems: [],
          },
        ],
      },
    ]);
    const own = await p.cadre("agents", "validate", "agents/a.md");
    expect(own.code).toBe(1);
    expect(own.stdout).toContain("error: agents/a.md:3:10 cycle: a → (handoff) a2 → (handoff) a");
    expect(own.stdout).not.toContain("agents/a2.md");
  });

  test.each([
    [["notes.txt"], "1 file: 0 can be used, 1 is not an agent (1 warning). Nothing was validated: give"],
    [["notes.txt", "--strict"], "1 file: 0 can be used, 1 cannot (1 error). Nothing was validated: give"],
    [["nowhere.md"], "1 file: 0 can be used, 1 cannot (1 error). Nothing was validated: give"],
    [["empty"], "There are no agent files here: nothing was validated."],
    [[], "There are no agent files here: nothing was validated."],
  ])("`agents validate` exits with 2 if it validated nothing: %s", async (args, said) => {
    await using p = await project({ "notes.txt": "hello\n", "empty/x.bin": "" });
    const { code, stdout } = await p.cadre("agents", "validate", ...args);
    expect([code, stdout]).toEqual([2, expect.stringContaining(said)]);
    await p.write("agents/a.md", agent("a"));
    expect((await p.cadre("agents", "validate", "agents/a.md", ...args.slice(0, 1))).code).toBe(
      args[0] === "nowhere.md" ? 1 : 0,
    );
  });
});

describe("cadre agents explain", () => {
  test("`agents explain` shows which agents an agent can reach, what each of them is allowed to do, and the maximum number of runs and turns", async () => {
    await using p = await ours();
    const { code, stdout } = await p.cadre("agents", "explain", "lead");
    expect(code).toBe(0);
    expect(stdout).toBe(`lead main · agents/lead.md
Does its part.

Answer  its own
Model   scripted/rehearsal (scripted)
Tools   Read
Limits  10 turns · 30m · delegation 2 deep

Reaches 3 agents
  pack/coder    directly               Read, Write, Bash(npm test) · 100 turns
  reader        directly               Read, Grep · 100 turns
                via coder              the same
  pack/checker  via coder, by handoff  Read · 100 turns · scripted/checker (scripted)

Blast radius
  changes files        yes
  runs commands        yes
  reaches the network  yes
  Bash (unsafe)       pack/coder  directly · only Bash(npm test)
  Write (idempotent)  pack/coder  directly

At worst
  100 runs (as many as a tree may have) and 10,000 turns of a model
`);
  });

  test("`agents explain --json` prints the whole explanation; an unknown name is refused with a one-sentence error", async () => {
    await using p = await ours();
    const [value] = (await p.cadre("agents", "explain", "coder", "--json")).lines();
    expect(value).toMatchObject({
      agent: "pack/coder",
      isTerminal: false,
      terminals: [{ agent: "pack/checker", path: [{ key: "handoff", to: "pack/checker" }] }],
      blastRadius: { changesFiles: true, runsCommands: true },
    });
    expect(await p.cadre("agents", "explain", "cdoer")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^cadre: There is no agent `cdoer`\./),
    });
  });

  test("`agents explain` applies the deny rules of the project", async () => {
    await using p = await ours({ "cadre.yaml": "permissions: { deny: [Bash, Write] }\n" });
    const { stdout } = await p.cadre("agents", "explain", "lead");
    expect(stdout).toMatch(/^ {2}pack\/coder +directly +Read · 100 turns$/m);
    expect(stdout).toMatch(/^ {2}runs commands +no$/m);
  });
});

describe("cadre agents graph", () => {
  test("`agents graph` prints a tree, a Mermaid flowchart, or JSON", async () => {
    await using p = await ours();
    expect((await p.cadre("agents", "graph", "lead")).stdout).toBe(`lead
├─ agents → pack/coder
│  ├─ agents → reader
│  └─ handoff → pack/checker
└─ agents → reader
`);
    expect((await p.cadre("agents", "graph", "coder", "--mermaid")).stdout).toBe(`flowchart LR
  a0["pack/coder"]
  a1("reader")
  a2["pack/checker"]
  a0 -->|agents| a1
  a0 ==>|handoff| a2
`);
    expect((await p.cadre("agents", "graph", "coder", "--json")).lines()).toEqual([
      {
        agents: [
          {
            name: "pack/coder",
            edges: [
              { key: "agents", to: "reader" },
              { key: "handoff", to: "pack/checker" },
            ],
          },
          { name: "reader", edges: [] },
          { name: "pack/checker", edges: [] },
        ],
      },
    ]);
    expect((await p.cadre("agents", "graph")).stdout).toMatch(/^ops\/orchestrator\n├─ agents → ops\//m);
  });
});

test("`agents prompt` prints the prompt that the model gets; `agents schema` prints the JSON Schema for editors", async () => {
  await using p = await ours();
  const { stdout } = await p.cadre("agents", "prompt", "lead", "--task", "count the files");
  expect(stdout).toMatch(/^Task: count the files\n\n## Tools\n/);
  const [value] = (await p.cadre("agents", "prompt", "lead", "--task", "count the files", "--json")).lines();
  const { prompt, tools } = value as { prompt: string; tools: { name: string; inputSchema: unknown }[] };
  expect(stdout.startsWith(`${prompt}\n\nWith ${tools.length} tools, as the model reads of them`)).toBe(true);
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["delegate", "manage_runs", "Read"]));
  for (const { name, inputSchema } of tools) {
    expect(stdout).toMatch(new RegExp(`^ {2}${name} +\\S.*$`, "m"));
    expect(inputSchema).toMatchObject({ type: "object" });
  }
  const misspelt = (await p.cadre("agents", "prompt", "leed")).stderr;
  expect(misspelt).toMatch(/^cadre: There is no agent `leed`\. Did you mean `lead`\?/);
  const without = (await p.cadre("agents", "explain", "supervisr")).stderr;
  expect(without).toMatch(/^cadre: There is no agent `supervisr`\. Did you mean `factory\/supervisor`\?/);
  const schema = JSON.parse((await p.cadre("agents", "schema")).stdout);
  expect(schema).toMatchObject({ type: "object", properties: { handoff: {}, tools: {} } });
  expect((await p.cadre("agents", "schema", "--json")).lines()).toEqual([schema]);
});

describe("cadre init", () => {
  test("[A35] `cadre init` does not write to a .gitignore that is a symlink", async () => {
    const p = await project({ "elsewhere.txt": "mine\n" });
    await symlink(join(p.folder, "elsewhere.txt"), join(p.folder, ".gitignore"));
    expect((await p.cadre("init")).code).toBe(0);
    expect(await readFile(join(p.folder, "elsewhere.txt"), "utf8")).toBe("mine\n");
  });

  test("`cadre init` writes a pack, a configuration and a line in .gitignore, and a second `init` changes nothing", async () => {
    await using p = await project({ ".gitignore": "node_modules/" });
    const first = await p.cadre("init", "--pack", "ops");
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/^created {2}agents\/ops\/orchestrator\.md$/m);
    expect(first.stdout).toMatch(
      /^created {2}cadre\.yaml\ncreated {2}\.gitignore \(a line for \.cadre\/\)$/m,
    );
    expect(first.stdout).toMatch(/\nNext:\n {2}cadre agents\n {2}cadre agents explain ops\/orchestrator\n/);
    expect(await readFile(join(p.folder, ".gitignore"), "utf8")).toBe("node_modules/\n.cadre/\n");

    await p.write("agents/ops/coding.md", "mine");
    await p.write("cadre.yaml", "model: scripted/mine\n");
    const [again] = (await p.cadre("init", "--pack", "ops", "--json")).lines();
    expect(again).toMatchObject({
      created: [],
      kept: expect.arrayContaining(["agents/ops/coding.md", "cadre.yaml", ".gitignore"]),
    });
    expect(await readFile(join(p.folder, "agents/ops/coding.md"), "utf8")).toBe("mine");
    expect(await readFile(join(p.folder, "cadre.yaml"), "utf8")).toBe("model: scripted/mine\n");
  });

  test("`cadre init` creates a usable project without configuration problems", async () => {
    await using p = await project({});
    for (const pack of ["ops", "factory", "team", "patterns"])
      expect((await p.cadre("init", "--pack", pack)).code).toBe(0);
    expect((await p.cadre("agents", "validate")).code).toBe(0);
    expect((await p.cadre("doctor")).stdout).toMatch(/^ok {4}cadre\.yaml: read$/m);
    const shown = (await readFile(join(p.folder, "cadre.yaml"), "utf8")).replaceAll(/^# ?(?= *\w+:)/gm, "");
    expect(shown).toMatch(/^permissions:\n {2}allow:/m);
    await p.write("cadre.yaml", shown);
    expect((await p.cadre("agents", "validate")).stderr).toBe("");
  });

  test("`init --list` lists the packs, and `init` with an unknown pack changes nothing", async () => {
    await using p = await project({});
    expect((await p.cadre("init", "--list")).stdout).toMatch(/^ops +3 agents +an incident/m);
    expect((await p.cadre("init", "--list", "--json")).lines().map(({ name }) => name)).toEqual([
      "factory",
      "ops",
      "patterns",
      "team",
    ]);
    expect(await p.cadre("init", "--pack", "opps")).toMatchObject({
      code: 2,
      stderr:
        "cadre: There is no pack opps. Did you mean ops? Packs: factory, ops, patterns, team. Nothing was changed.\n",
    });
    expect(await readdir(p.folder)).toEqual([]);
  });
});

test("[S4-6] [S4-20] an agent without `Patch` in its `policy` cannot run commands or change files, and `agents explain` shows this", async () => {
  await using p = await project({
    "agents/p.md": agent("p", "policy: [Finalize]\ntools: [Read, Bash]\n"),
    "p.script.yaml":
      "turns:\n  - when: { turn: 1 }\n    calls: [{ tool: Bash, input: { command: echo hi > made.txt } }]\n  - text: Done.\n",
  });
  const { code, stderr } = await p.cadre("run", "p", "x", "--yes");
  expect(code).toBe(0);
  expect(await readdir(p.folder)).not.toContain("made.txt");
  expect(stderr).toMatch(
    /`tools` names Bash, and its `policy` has no `Patch`: tools that can change files are withheld/,
  );
  const { blastRadius, tools } = JSON.parse((await p.cadre("agents", "explain", "p", "--json")).stdout);
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(["Read"]);
  expect(blastRadius).toMatchObject({ changesFiles: false, runsCommands: false });
});

test("[N5] commands and scripts accept an agent's name in upper or lower case", async () => {
  await using p = await project({
    "agents/teamA.md": agent("teamA"),
    "teamA.script.yaml": "turns:\n  - when: { agent: teamA }\n    text: It is me.\n",
  });
  const { code, stdout } = await p.cadre("run", "teamA", "go");
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("It is me.") });
  expect((await p.cadre("runs", "--agent", "teamA", "--json")).lines()).toMatchObject([{ agent: "teama" }]);
});

test("[N5] a project's agent is never mistaken for a pack's agent of the same name", async () => {
  await using p = await project({
    "agents/researcher.md": file("tools: [Read]\n"),
    "agents/factory/helper.md": file("agents: [researcher]\ntools: []\n"),
  });
  for (const name of ["factory/worker", "factory/helper"]) {
    const { reachable } = JSON.parse((await p.cadre("agents", "explain", name, "--json")).stdout);
    const names = reachable.map((one: { agent: string }) => one.agent);
    expect(names).toContain("factory/researcher");
    expect(names).not.toContain("researcher");
  }
});

test("the list and the explanation show an agent's title next to its name", async () => {
  await using p = await project({ "agents/lead.md": file("title: Team Lead\ntools: [Read]\n") });
  expect((await p.cadre("agents")).stdout).toMatch(/^lead \(Team Lead\) {2}main · Read$/m);
  expect((await p.cadre("agents", "explain", "lead")).stdout).toMatch(
    /^lead \(Team Lead\) main · agents\/lead\.md\n/,
  );
  const explained = JSON.parse((await p.cadre("agents", "explain", "lead", "--json")).stdout);
  expect(explained).toMatchObject({ agent: "lead", title: "Team Lead" });
});
