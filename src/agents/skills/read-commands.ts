// Reads Claude Code's commands: prompts that a person starts by name, as in `/fix-issue 123`.
// A command is a Markdown file below `.claude/commands`. Nothing in it is executed.

import { join } from "node:path";
import type { Problem } from "../../config/problem.ts";
import { type AgentFolders, listAgentFiles, pathBelow } from "../files/folders.ts";
import { type ParsedAgent, parseAgent } from "../files/parse.ts";
import { readSource } from "../files/read.ts";

export interface Command {
  /** The path below the folder, with `:` between the folders: `frontend:component`. */
  name: string;
  description: string;
  /** Shown after the name: `<issue> [priority]`. */
  hint: string;
  file: string;
  text: string;
}

export interface CommandSet {
  commands: Command[];
  files: { file: string; name?: string; problems: Problem[] }[];
}

const FOLDER = join(".claude", "commands");

/** A command of the project comes before a command of the user with the same name. */
export async function readCommands({ project, user }: AgentFolders): Promise<CommandSet> {
  const places = [
    { folder: join(project, FOLDER), prefix: ".claude/commands/" },
    ...(user === undefined || user === project
      ? []
      : [{ folder: join(user, FOLDER), prefix: "~/.claude/commands/" }]),
  ];
  const set: CommandSet = { commands: [], files: [] };
  for (const { folder, prefix } of places)
    for (const path of await listAgentFiles(folder, /\.md$/i)) {
      const below = pathBelow(folder, path);
      const file = prefix + below;
      const { command, problems } = await readCommand(
        path,
        file,
        below.replace(/\.md$/i, "").replaceAll("/", ":"),
      );
      set.files.push({ file, problems, ...(command ? { name: `/${command.name}` } : {}) });
      if (command && !set.commands.some(({ name }) => name === command.name)) set.commands.push(command);
    }
  return set;
}

async function readCommand(
  path: string,
  file: string,
  name: string,
): Promise<{ command?: Command; problems: Problem[] }> {
  const source = await readSource(path, file);
  if (typeof source !== "string") return { problems: source.problems };
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  if (!text.startsWith("---\n"))
    return {
      command: { name, description: "", hint: "", file, text: text.trim() },
      problems: commandNotes(file, text, 1),
    };
  const parsed = parseAgent(text, file);
  const { frontmatter: keys, body, bodyLine, problems } = parsed;
  if (problems.some(({ severity }) => severity === "error")) return { problems };
  const description = textOf(keys["description"]);
  const command = { name, description, hint: textOf(keys["argument-hint"]), file, text: body };
  return { command, problems: [...problems, ...keyProblems(parsed), ...commandNotes(file, body, bodyLine)] };
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value.trim() : Array.isArray(value) ? `[${value.join(" ")}]` : "";

const KEYS = new Set(["description", "argument-hint", "disable-model-invocation", "name"]);

const keyProblems = ({ file, frontmatter, document }: ParsedAgent): Problem[] =>
  Object.keys(frontmatter)
    .filter((key) => !KEYS.has(key))
    .map((key) => ({
      ...{ file, ...document.at([key], "key"), code: "UNSUPPORTED_KEY", severity: "warning" as const },
      message: `\`${key}\` has no effect in a command here`,
      ...(key === "allowed-tools" ? { suggestion: "put the rules into `permissions.allow`" } : {}),
      ...(key === "model" ? { suggestion: "use `cadre run --model`" } : {}),
    }));

function commandNotes(file: string, body: string, bodyLine: number): Problem[] {
  const at = body.search(SHELL);
  if (at < 0) return [];
  const line = bodyLine + body.slice(0, at + 1).split("\n").length - 1;
  const message = "a command between !` and ` is not run: the agent is asked to run it";
  return [{ file, line, column: 1, code: "COMMAND_NOT_RUN", severity: "warning", message }];
}

const SHELL = /(^|\s)!`[^`\n]+`/m;

/** Finds a command by its full name, or by the last part of its name if no other command has the same last part. */
export function findCommand(commands: readonly Command[], name: string): Command | undefined {
  const wanted = name.toLowerCase();
  const exact = commands.find((command) => command.name.toLowerCase() === wanted);
  const ending = commands.filter((command) => command.name.toLowerCase().endsWith(`:${wanted}`));
  return exact ?? (ending.length === 1 ? ending[0] : undefined);
}

/** The task for an agent. `$ARGUMENTS` is replaced with all arguments, and `$1` with the first. */
export function fillIn(text: string, args: string): string {
  const words =
    args.match(/"[^"]*"|'[^']*'|\S+/g)?.map((word) => word.replace(/^(["'])(.*)\1$/s, "$2")) ?? [];
  const filled = text.replace(/\$(ARGUMENTS|[1-9])/g, (_, which: string) =>
    which === "ARGUMENTS" ? args : (words[Number(which) - 1] ?? ""),
  );
  const hasPlace = /\$(ARGUMENTS|[1-9])/.test(text);
  const notes = [
    ...(hasPlace || args === "" ? [] : [`Arguments: ${args}`]),
    ...(SHELL.test(text) ? ["Where this text says !`command`, run that command and use its output."] : []),
  ];
  return [filled, ...notes].join("\n\n");
}
