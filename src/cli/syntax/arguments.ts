// Descriptions of the arguments, for help and for the error about a missing argument.
// An entry such as `verify run` applies to one command. It takes precedence over the general entry `run`.

import { type Command, Option } from "commander";

const RUN = "a run's id, or the beginning of it (`cadre runs` lists them)";

const MEANINGS: Readonly<Record<string, string>> = {
  run: RUN,
  a: RUN,
  b: RUN,
  id: "an open item's id, or the beginning of it (`cadre approve` lists them)",
  call: "the call's id, as `cadre outcome` shows it, or `all`",
  verdict: "happened, run_again or fail",
  text: "the message, in quotes",
  grant: "a grant's number or rule, as `cadre permissions` lists them",
  agent: "an agent's name (`cadre agents` lists them)",
  path: "a file or a folder (default: the folders of agents)",
  where: `${RUN}; or an event of it: RUN#SEQ`,
  words: "an agent's name, unless you want the default one, and the task in quotes",
  name: "a user's name, as `cadre users` lists them",
  role: "viewer, operator or admin",
  server: "a server's name, as `cadre servers` lists them",
  command: "a command, and optionally a subcommand",
  "complete words": "the words after `cadre`, up to the one that is being typed",
  "users add name": "the user's name here, in lower case",
  "schedules pause name": "a schedule's name, as `cadre schedules` lists them",
  "schedules resume name": "a schedule's name, as `cadre schedules` lists them",
  "schedules run name": "a schedule's name, as `cadre schedules` lists them",
  "triggers show name": "a hook's name, as `cadre triggers` lists them",
  "triggers show id": "a message's id, as `cadre triggers` lists them",
  "triggers retry name": "a hook's name, as `cadre triggers` lists them",
  "triggers retry id": "a message's id, as `cadre triggers` lists them",
  "webhooks test name": "a webhook's name, as `cadre webhooks` lists them",
  "verify run": `${RUN}; or a file that \`cadre export\` wrote`,
  "eval file": "the YAML file with the cases",
  "import file": "a file that `cadre export --format cadre` wrote",
};

export function describeArguments(command: Command, path: readonly string[] = []): void {
  for (const argument of command.registeredArguments) {
    const own = MEANINGS[[...path, argument.name()].join(" ")];
    argument.description ||= own ?? MEANINGS[argument.name()] ?? "";
  }
  for (const subcommand of command.commands) describeArguments(subcommand, [...path, subcommand.name()]);
}

/** The option `--attach`, which can be given several times. */
export const attach = (): Option =>
  new Option("--attach <file>", "an image or PDF that the model sees; can be repeated").argParser(
    (file: string, before: string[] | undefined) => [...(before ?? []), file],
  );

/** The option `--no-continue` of commands that let a waiting run go on. */
export const noContinue = (): Option =>
  new Option("--no-continue", "record this only: start no background process that continues the run");
