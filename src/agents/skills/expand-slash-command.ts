// Expands `/name arguments` to the task that a command of Claude Code, or a skill, describes.
// People write it wherever they give a task or send a message: in the terminal, on the page, in an editor and through the API.

import { type Command, fillIn, findCommand } from "./read-commands.ts";
import type { Skill } from "./read-skills.ts";

export interface SlashSources {
  commands(): Promise<{ commands: readonly Command[] }>;
  skills(): Promise<{ skills: readonly Skill[] }>;
}

/** The name and the arguments in a text. The arguments end at the first empty line, and `rest` follows. Undefined for other texts. */
export function readSlashCommand(text: string): { name: string; args: string; rest: string } | undefined {
  const [, name, args = "", rest = ""] = /^\/([\w.:-]+)(?:\s+(.*?))?(\n\s*\n.*)?$/s.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, args, rest: rest.trim() };
}

/** Returns any other text unchanged, also if it begins with the name of an unknown command. */
export async function expandSlashCommand(text: string, sources: SlashSources): Promise<string> {
  const asked = readSlashCommand(text);
  if (!asked) return text;
  const [{ commands }, { skills }] = await Promise.all([sources.commands(), sources.skills()]);
  const expanded = taskOf(asked, commands, skills);
  return expanded === undefined ? text : [expanded, asked.rest].filter((part) => part !== "").join("\n\n");
}

function taskOf(
  { name, args }: { name: string; args: string },
  commands: readonly Command[],
  skills: readonly Skill[],
): string | undefined {
  const command = findCommand(commands, name);
  if (command) return fillIn(command.text, args);
  const skill = skills.find((one) => one.name === name.toLowerCase());
  if (!skill) return undefined;
  if (skill.forModels) return fillIn(`Load the skill \`${skill.name}\` and follow it.`, args);
  const folder = skill.file.replace(/\/[^/]*$/, "");
  return fillIn(`Follow these instructions. Their folder is ${folder}.\n\n${skill.text}`, args);
}

/** The names of all commands and skills, if `name` is none of them. If the project has none at all, a slash has no special meaning. */
export async function unknownCommand(name: string, sources: SlashSources): Promise<string[] | undefined> {
  const [{ commands }, { skills }] = await Promise.all([sources.commands(), sources.skills()]);
  if (commands.length + skills.length === 0) return undefined;
  if (taskOf({ name, args: "" }, commands, skills) !== undefined) return undefined;
  return [...commands, ...skills].map((one) => one.name);
}
