// Tests `cadre init` in an empty folder: with a template, and with its questions in a real terminal.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Project, project } from "../cli.fixture.ts";

const [DOWN, ENTER, CTRL_C] = ["\x1b[B", "\r", "\x03"];

describe.each([
  ["incident", "oncall", "log-reader has looked for logs"],
  ["coding", "lead", "the reviewer has looked around"],
  ["company", "front-desk", "the front desk chose the writer"],
])("`init --template %s`", (template, agent, said) => {
  test("a project from the template causes no warnings, and its scripted answer says that it is scripted", async () => {
    await using p = await project({});
    const made = await p.cadre("init", "--template", template);
    expect(made).toMatchObject({ code: 0, stderr: "" });
    const [command] = /cadre run .*$/m.exec(made.stdout)!;
    expect(command).toContain(`cadre run ${agent} "`);
    const checked = await p.cadre("agents", "validate", "--strict");
    expect(checked).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d files: all can be used\.\n$/),
    });
    expect(await p.cadre("agents")).toMatchObject({ code: 0, stderr: "" });
    const ran = await p.cadre("run", agent, "look around");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain(`A rehearsal by the scripted model: ${said}`);
  });

  test("`init` prints which API key it found, and uses a model of that provider", async () => {
    await using p = await project({});
    p.env["OPENAI_API_KEY"] = "a value that nobody may see";
    const made = await p.cadre("init", "--template", template);
    expect(made.stdout).toContain("Model: openai/gpt-6-sol (OPENAI_API_KEY is set).");
    const config = await readFile(join(p.folder, "cadre.yaml"), "utf8");
    expect(config).toMatch(/^model: openai\/gpt-6-sol /m);
    expect(made.stdout + config).not.toContain("a value");
    expect(await readdir(p.folder)).not.toContain("first-steps.script.yaml");
    expect(await p.cadre("agents", "validate", "--strict")).toMatchObject({ code: 0, stderr: "" });
  });
});

test("`init` can copy a template and a pack together, and the copied pack is not listed as built-in", async () => {
  await using p = await project({});
  const made = await p.cadre("init", "--template", "coding", "--pack", "ops");
  expect(made).toMatchObject({ code: 0, stderr: "" });
  expect(made.stdout).toMatch(
    /created {2}agents\/ops\/orchestrator\.md\n[\s\S]*created {2}agents\/lead\.md\n/,
  );
  const { stdout } = await p.cadre("agents");
  expect(stdout).toMatch(/^ops\/orchestrator .*main/m);
  expect(stdout).toMatch(/^lead {2}/m);
  expect(stdout).toMatch(/^ {2}factory\/… +a pack of 7 agents/m);
  expect(stdout).not.toContain("ops/…");
});

test("`init --template existing` uses the agents of another product unchanged", async () => {
  await using p = await project({});
  expect(await p.cadre("init", "--template", "existing")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("No agents were found in .claude/agents"),
  });
  expect(await readdir(p.folder)).toEqual([]);
  await p.write(
    ".claude/agents/tidy.md",
    "---\nname: tidy\ndescription: Tidies up.\ntools: Read\n---\nTidy.\n",
  );
  const made = await p.cadre("init", "--template", "existing");
  expect(made.stdout).toContain("found    tidy, in .claude/agents/tidy.md\n");
  expect(made.stdout).toMatch(/cadre agents explain tidy\n {2}cadre run tidy "your task"\n$/);
});

test("at a terminal `init` asks what to start with and which model to use, and creates the project accordingly", async () => {
  await using p = await project({ ".claude/agents/tidy.md": "---\ndescription: Tidies up.\n---\nTidy.\n" });
  Object.assign(p.env, { ANTHROPIC_API_KEY: "one", GEMINI_API_KEY: "two" });
  const terminal = openTerminal(p);
  await terminal.shows(/● The agents that are already here[\s\S]*Nothing yet/);
  terminal.type(DOWN);
  await terminal.shows(/● Incident response/);
  terminal.type(DOWN);
  await terminal.shows(/● A coding team/);
  terminal.type(ENTER);
  await terminal.shows(/Which model[\s\S]*google\/gemini-3\.8-flash/);
  terminal.type(DOWN);
  await terminal.shows(/● google\/gemini-3\.8-flash/);
  terminal.type(ENTER);
  await terminal.shows(/Next:\s+cadre run lead/);
  expect(await terminal.exitCode).toBe(0);
  expect(await readdir(join(p.folder, "agents"))).toEqual(["coder.md", "lead.md", "reviewer.md"]);
  expect(await readFile(join(p.folder, "cadre.yaml"), "utf8")).toContain(
    "\nmodel: google/gemini-3.8-flash #",
  );
});

test("pressing Ctrl-C at a question of `init` changes nothing", async () => {
  await using p = await project({});
  const terminal = openTerminal(p);
  await terminal.shows(/Nothing yet/);
  expect(terminal.text()).not.toContain("The agents that are already here");
  terminal.type(CTRL_C);
  await terminal.shows(/Nothing was changed\./);
  expect(await terminal.exitCode).toBe(130);
  expect(await readdir(p.folder)).toEqual([]);
});

function openTerminal({ folder, env, launcher }: Project) {
  const child = spawn(process.execPath, [launcher, "init"], {
    ...{ name: "xterm", cols: 100, rows: 30, cwd: folder },
    env: { ...env, TERM: "xterm", LANG: "C.UTF-8" },
  });
  let text = "";
  child.onData((data) => {
    text += stripVTControlCharacters(data);
  });
  const exitCode = new Promise<number>((resolve) => child.onExit((exit) => resolve(exit.exitCode)));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exitCode;
  });
  return {
    exitCode,
    text: () => text,
    shows: (pattern: RegExp) => expect.poll(() => text, { timeout: 60_000 }).toMatch(pattern),
    type: (keys: string) => child.write(keys),
  };
}
