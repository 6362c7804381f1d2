import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
  payloadsOf,
  resultsRead,
  scenario,
  turns,
  typesOf,
  watchCalls,
} from "../../../test/support/scenario.ts";
import type { World } from "../../../test/support/world.ts";
import type { Script } from "../../models/scripted/script.ts";

const skill = (name: string, keys = "x: y", body = `How to do ${name}.`) =>
  `---\nname: ${name}\ndescription: For ${name} work.\n${keys}\n---\n\n${body}\n`;
const load = (name: string, more: object = {}) => ({ tool: "Skill", input: { skill: name, ...more } });
const bash = (command: string) => ({ tool: "Bash", input: { command } });

const PDF = {
  ".claude/skills/pdf/SKILL.md": skill("pdf", "allowed-tools: Bash(mkdir:*), Bash(rm:*), Write"),
  ".claude/skills/pdf/forms.md": "About forms.",
};
const UNTRUSTED = { env: {} };

/** Drives a run to its end. Returns the system prompt and the names of the offered tools for each model call. */
async function seenByModel(world: World, script: Script, agent?: string) {
  const { all } = watchCalls(world, script);
  await world.drive(await world.run("work", agent === undefined ? {} : { agent }));
  return all.map(({ prompt, tools = [] }) => ({
    system: prompt.flatMap(({ role, content }) => (role === "system" ? [content] : [])).join("\n"),
    tools: tools.map(({ name }) => name),
  }));
}

const loadsTwice = turns({ calls: [load("pdf")] }, { calls: [load("pdf")] });

scenario(
  "[25.3] the prompt lists skills by name and description, the same in every turn even if the files change",
  { idle: true, files: PDF, script: loadsTwice, changes: true },
  async (world) => {
    const edits: Script = ({ turn }) => {
      if (turn === 1) return { calls: [load("pdf")] };
      rmSync(join(world.folder, ".claude"), { recursive: true, force: true });
      return turn === 2 ? { calls: [load("pdf")] } : { text: "done" };
    };
    const [first, ...rest] = await seenByModel(world, edits);
    expect(first!.system).toContain("- pdf: For pdf work.");
    expect(first!.system).not.toContain("How to do pdf");
    expect(rest).toEqual([first, first]);
  },
);

scenario(
  "[25.3] the prompt of an agent from `.claude/agents` says to load the skills that its file names",
  {
    idle: true,
    files: {
      ...PDF,
      ".claude/skills/other/SKILL.md": skill("other"),
      ".claude/agents/helper.md": "---\nname: helper\ndescription: d\ntools: Read\nskills: pdf\n---\nHi.\n",
    },
    script: turns(),
  },
  async (world) => {
    const [only] = await seenByModel(world, turns(), "helper");
    expect(only!.system).toContain("Before you begin, load pdf in one turn.\n\n- pdf: For pdf work.\n");
    expect(only!.tools).toContain("Skill");
  },
);

scenario(
  "[25.3] without skills, nothing about them is in the prompt, and the tool is not offered",
  { idle: true, script: turns() },
  async (world) => {
    const [only] = await seenByModel(world, turns());
    expect(only!.tools).not.toContain("Skill");
    expect(only!.system).not.toContain("Skills");
  },
);

scenario(
  "[25.3] the result of Skill has the text and the names of other files, and is recorded; an unknown name lists the known skills",
  {
    idle: true,
    files: PDF,
    script: turns({ calls: [load("pdf"), { tool: "skill", input: { name: "PDF" } }, load("doc")] }),
  },
  async (world) => {
    const runId = await world.run("fill the form");
    await world.drive(runId);
    const [first, forgiven, unknown] = resultsRead(await world.events(runId));
    expect(first).toBe(
      "The skill pdf, in .claude/skills/pdf.\nOther files: forms.md. Open one with Read, as .claude/skills/pdf/<file>, when the instructions send you to it. Their paths are relative to that folder; commands run in the workspace.\n\nHow to do pdf.",
    );
    expect(forgiven).toBe(first);
    expect(unknown).toBe('there is no skill "doc": the skills are pdf');
  },
);

scenario(
  "[25.3] an agent gets only the skills that its file names, and the tool to load them",
  {
    idle: true,
    agent: "tools: [Read]\nskills: [Code-Style]",
    cast: { reader: "tools: [Read]", none: "skills: []" },
    files: { ...PDF, "skills/code-style/SKILL.md": skill("code-style") },
    script: turns(),
  },
  async (world) => {
    const find = (name: string) => world.runtime.parts.findAgent(name);
    expect((await find("tester")).skills?.map(({ name }) => name)).toEqual(["code-style"]);
    expect((await seenByModel(world, turns()))[0]!.tools).toEqual(expect.arrayContaining(["Read", "Skill"]));
    expect((await find("reader")).skills).toBeUndefined();
    expect((await find("none")).skills).toBeUndefined();
  },
);

const useAfterLoading = turns(
  { calls: [bash("mkdir one")] },
  { calls: [load("pdf")] },
  { calls: [bash("mkdir two")] },
);

scenario(
  "[25.3] allowed-tools: once the skill is loaded, its calls need no approval",
  { idle: true, files: PDF, script: turns({ calls: [load("pdf")] }, { calls: [bash("mkdir two")] }) },
  async (world) => {
    const runId = await world.run("work");
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(payloadsOf(await world.events(runId), "TOOL_PROPOSED")[1]).toMatchObject({
      verdict: "allow",
      rule: "skill pdf allow Bash(mkdir:*)",
    });
  },
);

scenario(
  "[25.3] allowed-tools: before the skill is loaded, its calls need approval",
  { idle: true, files: PDF, script: useAfterLoading },
  async (world) => {
    const runId = await world.run("work");
    expect((await world.drive(runId)).waitingOn).toMatchObject({ kind: "approval" });
  },
);

for (const [what, options, verdict] of [
  ["a deny rule", { config: "permissions: { deny: ['Bash(mkdir *)'] }" }, "deny"],
  ["an ask rule", { config: "permissions: { ask: [Bash] }" }, "ask"],
  ["the agent's own deny rule", { agent: "disallowedTools: Bash(mkdir *)" }, "deny"],
  ["the preset read-only", { config: "permissions: { preset: read-only }" }, "deny"],
  ["a folder that is not trusted", UNTRUSTED, "ask"],
] as const)
  scenario(
    `[25.3] allowed-tools of a skill never win over ${what}`,
    {
      idle: true,
      files: PDF,
      ...options,
      script: turns({ calls: [load("pdf")] }, { calls: [bash("mkdir two")] }),
    },
    async (world) => {
      const runId = await world.run("work");
      await world.drive(runId);
      expect(payloadsOf(await world.events(runId), "TOOL_PROPOSED")[1]!.verdict).toBe(verdict);
    },
  );

scenario(
  "[25.3] allowed-tools do not cover protected files",
  {
    idle: true,
    files: PDF,
    script: turns(
      { calls: [load("pdf")] },
      { calls: [{ tool: "Write", input: { path: ".claude/skills/new/SKILL.md", content: "" } }] },
    ),
  },
  async (world) => {
    const runId = await world.run("work");
    await world.drive(runId);
    expect(payloadsOf(await world.events(runId), "TOOL_PROPOSED")[1]!.verdict).toBe("ask");
  },
);

scenario(
  "[25.3] a skill of an untrusted folder is untrusted text: only its name is in the prompt, and its text is marked and taints the run",
  { idle: true, ...UNTRUSTED, files: PDF, script: turns({ calls: [load("pdf")] }) },
  async (world) => {
    const [first] = await seenByModel(world, turns({ calls: [load("pdf")] }));
    expect(first!.system).toContain("\n- pdf");
    expect(first!.system).not.toContain("For pdf work");
    const runId = await world.run("work");
    expect((await world.drive(runId)).taint.sources).toEqual([".claude/skills/pdf/SKILL.md"]);
    expect(resultsRead(await world.events(runId))[0]).toMatch(
      /<untrusted-\w+ source=".claude\/skills\/pdf\/SKILL.md">\nHow to do pdf\.\n<\/untrusted-\w+>$/,
    );
  },
);

for (const when of ["before", "after"] as const) {
  let die = (): void => {};
  let isDead = false;
  scenario(
    `[25.3] [F02] a kill ${when} the skill's text is recorded: the model gets the text once, and its permissions apply after the restart`,
    {
      idle: true,
      files: PDF,
      script: turns({ calls: [load("pdf")] }, { calls: [bash("mkdir two")] }),
      async intercept(append, send) {
        if (isDead) return new Promise(() => {});
        if (!append.events.some(({ type }) => type === "TOOL_RESULT")) return send();
        isDead = true;
        if (when === "after") await send();
        die();
        return new Promise(() => {});
      },
    },
    async (world) => {
      die = () => world.die();
      const runId = await world.run("work");
      void world.drive(runId).catch(() => {});
      await world.dead();
      await world.restart();
      expect((await world.drive(runId)).end?.status).toBe("completed");
      const events = await world.events(runId);
      expect(resultsRead(events).filter((text) => text.includes("How to do pdf."))).toHaveLength(1);
      expect(typesOf(events).filter((type) => type === "TOOL_RESULT")).toHaveLength(2);
    },
  );
}
