// Finds skills: folders with a file `SKILL.md`, of the project, of the user and of packs. The format is that of agentskills.io.
//  - A broken file is reported with line and column, and the other skills load.
//  - If two skills have the same name, the nearer one is used.
//  - Nothing in a skill is executed, and its text is read again when an agent loads it.

import { readdir, realpath } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import { hasErrors, type Problem } from "../../config/problem.ts";
import type { Data } from "../../config/yaml.ts";
import { agentId } from "../../journal/agent-id.ts";
import { translateRule } from "../dialects/claude-rules.ts";
import type { AgentFolders } from "../files/folders.ts";
import { HIDDEN_TEXT, type ParsedAgent, parseAgent } from "../files/parse.ts";
import { readSource } from "../files/read.ts";

export interface Skill {
  name: string;
  description: string;
  /** Path of SKILL.md in messages and pinned definitions: `.claude/skills/pdf/SKILL.md`, `~/…`, `builtin:…`. */
  file: string;
  scope: "project" | "user" | "builtin";
  /** Calls that need no approval after the skill was loaded, unless a rule says otherwise. */
  allowedTools: readonly string[];
  /** Whether models can load the skill. If not, only people can use it, as `/name`. */
  forModels: boolean;
  /** The instructions, as they were when the file was read. */
  text: string;
}

export interface SkillSet {
  /** The skills, sorted by name. */
  skills: Skill[];
  /** The files that were checked, with their problems. */
  files: { file: string; name?: string; problems: Problem[] }[];
}

const PROJECT_FOLDERS = ["skills", ".cadre/skills", ".claude/skills", ".agents/skills", ".github/skills"];
const USER_FOLDERS = [".cadre/skills", ".claude/skills", ".agents/skills"];
/** Folders with packs. A pack has its skills in a folder `skills`. */
const PROJECT_PACKS = ["agents", ".cadre/agents"];

const PREFIX = { project: "", user: "~/", builtin: "builtin:" };

export async function readSkills({ project, user, builtin }: AgentFolders): Promise<SkillSet> {
  const found = await Promise.all([
    ...PROJECT_FOLDERS.map((name) => skillFiles(project, name, "project")),
    ...PROJECT_PACKS.map((name) => packFiles(project, name, "project")),
    ...(user === undefined ? [] : USER_FOLDERS.map((name) => skillFiles(user, name, "user"))),
    ...(user === undefined ? [] : [packFiles(user, ".cadre/agents", "user")]),
    packFiles(builtin, ".", "builtin"),
  ]);
  const places = await withoutRepeats(found.flat(), project);
  const read = await Promise.all(places.map(readSkill));
  const skills = new Map<string, Skill>();
  for (const { skill, problems } of read) {
    if (!skill) continue;
    const nearer = skills.get(skill.name);
    if (nearer) problems.push(shadowedProblem(skill, nearer));
    else skills.set(skill.name, skill);
  }
  return {
    skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    files: read.map(({ file, skill, problems }) => ({
      file,
      problems,
      ...(skill ? { name: skill.name } : {}),
    })),
  };
}

interface Place {
  path: string;
  file: string;
  scope: Skill["scope"];
}

const MAX_SKILLS = 500;
const MAX_DEPTH = 3;

async function skillFiles(base: string, name: string, scope: Skill["scope"]): Promise<Place[]> {
  const paths = await findFolders(resolve(base, name), MAX_DEPTH);
  return paths
    .sort()
    .slice(0, MAX_SKILLS)
    .map((folder) => {
      const path = join(folder, SKILL_FILE);
      return { path, file: PREFIX[scope] + relative(base, path).split(sep).join("/"), scope };
    });
}

export const SKILL_FILE = "SKILL.md";

async function packFiles(base: string, name: string, scope: Skill["scope"]): Promise<Place[]> {
  const entries = await readdir(resolve(base, name), { withFileTypes: true }).catch(() => []);
  const packs = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(name, entry.name, "skills"));
  return (await Promise.all(packs.map((pack) => skillFiles(base, pack, scope)))).flat();
}

/** Subfolders with a SKILL.md. Folders inside a skill are not searched for more skills. */
async function findFolders(folder: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  if (entries.some(({ name, parentPath }) => name === SKILL_FILE && parentPath === folder))
    return depth === MAX_DEPTH ? [] : [folder];
  if (depth === 0) return [];
  const below = entries.filter(
    (entry) => (entry.isDirectory() || entry.isSymbolicLink()) && entry.name !== "node_modules",
  );
  return (await Promise.all(below.map(({ name }) => findFolders(join(folder, name), depth - 1)))).flat();
}

/** People link one folder of skills to another. A link of the project must not lead outside the project. */
async function withoutRepeats(places: readonly Place[], project: string): Promise<Place[]> {
  const root = await realpath(project).catch(() => project);
  const seen = new Set<string>();
  const kept: Place[] = [];
  for (const place of places) {
    const real = await realpath(place.path).catch(() => undefined);
    if (real === undefined || seen.has(real)) continue;
    seen.add(real);
    if (place.scope !== "project" || real.startsWith(root + sep)) kept.push(place);
  }
  return kept;
}

interface ReadSkill {
  file: string;
  skill?: Skill;
  problems: Problem[];
}

async function readSkill({ path, file, scope }: Place): Promise<ReadSkill> {
  const source = await readSource(path, file);
  const parsed = typeof source === "string" ? parseAgent(source, file) : source;
  const problems = parsed.problems.map(asSkillProblem);
  if (hasErrors(problems)) return { file, problems };
  const { frontmatter: keys } = parsed;
  const report = reporter(parsed, problems);
  const name = readName(keys["name"], basename(join(path, "..")), report);
  const description = readDescription(parsed, report);
  const allowedTools = readAllowedTools(keys["allowed-tools"], report);
  checkKeys(parsed, report);
  if (hasErrors(problems)) return { file, problems };
  const forModels = keys["disable-model-invocation"] !== true;
  return {
    file,
    problems,
    skill: { name, description, file, scope, allowedTools, forModels, text: parsed.body },
  };
}

/** Rewords problems from the parser, because its messages are about agents' prompts. */
const asSkillProblem = (problem: Problem): Problem => ({
  ...problem,
  message: problem.message.replace("the prompt", "the skill"),
  ...(problem.code === "FRONTMATTER_UNCLOSED"
    ? { suggestion: "add a line `---` before the instructions" }
    : {}),
  ...(problem.code === "NO_FRONTMATTER"
    ? { suggestion: "start the file with `---`, `name: …`, `description: …`, `---`" }
    : {}),
});

type Report = (key: string, problem: Pick<Problem, "code" | "message"> & Partial<Problem>) => void;

const reporter =
  ({ file, document }: ParsedAgent, problems: Problem[]): Report =>
  (key, problem) =>
    problems.push({ file, ...document.at([key], "key"), severity: "warning", ...problem });

const MAX_NAME = 64;

/** Reads the skill's name. The format requires lower case, digits and single hyphens, and the same name as the folder. */
function readName(written: Data | undefined, folder: string, report: Report): string {
  const text = typeof written === "string" || typeof written === "number" ? String(written).trim() : "";
  const name = agentId(text || folder)
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/-{2,}/g, "-")
    .slice(0, MAX_NAME)
    .replace(/^-|-$/g, "");
  const suggestion = `write \`name: ${name}\``;
  if (name === "")
    report("name", { code: "SKILL_NAME", severity: "error", message: "`name` has no letter or digit" });
  else if (text === "")
    report("name", { code: "SKILL_NAME", message: "no `name`: the folder's name is used", suggestion });
  else if (name !== text)
    report("name", {
      code: "SKILL_NAME",
      message: `\`name\` must be lower-case letters, digits and single hyphens, at most ${MAX_NAME}: \`${name}\` is used`,
      suggestion,
    });
  else if (name !== folder)
    report("name", {
      code: "SKILL_NAME",
      message: `\`name\` differs from the folder's name \`${folder}\``,
      suggestion: "rename one of them",
    });
  return name;
}

const MAX_DESCRIPTION = 1_024;

function readDescription({ frontmatter, body }: ParsedAgent, report: Report): string {
  const text = [frontmatter["description"], frontmatter["when_to_use"]]
    .filter((value) => typeof value === "string")
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
  if (text === "") {
    report("description", {
      code: "NO_DESCRIPTION",
      message: "no `description`: agents cannot tell when to use the skill",
      suggestion: "say what it does and when to use it",
    });
    return (body.split(/\n\s*\n/).find((part) => !part.startsWith("#")) ?? "")
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, 200);
  }
  for (const { code, pattern, message } of HIDDEN_TEXT)
    if (pattern.test(text))
      report("description", { code, message: message.replace("the prompt", "`description`") });
  if (text.length > MAX_DESCRIPTION)
    report("description", {
      code: "DESCRIPTION_LONG",
      message: `\`description\` is longer than ${MAX_DESCRIPTION} characters: the rest is left out`,
    });
  return text.slice(0, MAX_DESCRIPTION);
}

/** A list, or a text with commas or blanks between the rules. */
function readAllowedTools(value: Data | undefined, report: Report): string[] {
  if (value === undefined || value === null) return [];
  const written =
    typeof value === "string" ? value.split(/[,\s]+(?![^(]*\))/) : Array.isArray(value) ? value : undefined;
  if (!written?.every((rule) => typeof rule === "string")) {
    report("allowed-tools", {
      code: "BAD_VALUE",
      message: "`allowed-tools` must be a list of tools: it is ignored",
    });
    return [];
  }
  return written
    .filter((rule) => rule.trim() !== "")
    .flatMap((rule) => translateRule(rule.trim(), "allow", "~"));
}

const FORMAT_KEYS = new Set(["name", "description", "license", "compatibility", "metadata", "allowed-tools"]);
/** Keys of Claude Code that cause no warning. Each has the same effect in Cadre, or has no effect in any product. */
const CLAUDE_KEYS = new Set([
  "when_to_use",
  "disable-model-invocation",
  "user-invocable",
  "argument-hint",
  "version",
  "author",
  "tags",
]);

function checkKeys({ frontmatter, body, bodyLine, file }: ParsedAgent, report: Report): void {
  for (const key of Object.keys(frontmatter))
    if (!FORMAT_KEYS.has(key) && !CLAUDE_KEYS.has(key))
      report(key, { code: "UNSUPPORTED_KEY", message: `\`${key}\` has no effect in a skill here` });
  const at = body.search(/(^|\s)!`[^`\n]+`/m);
  if (at < 0) return;
  const line = bodyLine + body.slice(0, at + 1).split("\n").length - 1;
  report("", {
    file,
    line,
    column: 1,
    code: "COMMAND_NOT_RUN",
    message: "a command between !` and ` is not run: the agent reads it as text",
  });
}

function shadowedProblem(skill: Skill, nearer: Skill): Problem {
  return {
    ...{ file: skill.file, line: 1, column: 1, code: "SKILL_SHADOWED", severity: "warning" },
    message: `skill \`${skill.name}\` is not used: ${nearer.file} has the same name and ${skill.scope === nearer.scope ? "comes first" : "is nearer"}`,
  };
}
