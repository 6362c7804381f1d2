// `cadre completion SHELL` prints a script for bash, zsh or fish. The script calls the hidden command `cadre complete`,
// which reads commands and options from commander, and the names of agents and the ids of runs and open items from the project.

import { resolve } from "node:path";
import type { Argument, Command, Option } from "commander";
import type { CadreClient } from "../../api/client/client.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { folderArgument } from "../masked-io.ts";
import { projectOf } from "../project.ts";
import type { CommandHandler } from "../syntax/handler.ts";
import { itemTitle } from "../view/approval.ts";
import { plainLine } from "../view/text/plain.ts";

export async function completion({ io }: Invocation, shell: keyof typeof SCRIPTS): Promise<number> {
  io.stdout.write(SCRIPTS[shell]);
  return EXIT.done;
}

/** Prints each candidate for the last word on its own line, followed by a tab and its description. */
export const complete =
  (program: Command): CommandHandler =>
  async ({ io }: Invocation, words: string[]) => {
    const typed = words.at(-1) ?? "";
    const project = { folder: resolve(io.cwd, folderArgument(words)), io };
    for (const { value, about = "" } of await candidates(program, words, project))
      if (value.startsWith(typed)) io.stdout.write(`${plainLine(value)}\t${plainLine(about)}\n`);
    return EXIT.done;
  };

interface Candidate {
  value: string;
  about?: string;
}

type ProjectPlace = Pick<Invocation, "folder" | "io">;

async function candidates(
  program: Command,
  words: readonly string[],
  place: ProjectPlace,
): Promise<Candidate[]> {
  const { command, given, pending } = readWords(program, words.slice(0, -1));
  if (pending) return valuesOf(pending, pending.attributeName(), place);
  const help = program.createHelp();
  // A command without its subcommand is its `list`.
  const [list] = command.commands.filter((known) => known.name() === "list");
  if (words.at(-1)?.startsWith("-"))
    return [command, ...(list ? [list] : []), program]
      .flatMap((each) => help.visibleOptions(each))
      .map(({ long, short, description }) => ({ value: long ?? short ?? "", about: description }));
  const subcommands = given === 0 ? help.visibleCommands(command) : [];
  const registered = command.registeredArguments;
  const last = registered.at(-1);
  const argument = registered[given] ?? (last?.variadic ? last : undefined);
  return [
    ...subcommands.map((each) => ({ value: each.name(), about: help.subcommandDescription(each) })),
    ...(argument ? await valuesOf(argument, argument.name(), place) : []),
  ];
}

/** Finds the command, the number of its arguments, and the option whose value comes next. */
function readWords(
  program: Command,
  words: readonly string[],
): { command: Command; given: number; pending: Option | undefined } {
  let command = program;
  let given = 0;
  let pending: Option | undefined;
  for (const word of words) {
    if (pending) pending = undefined;
    else if (word.startsWith("-")) {
      const options = [...command.options, ...program.options];
      pending = options.find(({ required, short, long }) => required && (short === word || long === word));
    } else {
      const subcommand = given === 0 ? command.commands.find((known) => known.name() === word) : undefined;
      command = subcommand ?? command;
      given += subcommand ? 0 : 1;
    }
  }
  return { command, given, pending };
}

async function valuesOf(
  { argChoices }: Argument | Option,
  name: string,
  place: ProjectPlace,
): Promise<Candidate[]> {
  return argChoices?.map((value) => ({ value })) ?? (await LISTS[name]?.(place)) ?? [];
}

const listAgents = async (place: ProjectPlace): Promise<Candidate[]> => {
  const { agents } = await projectOf(place as Invocation).agents();
  return [...agents.values()].map(({ name, definition }) => ({
    value: name,
    about: definition?.description ?? "",
  }));
};

const listRuns = (place: ProjectPlace): Promise<Candidate[]> =>
  withClient(place, async (client: CadreClient) =>
    (await client.get("/api/runs", { limit: 50 })).runs.map(({ id, agent, status, task }) => ({
      value: id,
      about: `${agent}, ${status}: ${task}`,
    })),
  );

const listOpenItems = (place: ProjectPlace): Promise<Candidate[]> =>
  withClient(place, async (client: CadreClient) =>
    (await client.get("/api/approvals")).approvals.map((item) => ({
      value: item.id,
      about: `${item.agent}: ${itemTitle(item)}`,
    })),
  );

/** The values of arguments and options, by the name that the syntax gives them. Files are completed by the shell. */
const LISTS: Readonly<Record<string, (place: ProjectPlace) => Promise<Candidate[]>>> = {
  agent: listAgents,
  words: listAgents,
  run: listRuns,
  resume: listRuns,
  a: listRuns,
  b: listRuns,
  id: listOpenItems,
};

/** bash would split a word at `:`, and ids contain it, so this script splits the line itself. */
const BASH = `_cadre_complete() {
  local IFS=$' \\t\\n' line="\${COMP_LINE:0:COMP_POINT}" words word value
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  while [[ \${words[0]} != "$1" && \${#words[@]} -gt 1 ]]; do words=("\${words[@]:1}"); done
  word="\${words[\${#words[@]}-1]}"
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    COMPREPLY+=("\${value#"\${word%"\${word##*:}"}"}")
  done < <("$1" complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _cadre_complete cadre
`;

const ZSH = `#compdef cadre
_cadre() {
  local -a lines found
  local line
  lines=("\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#found )); then _describe cadre found; else _files; fi
}
if [[ "\${funcstack[1]}" == _cadre ]]; then _cadre "$@"; else compdef _cadre cadre; fi
`;

const FISH = `function __cadre_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l program $words[1]
  set -e words[1]
  set -l found ($program complete -- $words "$current" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c cadre -f -a '(__cadre_complete)'
`;

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH };
