import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { problemText } from "../../config/problem.ts";
import { readSkills } from "./read-skills.ts";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "cadre-skills-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(path: string, text: string) {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}

const read = () =>
  readSkills({ project: join(base, "p"), user: join(base, "home"), builtin: join(base, "builtin") });

const skill = (name: string, keys = "") =>
  `---\nname: ${name}\ndescription: For ${name}.\n${keys}---\nText.\n`;

/** Reads a folder with one skill. Returns the skill and the text of its problems. */
async function readOne(text: string, folder = "pdf") {
  put(`p/skills/${folder}/SKILL.md`, text);
  const { skills, files } = await read();
  return { skill: skills[0], problems: files.flatMap(({ problems }) => problems.map(problemText)) };
}

it("[25.3] skills of the project, the user and packs are found; if names are equal, the nearest skill wins, and a note says so", async () => {
  for (const folder of ["skills", ".cadre/skills", ".claude/skills", ".agents/skills", ".github/skills"])
    put(`p/${folder}/a-${folder.replace(/\W/g, "")}/SKILL.md`, skill(`a-${folder.replace(/\W/g, "")}`));
  put("p/skills/.curated/deep/SKILL.md", skill("deep"));
  put("p/agents/ops/skills/packed/SKILL.md", skill("packed"));
  put("p/.claude/skills/deep/SKILL.md", skill("deep"));
  put("home/.claude/skills/own/SKILL.md", skill("own"));
  put("home/.claude/skills/deep/SKILL.md", skill("deep"));
  put("builtin/team/skills/builtin/SKILL.md", skill("builtin"));
  const { skills, files } = await read();
  expect(skills.map(({ name, file }) => [name, file])).toEqual([
    ["a-agentsskills", ".agents/skills/a-agentsskills/SKILL.md"],
    ["a-cadreskills", ".cadre/skills/a-cadreskills/SKILL.md"],
    ["a-claudeskills", ".claude/skills/a-claudeskills/SKILL.md"],
    ["a-githubskills", ".github/skills/a-githubskills/SKILL.md"],
    ["a-skills", "skills/a-skills/SKILL.md"],
    ["builtin", "builtin:team/skills/builtin/SKILL.md"],
    ["deep", "skills/.curated/deep/SKILL.md"],
    ["own", "~/.claude/skills/own/SKILL.md"],
    ["packed", "agents/ops/skills/packed/SKILL.md"],
  ]);
  expect(files.flatMap(({ problems }) => problems.map(({ message }) => message))).toEqual([
    "skill `deep` is not used: skills/.curated/deep/SKILL.md has the same name and comes first",
    "skill `deep` is not used: skills/.curated/deep/SKILL.md has the same name and is nearer",
  ]);
});

it("[25.3] a folder of skills with several names is read once, and links out of the project are not followed", async () => {
  put("p/.agents/skills/a/SKILL.md", skill("a"));
  put("elsewhere/b/SKILL.md", skill("b"));
  mkdirSync(join(base, "p/.claude"));
  symlinkSync("../.agents/skills", join(base, "p/.claude/skills"));
  symlinkSync(join(base, "elsewhere/b"), join(base, "p/.agents/skills/b"));
  const { skills, files } = await read();
  expect(skills.map(({ name }) => name)).toEqual(["a"]);
  expect(files).toHaveLength(1);
});

it.each([
  [
    "no front matter",
    "# PDF\n",
    "skills/pdf/SKILL.md:1:1 no front matter: start the file with `---`, `name: …`",
  ],
  [
    "open front matter",
    "---\nname: pdf\n",
    "skills/pdf/SKILL.md:1:1 the front matter is not closed: add a line `---` before the instructions",
  ],
  ["broken YAML", "---\nname: [a\nallowed-tools: {\n---\nText.\n", "skills/pdf/SKILL.md:"],
])(
  "[25.3] a file with %s is reported with line and column, and the other skills load",
  async (_, text, problem) => {
    put("p/skills/other/SKILL.md", skill("other"));
    const { skill: found, problems } = await readOne(text);
    expect(found?.name).toBe("other");
    expect(problems.join("\n")).toContain(problem);
  },
);

it.each([
  [
    "name: PDF Forms\ndescription: d",
    "pdf-forms",
    "2:1 `name` must be lower-case letters, digits and single hyphens",
  ],
  ["name: a--b\ndescription: d", "a-b", "2:1 `name` must be"],
  ["description: d", "pdf", "2:1 no `name`: the folder's name is used"],
  ["name: other\ndescription: d", "other", "2:1 `name` differs from the folder's name `pdf`"],
  ["name: pdf", "pdf", "no `description`: agents cannot tell when to use the skill"],
  [`name: pdf\ndescription: ${"d ".repeat(600)}`, "pdf", "3:1 `description` is longer than 1024 characters"],
  ["name: pdf\ndescription: d\nmodel: opus", "pdf", "4:1 `model` has no effect in a skill here"],
  [
    "name: pdf\ndescription: d\nallowed-tools: 3",
    "pdf",
    "4:1 `allowed-tools` must be a list of tools: it is ignored",
  ],
])("[25.3] %j loads with a warning", async (keys, name, problem) => {
  const { skill: found, problems } = await readOne(`---\n${keys}\n---\nText.\n`);
  expect(found?.name).toBe(name);
  expect(problems.join("\n")).toContain(problem);
});

it.each([
  ["allowed-tools: Read, Bash(git add:*), Bash(npm run test:*)"],
  ["allowed-tools: Read Bash(git add:*) Bash(npm run test:*)"],
  ["allowed-tools: [Read, 'Bash(git add:*)', 'Bash(npm run test:*)']"],
])("[25.3] reads %s", async (keys) => {
  const { skill: found, problems } = await readOne(skill("pdf", `${keys}\n`));
  expect(found?.allowedTools).toEqual(["Read", "Bash(git add:*)", "Bash(npm run test:*)"]);
  expect(problems).toEqual([]);
});

it("[25.3] a skill that only people use is not offered to models; a command in the text is reported", async () => {
  const { skill: found, problems } = await readOne(
    `${skill("pdf", "disable-model-invocation: true\n")}State: !\`git status\`\n`,
  );
  expect(found?.forModels).toBe(false);
  expect(problems).toEqual([
    "skills/pdf/SKILL.md:7:1 a command between !` and ` is not run: the agent reads it as text",
  ]);
});
