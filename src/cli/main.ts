// The command line: commands, options and help. A command's code is imported only when the command is called, so that help prints quickly.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { nearestWord } from "../config/problem.ts";
import { CadreError, exitCode, toCadreError } from "../errors.ts";
import { version } from "../runtime/version.ts";
import { launcherName } from "./command-line.ts";
import { boundHeap } from "./heap-bounds.ts";
import {
  commandLineFor,
  createInvocation,
  EXIT,
  type Io,
  type OutputFormat,
  printError,
} from "./invocation.ts";
import { folderArgument, maskIo } from "./masked-io.ts";
import { describeArguments } from "./syntax/arguments.ts";
import type { BindHandler } from "./syntax/handler.ts";
import { addCommands } from "./syntax/index.ts";
import { asSentence, jsonLine, plainLine } from "./view/text/plain.ts";

/** Runs the command line of this process. */
export async function start(): Promise<void> {
  boundHeap();
  const { stdin, stdout, stderr, env } = process;
  const argv = process.argv.slice(2);
  stdout.once("error", exitOnClosedOutput);
  stdout.on("error", () => {});
  const cwd = process.cwd();
  const io: Io = { stdin, stdout, stderr, env, cwd, launcher: launcherName(process.argv[1]!, cwd) };
  const masked = maskIo(io, argv);
  for (const crash of ["uncaughtException", "unhandledRejection"] as const)
    process.on(crash, (error) => printCrash(error, masked));
  const code = await main(argv, io);
  stdout.write("", () => process.exit(code));
}

/** Prints an uncaught error with secrets masked. Node would print the secrets. */
function printCrash(thrown: unknown, io: Io): void {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  const resume = commandLineFor(io, io.cwd)("run");
  io.stderr.write(`cadre: Cadre crashed. What was recorded is safe; \`${resume}\` continues it.\n${text}\n`);
  process.exit(EXIT.failed);
}

/** A closed output stream, as with `cadre runs | head`, is not a failure. A command with work in progress shuts down gracefully. */
function exitOnClosedOutput(): void {
  if (process.listenerCount("SIGINT") > 0) process.emit("SIGINT", "SIGINT");
  else process.exit(EXIT.done);
}

/** Returns the exit code. Prints a failure as one sentence on stderr. */
export async function main(argv: readonly string[], given: Io): Promise<number> {
  const io = maskIo(given, argv);
  let code: number = EXIT.done;
  const program = createProgram(io, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...argv, ...defaultCommand(argv, io)], { from: "user" });
    return code;
  } catch (error) {
    // Commander also throws after it has printed help or the version.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    return printFailure(error, argv, io);
  }
}

/** `cadre` alone starts a conversation if it runs at a terminal. */
function defaultCommand(argv: readonly string[], { stdin, stdout }: Io): string[] {
  if (stdin.isTTY !== true || stdout.isTTY !== true) return [];
  const isFolder = (word: string, at: number): boolean =>
    /^(-C.|--folder=)/.test(word) ||
    /^(-C|--folder)$/.test(word) ||
    /^(-C|--folder)$/.test(argv[at - 1] ?? "");
  return argv.every((word, at) => word === "--plain" || isFolder(word, at)) ? ["chat"] : [];
}

function printFailure(thrown: unknown, argv: readonly string[], io: Io): number {
  const error = toCadreError(thrown);
  const { code, message, details } = error;
  if (argv.includes("--json")) io.stdout.write(`${jsonLine({ error: { code, message, details } })}\n`);
  const sentence = plainLine(code === "INTERNAL" ? describeUnforeseen(message) : message);
  printError(sentence, io, commandLineFor(io, resolve(io.cwd, folderArgument(argv))));
  if (io.env["CADRE_DEBUG"] && thrown instanceof Error) io.stderr.write(`${thrown.stack}\n`);
  return exitCode(code);
}

/** Adds two facts to an unforeseen error: that the data is safe, and what to do next. */
const describeUnforeseen = (message: string): string =>
  `${asSentence(message)} What was recorded is safe; CADRE_DEBUG=1 shows where it failed.`;

function createProgram(io: Io, done: (code: number) => void): Command {
  const program = new Command(io.launcher ?? "cadre")
    .description("Runs trees of LLM agents as durable, inspectable work.")
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .option("-C, --folder <path>", "the project's folder (default: the current one)")
    .option("--json", "print only JSON to stdout: one value, or one line per followed event")
    .option("--plain", "print only lines: no colours, no redrawing (for screen readers and logs)")
    .configureHelp({ showGlobalOptions: true, subcommandTerm })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => {},
    });

  const bind: BindHandler = (load) =>
    async function action(this: Command, ...given: unknown[]): Promise<void> {
      const {
        folder,
        json = false,
        plain = false,
      } = program.opts<{ folder?: string } & Partial<OutputFormat>>();
      const invocation = createInvocation(io, existingFolder(resolve(io.cwd, folder ?? ".")), {
        json,
        plain,
      });
      const handler = await load();
      done(await handler(invocation, ...(given.slice(0, -1) as never[])));
    };
  addCommands(program, bind);
  for (const { commands } of program.commands)
    commands.find((command) => command.name() === "list")?.allowExcessArguments();
  program.hook("preAction", (_, command) => refuseUnknown(command));
  program
    .command("help [command...]")
    .helpGroup("Help:")
    .description("print help, or the help of a command, for example: help agents validate")
    .action((names: string[]) => findCommand(program, names).outputHelp());
  describeArguments(program);
  refuseBadUsage(program);
  return program;
}

/** Leaves out `[options]`: almost every command has options, and the description needs the space. */
function subcommandTerm(command: Command): string {
  const usage = command.usage().replace(/\[(options|command)\]/g, "");
  return `${command.name()} ${usage.trim()}`.trim();
}

/** Makes every command throw our usage errors instead of commander's. */
function refuseBadUsage(command: Command): void {
  command.exitOverride((error) => {
    throw error.exitCode === 0 || error.code === "commander.help" ? error : usageError(error, command);
  });
  command.commands.forEach(refuseBadUsage);
}

/** Refuses an unknown subcommand. Commander would pass the unknown name to the default subcommand `list` as an argument. */
function refuseUnknown(command: Command): void {
  const [word] = command.args;
  const group = command.parent;
  if (command.name() !== "list" || !group || word === undefined) return;
  const meant = nearestWord(
    word,
    group.commands.map((known) => known.name()),
  );
  const hint = meant ? `Did you mean ${meant}?` : `See ${commandPath(group)} --help.`;
  throw new CadreError("USAGE", `Unknown command '${group.name()} ${word}'. ${hint}`);
}

/** Refuses a mistyped folder. Otherwise Cadre would create a store in the wrong folder, and the person would never find that store. */
function existingFolder(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new CadreError("USAGE", `There is no folder ${folder}.`);
}

function findCommand(program: Command, names: readonly string[]): Command {
  let found = program;
  names.forEach((name, index) => {
    const next = found.commands.find((known) => known.name() === name);
    const path = names.slice(0, index + 1).join(" ");
    if (!next) throw new CadreError("USAGE", `Unknown command '${path}'. See ${commandPath(found)} --help.`);
    found = next;
  });
  return found;
}

/** Rewords commander's usage errors as one sentence. */
const usageError = (error: CommanderError, command: Command): CadreError =>
  new CadreError("USAGE", missingArgument(error, command) ?? usageSentence(error.message, command));

function missingArgument({ code, message }: CommanderError, command: Command): string | undefined {
  if (code !== "commander.missingArgument") return undefined;
  const argument = command.registeredArguments.find((known) => message.includes(`'${known.name()}'`))!;
  const [cadre, ...names] = pathOf(command);
  const path = names.join(" ");
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

const commandPath = (command: Command): string => pathOf(command).join(" ");

const pathOf = (command: Command): string[] => [
  ...(command.parent ? pathOf(command.parent) : []),
  command.name(),
];
