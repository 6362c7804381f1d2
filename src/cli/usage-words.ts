// Rewords commander's usage errors as one sentence.

import type { Command, CommanderError } from "commander";
import { CadreError } from "../errors.ts";
import { plainLine } from "./view/text/plain.ts";

export const usageError = (error: CommanderError, command: Command): CadreError =>
  new CadreError("USAGE", missingArgument(error, command) ?? usageSentence(error.message, command));

function missingArgument({ code, message }: CommanderError, command: Command): string | undefined {
  if (code !== "commander.missingArgument") return undefined;
  const argument = command.registeredArguments.find((known) => message.includes(`'${known.name()}'`))!;
  const [cadre, ...verb] = pathOf(command);
  const path = verb.join(" ");
  return `${path} needs <${argument.name()}>: ${argument.description}. See ${cadre} help ${path}.`;
}

function usageSentence(text: string, command: Command): string {
  const words = plainLine(text.replace(/^error: /, ""))
    .replace(/ ?\((Did you mean .*?\?)\)$/, ". $1")
    .replace(
      /^option '(?:-\w, )?(--[\w-]+).*?' argument '(.*)' is invalid\. Allowed choices are /,
      "$1 $2: it is one of ",
    )
    .replace(/^(?:option|required option) '(.*)' (?:not specified|argument missing)$/, "$1 is missing");
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.?]$/.test(sentence) ? sentence : `${sentence}. See ${commandPath(command)} --help.`;
}

export const commandPath = (command: Command): string => pathOf(command).join(" ");

const pathOf = (command: Command): string[] => [
  ...(command.parent ? pathOf(command.parent) : []),
  command.name(),
];
