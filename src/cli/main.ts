// The command line: verbs, flags and help. Each verb is loaded when it is called, so that help is there at once.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Command, CommanderError, Option } from "commander";
import { CadreError, exitCode, toCadreError } from "../errors.ts";
import { PRESETS } from "../journal/definition.ts";
import { createInvocation, EXIT, type Invocation, type Io } from "./io.ts";
import { maskedIo } from "./masked-io.ts";
import { version } from "./version.ts";
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
  const program = createProgram(io, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return sayUsage(error, argv, io);
    return sayFailure(error, argv, io);
  }
}

function sayFailure(thrown: unknown, argv: readonly string[], io: Io): number {
  const error = toCadreError(thrown);
  const { code, message, details } = error;
  if (argv.includes("--json")) io.stdout.write(`${jsonLine({ error: { code, message, details } })}\n`);
  io.stderr.write(`cadre: ${plainLine(message)}\n`);
  if (io.env["CADRE_DEBUG"] && thrown instanceof Error) io.stderr.write(`${thrown.stack}\n`);
  return exitCode(code);
}

/** Commander has said it to people already. */
function sayUsage({ exitCode, message }: CommanderError, argv: readonly string[], io: Io): number {
  if (exitCode === 0) return EXIT.done;
  const sentence = usageSentence(message)
    .replace(/^cadre: /, "")
    .trim();
  if (argv.includes("--json"))
    io.stdout.write(`${jsonLine({ error: { code: "USAGE", message: sentence } })}\n`);
  return EXIT.usage;
}

type Verb = (invocation: Invocation, ...rest: never[]) => Promise<number>;

function createProgram(io: Io, done: (code: number) => void): Command {
  const program = new Command("cadre")
    .description("Runs trees of LLM agents as durable, inspectable work.")
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .option("-C, --folder <path>", "the project's folder (default: the current one)")
    .option("--json", "JSON and nothing else on stdout: one value, or a line for each event that is followed")
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(usageSentence(text)),
    });

  /** Binds a verb: what it takes beside the invocation are commander's arguments and options, in order. */
  const does = (load: () => Promise<Verb>) =>
    async function action(this: Command, ...given: unknown[]): Promise<void> {
      const { folder, json } = program.opts<{ folder?: string; json?: boolean }>();
      const invocation = createInvocation(io, existing(resolve(io.cwd, folder ?? ".")), json === true);
      const verb = await load();
      done(await verb(invocation, ...(given.slice(0, -1) as never[])));
    };
  addRunVerbs(program, does);
  addReasonVerbs(program, does);
  addForkVerbs(program, does);
  addJournalVerbs(program, does);
  addDecisionVerbs(program, does);
  addAgentVerbs(program, does);
  addProjectVerbs(program, does);
  addTeamVerbs(program, does);
  return program;
}

/** A store in a folder that was only mistyped would be made, and found by nobody. */
function existing(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new CadreError("USAGE", `There is no folder ${folder}.`);
}

type Does = (load: () => Promise<Verb>) => (this: Command, ...given: unknown[]) => Promise<void>;

function addRunVerbs(program: Command, does: Does): void {
  program
    .command("run [words...]")
    .usage('[options] [agent] "task"')
    .summary("start a run and stay with it; without a task: go on with what was left")
    .description(
      "Starts a run and stays with it until it has ended or needs a person who is not there. Without a task: goes on with\nwhatever was left unfinished here. Exit code: 0 done, 1 failed, 2 usage, 3 waiting for a person, 4 cancelled.",
    )
    .option("-y, --yes", "approve every call that asks; what is denied stays denied")
    .option("--detach", "print the run's id; it works in the background until it has ended or needs a person")
    .option("--model <name>", "the model for agents that name none")
    .addOption(
      new Option("--permissions <preset>", "what holds in this run where no rule says anything").choices(
        PRESETS,
      ),
    )
    .action(does(async () => (await import("./commands/run.ts")).run));
  program
    .command("retry <run>")
    .summary("try an ended run again, from its last good event")
    .description(
      "Starts a new run that continues an ended one (failed, cancelled or completed) from its last good event, and stays\nwith it as `cadre run` does. Nothing that was done or paid for is done again.",
    )
    .option("-y, --yes", "approve every call that asks; what is denied stays denied")
    .option(
      "--detach",
      "print the new run's id; it works in the background until it has ended or needs a person",
    )
    .action(does(async () => (await import("./commands/retry.ts")).retry));
  program
    .command("runs")
    .description("list runs, newest first, each with the number of runs below it")
    .option(
      "--status <status>",
      "pending, running, waiting, suspended, completed, failed, cancelled; several with commas",
    )
    .option("--agent <name>", "only runs of this agent")
    .option("--search <words>", "only runs in whose journals these words stand")
    .option("--since <time>", "only runs that were started since: 2h, 7d, today or 2026-01-31")
    .option(
      "--waiting-for <what>",
      "only runs that wait for this: approval, question, outcome_unknown, child, provider …",
    )
    .option("--sort <by>", "cost: the most expensive first, of the latest 500")
    .option("--limit <n>", "how many (default: 20)")
    .option("--all", "the runs below them too")
    .action(does(async () => (await import("./commands/runs.ts")).runs));
  program
    .command("show <run>")
    .description("show a run: what happened, the tree below it, result, cost")
    .option("--events", "the journal itself")
    .action(does(async () => (await import("./commands/show.ts")).show));
  program
    .command("tail <run>")
    .description("follow a run, and all below it, while it happens")
    .action(does(async () => (await import("./commands/tail.ts")).tail));
}

/** What happened, and why. */
function addReasonVerbs(program: Command, does: Does): void {
  program
    .command("why <run>")
    .usage("[options] <run>[#<seq>]")
    .summary("say why a run failed, waits or ended; with #<seq>: why that event came about")
    .description(
      "Says why a run failed (the first cause in its tree first), waits or ended, and what can be done now. With #<seq>, as\n`cadre show --events` numbers them: what led to that event, back to the task.",
    )
    .option("--log", "the decision log: every decision of the run and all below it, with its reason")
    .option("--markdown", "for an issue or a chat")
    .action(does(async () => (await import("./commands/why.ts")).why));
  program
    .command("usage [run]")
    .summary(
      "what was spent, by agent, model and delegation, and how it went; of all runs, or of one and all below it",
    )
    .description(
      "What was spent, by agent, model and delegation, and how it went: completion without people, what one agent alone would\nhave used (an estimate), time saved by working side by side, reviews. Of all runs, or of one and all below it.",
    )
    .option(
      "--since <time>",
      "only what happened since: 2h, 7d, today or 2026-01-31; to the quarter of an hour",
    )
    .action(does(async () => (await import("./commands/usage.ts")).usage));
}

/** Journals as such: whether they are whole, and to take them elsewhere. */
function addJournalVerbs(program: Command, does: Does): void {
  program
    .command("verify <run>")
    .description("check a run's journal, or a file that was exported, against its hash chain")
    .action(does(async () => (await import("./commands/verify.ts")).verify));
  program
    .command("replay <run>")
    .summary("decide a run, and all below it, again with the code and rules of now")
    .description(
      "Re-decides a run and all below it from its journal: recorded answers, the code and rules of now. Does nothing and asks\nno model. Says the first decision that would be another one; exit code 1 if there is one.",
    )
    .action(does(async () => (await import("./commands/replay.ts")).replay));
  program
    .command("export <run>")
    .summary("write a run and all below it to a file")
    .description(
      "Writes a run's tree to a file: `html` is a page to read, `jsonl` its journals; `cadre` moves it, which ends it here:\nit goes on where the file is imported, and only there.",
    )
    .addOption(
      new Option("--format <format>", "what kind of file")
        .choices(["html", "jsonl", "cadre"])
        .default("html"),
    )
    .option("--to <file>", "where to (default: the run's id, in the current folder)")
    .action(does(async () => (await import("./commands/export.ts")).exportRun));
  program
    .command("import <file>")
    .description("take in a tree that was moved out of another store with: export --format cadre")
    .action(does(async () => (await import("./commands/import.ts")).importRun));
}

function addForkVerbs(program: Command, does: Does): void {
  program
    .command("fork <run>")
    .usage("[options] RUN[#SEQ]")
    .summary("go another way from an event of a run, which stays as it is")
    .description(
      "Starts a new root that begins with what stands in a run up to an event (RUN#SEQ; without one: the latest), and stays with\nit as `cadre run` does. What the run did after that point is not done again: recorded results stand in for it. Whatever\nelse cannot be taken back asks, unless --allow-effects is given.",
    )
    .option("--message <text>", "what is said there; at the beginning: in place of the task")
    .option("--model <name>", "another model")
    .option("--agent <file>", "the agent's file as it would read")
    .option("--allow-effects", "nothing stands in: calls happen as rules say")
    .option("-y, --yes", "approve every call that asks; what is denied stays denied")
    .option(
      "--detach",
      "print the new run's id; it works in the background until it has ended or needs a person",
    )
    .action(does(async () => (await import("./commands/fork.ts")).fork));
  program
    .command("compare <a> <b>")
    .description("two runs side by side: where they first differ, and what each cost")
    .action(does(async () => (await import("./commands/compare.ts")).compare));
}

function addDecisionVerbs(program: Command, does: Does): void {
  const scope = new Option("--scope <scope>", "how far it reaches").choices([
    "once",
    "run",
    "tree",
    "always",
  ]);
  program
    .command("approve [id]")
    .description("let a call happen; without an id: show what is open, and decide nothing")
    .option("--edit <json>", "let it happen with this input instead")
    .addOption(scope)
    .option("--note <text>", "a word for the record")
    .option("--answer <text>", "the answer to a question")
    .option("--ask <person>", "let somebody else decide: it stays open, and says for whom it is")
    .option("--max-tokens <n>", "raise a budget that is used up")
    .option("--max-cost <dollars>", "raise a budget that is used up")
    .action(does(async () => (await import("./commands/approve.ts")).approve));
  program
    .command("reject <id>")
    .description("refuse a call; the agent reads why")
    .option("--note <text>", "why")
    .action(does(async () => (await import("./commands/reject.ts")).reject));
  const permissions = program
    .command("permissions")
    .description("what is allowed here without asking, and by whose word");
  permissions
    .command("list", { isDefault: true, hidden: true })
    .action(does(async () => (await import("./commands/permissions.ts")).list));
  permissions
    .command("revoke <grant>")
    .description("take back what a person allowed: by its number, or by its rule")
    .action(does(async () => (await import("./commands/permissions.ts")).revoke));
  program
    .command("outcome <run> <call> <verdict>")
    .description("say what became of a call that a crash left open: happened, run_again or fail")
    .option("--output <text>", "what came of it, for the agent")
    .option("--note <text>", "a word for the record")
    .action(does(async () => (await import("./commands/outcome.ts")).outcome));
  program
    .command("cancel <run>")
    .description("end a run and everything below it, and wait until all have ended")
    .option("--reason <text>", "why")
    .action(does(async () => (await import("./commands/cancel.ts")).cancel));
  program
    .command("message <run> <text>")
    .description("tell a run something; the agent reads it at its next turn")
    .action(does(async () => (await import("./commands/signal.ts")).message));
  program
    .command("pause <run>")
    .description("hold a run before its next step")
    .action(does(async () => (await import("./commands/signal.ts")).pause));
  program
    .command("resume <run>")
    .description(
      "let a run go on that was paused or set aside; one that waits for its provider tries again now",
    )
    .action(does(async () => (await import("./commands/signal.ts")).resume));
}

function addAgentVerbs(program: Command, does: Does): void {
  const agents = program
    .command("agents")
    .description("list the agents that can be run here; check and explain them");
  agents
    .command("list", { isDefault: true, hidden: true })
    .action(does(async () => (await import("./commands/agents.ts")).list));
  agents
    .command("validate [path...]")
    .description(
      "check agent files, or those below a folder; exit code 1 if one cannot be used, 2 if there was none",
    )
    .option("--strict", "let no warning pass either")
    .action(does(async () => (await import("./commands/agents-validate.ts")).validate));
  agents
    .command("explain <agent>")
    .description("who answers, whom it reaches, what they may do, and what could come of it")
    .action(does(async () => (await import("./commands/agents-explain.ts")).explain));
  agents
    .command("graph [agent]")
    .description("draw who can start whom")
    .option("--mermaid", "as a Mermaid flowchart")
    .action(does(async () => (await import("./commands/agents-graph.ts")).graph));
  agents
    .command("prompt <agent>")
    .description("print exactly what the model would get, and the tools it is offered")
    .option("--task <text>", "the task, where the prompt names it")
    .action(does(async () => (await import("./commands/agents-prompt.ts")).prompt));
  agents
    .command("schema")
    .description("print the JSON Schema of an agent file's front matter, for editors")
    .action(does(async () => (await import("./commands/agents-schema.ts")).schema));
}

function addProjectVerbs(program: Command, does: Does): void {
  program
    .command("up")
    .summary("drive what is due here and serve the API, until you end it")
    .description(
      "Drives whatever is due here and serves the API and the page, on this machine alone unless told otherwise. Prints a link\nthat lets one browser in, once; programs use the token in .cadre/token.",
    )
    .option("--port <n>", "where it listens (default: 4470)")
    .option("--host <address>", "beyond this machine only with CADRE_TOKEN set (default: 127.0.0.1)")
    .option("--model <name>", "the model for agents that name none")
    .option("--no-open", "do not open a browser")
    .option("--no-worker", "only serve: workers elsewhere drive (needs a store on Postgres)")
    .option("--demo", "in a copy of an example, with an incident under way; needs no key")
    .action(does(async () => (await import("./commands/up.ts")).up));
  program
    .command("mcp")
    .summary("serve this project to an MCP client, on stdin and stdout")
    .description(
      "An MCP server on stdin and stdout, for programs that start their servers themselves: tools that start, watch and decide runs,\nagents and runs as resources. `cadre up` serves the same at /mcp.",
    )
    .action(does(async () => (await import("./commands/mcp.ts")).mcp));
  program
    .command("worker")
    .summary("drive what is due here, and serve nothing, until you end it")
    .description(
      "Drives runs of this project's store, beside as many other workers as there are, on any machine that has the project's\nfolder. Ctrl-C or SIGTERM ends it in order: what it has under way is finished or given back.",
    )
    .option("--pool <name>", "whose runs it takes, as `pools` in cadre.yaml says (default: this folder's)")
    .option("--concurrency <n>", "runs at the same time (default: 32)")
    .action(does(async () => (await import("./commands/worker.ts")).worker));
  program
    .command("workers")
    .description("list who drives runs of this store, and who is not heard of any more")
    .action(does(async () => (await import("./commands/workers.ts")).workers));
  program
    .command("init")
    .description("make this folder a project; overwrites nothing")
    .option("--pack <name>", "copy the agents of a built-in pack into agents/")
    .option("--list", "list the packs, and change nothing")
    .action(does(async () => (await import("./commands/init.ts")).init));
  program
    .command("doctor")
    .description("check whatever could keep Cadre from working here")
    .action(does(async () => (await import("./commands/doctor.ts")).doctor));
  program
    .command("prune")
    .description("delete trees of runs that have ended; says what would go, and asks")
    .option("--older-than <age>", "only those that ended so long ago, as in 30d or 12h")
    .option(
      "--status <status>",
      "only those that ended so: completed, failed, cancelled; several with commas",
    )
    .option("--workspace [path]", "only those that worked in this folder (default: the project's own)")
    .option("--run <run>", "only the tree of this run")
    .option("--dry-run", "only say what would go")
    .option("-y, --yes", "do not ask")
    .action(does(async () => (await import("./commands/prune.ts")).prune));
  program
    .command("trust")
    .description("let this folder's cadre.yaml set endpoints, start commands and allow things; shows which")
    .option("--list", "print the folders that you trust")
    .option("--revoke", "take it back")
    .action(does(async () => (await import("./commands/trust.ts")).trust));
  const servers = program
    .command("servers")
    .description("list the MCP servers of this folder, and what is pinned of each");
  servers
    .command("list", { isDefault: true, hidden: true })
    .action(does(async () => (await import("./commands/servers.ts")).list));
  servers
    .command("approve <server>")
    .description("see what a server offers, or what has changed of it, and pin it")
    .action(does(async () => (await import("./commands/servers.ts")).approve));
  program
    .command("demo")
    .description("play an incident on a copy in a temporary folder; needs no key")
    .action(does(async () => (await import("./commands/demo.ts")).demo));
  program
    .command("help [verb...]")
    .description("print help, or the help of a verb, as in: help agents validate")
    .action((verbs: string[]) => named(program, verbs).outputHelp());
}

function addTeamVerbs(program: Command, does: Does): void {
  const users = program.command("users").description("list who may come in by name, and with which role");
  users
    .command("list", { isDefault: true, hidden: true })
    .action(does(async () => (await import("./commands/users.ts")).list));
  users
    .command("add <name>")
    .description("let somebody in; prints their token, once")
    .addOption(
      new Option("--role <role>", "viewer: looks; operator: starts and approves; admin: everything")
        .choices(["viewer", "operator", "admin"])
        .makeOptionMandatory(),
    )
    .action(does(async () => (await import("./commands/users.ts")).add));
  users
    .command("rotate <name>")
    .description("a new token for somebody; what the old one opened is closed at once")
    .action(does(async () => (await import("./commands/users.ts")).rotate));
  users
    .command("link <name>")
    .description("a link that lets one browser of theirs in, once; needs `cadre up`")
    .action(does(async () => (await import("./commands/users.ts")).link));
  users
    .command("revoke <name>")
    .description("let somebody in no more; what is open is closed at once")
    .action(does(async () => (await import("./commands/users.ts")).revoke));
  const webhooks = program
    .command("webhooks")
    .description("list where notices go, and what came of the latest");
  webhooks
    .command("list", { isDefault: true, hidden: true })
    .action(does(async () => (await import("./commands/webhooks.ts")).list));
  webhooks
    .command("test [name]")
    .description(
      "send a notice that means nothing, to all of them or to one; exit code 1 if it was not taken",
    )
    .action(does(async () => (await import("./commands/webhooks.ts")).test));
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
export function usageSentence(text: string): string {
  const words = plainLine(text.replace(/^error: /, "")).replace(/ ?\((Did you mean .*?\?)\)$/, ". $1");
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return `cadre: ${/[.?]$/.test(sentence) ? sentence : `${sentence}. See cadre --help.`}\n`;
}
