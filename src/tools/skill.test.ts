import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { PinnedSkill } from "../journal/definition.ts";
import { skillTool } from "./skill.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";

const OWN: PinnedSkill = { name: "own", description: "d", file: "~/.claude/skills/own/SKILL.md" };
const PROJECT: PinnedSkill = { name: "pdf", description: "d", file: "skills/pdf/SKILL.md" };

async function place(files: Record<string, string>) {
  const folder = await tempWorkspace();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  const at = (name: string) => join(folder.path, name);
  const tool = skillTool({ project: at("p"), user: at("home"), builtin: at("builtin") });
  const call = (input: object) => tool.execute(input, folder.context({ skills: [OWN, PROJECT] }));
  return { call, at, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const MAIN = "---\r\nname: own\r\n---\r\n\r\nRun {baseDir}/a.sh on $ARGUMENTS.\r\n";

it("[25.3] a loaded skill shows the arguments and the skill's folder in its text, and lists its other files", async () => {
  await using made = await place({
    "home/.claude/skills/own/SKILL.md": MAIN,
    "home/.claude/skills/own/a.sh": "echo",
  });
  expect(await made.call({ skill: "own", args: "x.pdf $& y" })).toEqual({
    output:
      "The skill own, in ~/.claude/skills/own.\nOther files: a.sh. Open one with Skill, with `file`, when the instructions send you to it. Their paths are relative to that folder; commands run in the workspace.\n\nRun ~/.claude/skills/own/a.sh on x.pdf $& y.",
  });
  expect(await made.call({ skill: "own", file: "a.sh" })).toEqual({
    output: "a.sh of the skill own:\n\necho",
  });
});

it.each(["../../secret", "/etc/hostname", "link"])(
  "[25.3] a file outside the skill's folder is not read: %s",
  async (file) => {
    await using made = await place({
      "home/.claude/skills/own/SKILL.md": MAIN,
      "home/.claude/secret": "key",
    });
    symlinkSync(made.at("home/.claude/secret"), made.at("home/.claude/skills/own/link"));
    const { output, isError } = await made.call({ skill: "own", file });
    expect(isError).toBe(true);
    expect(output).toContain("outside its folder");
  },
);

it("[25.3] other files of a project's skill are not opened, because the rules about paths apply only to Read", async () => {
  await using made = await place({
    "p/skills/pdf/SKILL.md": "---\nname: pdf\n---\nText.",
    "p/skills/pdf/.env": "KEY",
  });
  expect(await made.call({ skill: "pdf", file: "./.env" })).toEqual({
    output: "files of this skill are in the workspace: use Read with skills/pdf/.env",
    isError: true,
  });
});

it("[25.3] if a skill no longer exists, the answer says so", async () => {
  await using made = await place({});
  expect(await made.call({ skill: "pdf" })).toEqual({
    output: "the skill pdf cannot be read: it is not there",
    isError: true,
  });
});
