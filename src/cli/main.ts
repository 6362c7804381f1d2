// The command line: verbs, flags and help. Each verb is loaded when it is called, so that help is there at once.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { nearest } from "../config/problem.ts";
import { CadreError, exitCode, toCadreError } from "../errors.ts";
import { createInvocation, EXIT, type Form, type Io } from "./io.ts";
import { maskedIo } from "./masked-io.ts";
import { addVerbs } from "./verbs/all.ts";
import type { Does } from "./verbs/does.ts";
import { version } from "./version.ts";
import { asSentence } from "./view/format.ts";
import { jsonLine, plainLine } from "./view/plain.ts";

/** The process's own command line. */
export async function start(): Promise<void> {
  const { stdin, stdout, stderr, env } = process;
  const argv = process.argv.slice(2);
  stdout.once("error", leaveUnread);
  stdout.on("error", () => {});
  const io = { stdin, stdout, stderr, env, cwd: process.cwd() };
  const masked = maskedIo(io, argv);
  for (const crash of ["uncaughtException", "unhandledRejection"] as const)
    process.on(crash, (error) => sayCrash(error, masked));
  const code = await main(argv, io);
  stdout.write("", () => process.exit(code));
}

/** Node would print all of it as it is. */
function sayCrash(thrown: unknown, { stderr }: Io): void {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  const said = `cadre: Cadre itself has failed. What was recorded is safe; \`cadre run\` goes on with it.\n${text}\n`;
  stderr.write(said);
  process.exit(EXIT.failed);
}

/** `cadre runs | head` closes our output: that is no failure. A command that has work under way leaves it in order. */
function leaveUnread(): void {
  if (process.listenerCount("SIGINT") > 0) process.emit("SIGINT", "SIGINT");
  else process.exit(EXIT.done);
}

/** Answers with the exit code; whatever fails is one sentence on stderr. */
export async function main(argv: readonly string[], given: Io): Promise<number> {
  const io = maskedIo(given, argv);
  let code: number = EXIT.done;
  let misuse = "";
  const program = createProgram(io, {
    done: (result) => {
      code = result;
    },
    misused: (sentence) => {
      misuse = sentence;
    },
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return sayUsage(error, misuse, argv, io);
    return sayFailure(error, argv, io);
  }
}

function sayFailure(thrown: unknown, argv: readonly string[], io: Io): number {
  const error = toCadreError(thrown);
  const { code, message, details } = error;
  if (argv.includes("--json")) io.stdout.write(`${jsonLine({ error: { code, message, details } })}\n`);
  io.stderr.write(`cadre: ${plainLine(code === "INTERNAL" ? unforeseen(message) : message)}\n`);
  if (io.env["CADRE_DEBUG"] && thrown instanceof Error) io.stderr.write(`${thrown.stack}\n`);
  return exitCode(code);
}

/** What we did not foresee says nothing of what became of the data, nor what to do. */
const unforeseen = (message: string): string =>
  `${asSentence(message)} What was recorded is safe; CADRE_DEBUG=1 shows where it failed.`;

/** Commander has said it to people already. */
function sayUsage({ exitCode }: CommanderError, misuse: string, argv: readonly string[], io: Io): number {
  if (exitCode === 0) return EXIT.done;
  if (argv.includes("--json"))
    io.stdout.write(`${jsonLine({ error: { code: "USAGE", message: misuse } })}\n`);
  return EXIT.usage;
}

interface Ends {
  done(code: number): void;
  misused(sentence: string): void;
}

function createProgram(io: Io, { done, misused }: Ends): Command {
  const program = new Command("cadre")
    .description("Runs trees of LLM agents as durable, inspectable work.")
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .option("-C, --folder <path>", "the project's folder (default: the current one)")
    .option("--json", "JSON and nothing else on stdout: one value, or a line for each event that is followed")
    .option("--plain", "lines only: no colours, and nothing is drawn anew (for screen readers and logs)")
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    });

  const does: Does = (load) =>
    async function action(this: Command, ...given: unknown[]): Promise<void> {
      const { folder, json = false, plain = false } = program.opts<{ folder?: string } & Partial<Form>>();
      const invocation = createInvocation(io, existing(resolve(io.cwd, folder ?? ".")), { json, plain });
      const verb = await load();
      done(await verb(invocation, ...(given.slice(0, -1) as never[])));
    };
  addVerbs(program, does);
  sayUsageIn(program, misused);
  for (const { commands } of program.commands)
    commands.find((verb) => verb.name() === "list")?.allowExcessArguments();
  program.hook("preAction", (_, verb) => refuseUnknown(verb));
  program
    .command("help [verb...]")
    .description("print help, or the help of a verb, as in: help agents validate")
    .action((verbs: string[]) => named(program, verbs).outputHelp());
  return program;
}

/** What is wrong with a verb's words is looked up in that verb's help. */
function sayUsageIn(command: Command, misused: Ends["misused"]): void {
  command.configureOutput({
    outputError(text, write) {
      const sentence = usageSentence(text, commandOf(command));
      misused(sentence);
      write(`cadre: ${sentence}\n`);
    },
  });
  for (const verb of command.commands) sayUsageIn(verb, misused);
}

/** A verb of a group that is none is taken for words to its list. */
function refuseUnknown(verb: Command): void {
  const [word] = verb.args;
  const group = verb.parent;
  if (verb.name() !== "list" || !group || word === undefined) return;
  const meant = nearest(
    word,
    group.commands.map((known) => known.name()),
  );
  const hint = meant ? `Did you mean ${meant}?` : `See ${commandOf(group)} --help.`;
  throw new CadreError("USAGE", `Unknown command '${group.name()} ${word}'. ${hint}`);
}

/** A store in a folder that was only mistyped would be made, and found by nobody. */
function existing(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new CadreError("USAGE", `There is no folder ${folder}.`);
}

function named(program: Command, verbs: readonly string[]): Command {
  let found = program;
  verbs.forEach((verb, index) => {
    const next = found.commands.find((known) => known.name() === verb);
    const words = verbs.slice(0, index + 1).join(" ");
    if (!next) throw new CadreError("USAGE", `Unknown command '${words}'. See ${commandOf(found)} --help.`);
    found = next;
  });
  return found;
}

const commandOf = (command: Command): string =>
  command.parent ? `${commandOf(command.parent)} ${command.name()}` : command.name();

/** Commander's words as one sentence of ours. */
function usageSentence(text: string, command: string): string {
  const words = plainLine(text.replace(/^error: /, ""))
    .replace(/ ?\((Did you mean .*?\?)\)$/, ". $1")
    .replace(
      /^option '(?:-\w, )?(--[\w-]+).*?' argument '(.*)' is invalid\. Allowed choices are /,
      "$1 $2: it is one of ",
    )
    .replace(/^(?:option|required option) '(.*)' (?:not specified|argument missing)$/, "$1 is missing");
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.?]$/.test(sentence) ? sentence : `${sentence}. See ${command} --help.`;
}
