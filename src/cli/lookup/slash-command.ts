// Expands `/name arguments` to the task that a command of Claude Code, or a skill, describes.

import { fillIn, findCommand } from "../../agents/skills/read-commands.ts";
import { type Invocation, usageError } from "../invocation.ts";
import { projectOf } from "../project.ts";
import { plainLine } from "../view/text/plain.ts";

/** `words` contain `/name arguments…`, possibly after an agent's name. Other words are returned unchanged. */
export async function expandSlashCommand(
  invocation: Invocation,
  words: readonly string[],
): Promise<string[]> {
  const at = words.findIndex((word) => word.startsWith("/"));
  if (at < 0 || at > 1) return [...words];
  const [, name, first = ""] = /^\/([\w.:-]+)(?:\s+(.*))?$/s.exec(words[at]!) ?? [];
  if (name === undefined) return [...words];
  const project = projectOf(invocation);
  const [{ commands }, { skills }] = await Promise.all([project.commands(), project.skills()]);
  // If the project has no commands and no skills, a slash has no special meaning.
  if (commands.length + skills.length === 0) return [...words];
  const args = [first, ...words.slice(at + 1)].filter((text) => text !== "").join(" ");
  const before = words.slice(0, at);
  const command = findCommand(commands, name);
  if (command) return [...before, fillIn(command.text, args)];
  const skill = skills.find((one) => one.name === name.toLowerCase());
  if (skill?.forModels) return [...before, fillIn(`Load the skill \`${skill.name}\` and follow it.`, args)];
  if (skill)
    return [
      ...before,
      fillIn(
        `Follow these instructions. Their folder is ${skill.file.replace(/\/[^/]*$/, "")}.\n\n${skill.text}`,
        args,
      ),
    ];
  const known = [...commands, ...skills].map((one) => `/${plainLine(one.name)}`).join(", ");
  throw usageError(`There is no command /${name}. There are: ${known}. Nothing was started.`);
}
