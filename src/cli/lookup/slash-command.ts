// Checks `/name arguments` in the words of a command line. The runtime expands them, as for every other client.

import { readSlashCommand, unknownCommand } from "../../agents/skills/expand-slash-command.ts";
import { type Invocation, usageError } from "../invocation.ts";
import { projectOf } from "../project.ts";
import { plainLine } from "../view/text/plain.ts";

/** Joins `/name arguments…` to one word, possibly after an agent's name. Refuses an unknown name, because it is probably a typing mistake. */
export async function joinSlashCommand(invocation: Invocation, words: readonly string[]): Promise<string[]> {
  const at = words.findIndex((word) => word.startsWith("/"));
  if (at < 0 || at > 1) return [...words];
  const asked = readSlashCommand(words[at]!);
  if (!asked) return [...words];
  const unknown = await unknownCommand(asked.name, projectOf(invocation));
  if (unknown)
    throw usageError(
      `There is no command /${asked.name}. There are: ${unknown.map((name) => `/${plainLine(name)}`).join(", ")}. Nothing was started.`,
    );
  return [...words.slice(0, at), words.slice(at).join(" ")];
}
