import { type Command, Option } from "commander";
import { PRESETS } from "../../journal/definition.ts";
import { attach } from "./arguments.ts";
import type { BindHandler } from "./handler.ts";

const yes = () => new Option("-y, --yes", "approve every call that asks; denied calls stay denied");

const rehearse = () =>
  new Option(
    "--rehearse",
    "without a provider's key: use a scripted model that calls nothing and does nothing",
  );

const detach = (id: string) =>
  new Option("--detach", `print ${id}; it continues in the background until it has ended or needs a person`);

export function addStartCommands(program: Command, bind: BindHandler): void {
  program
    .command("init")
    .description("make this folder a project; asks what to start with, and overwrites nothing")
    .option(
      "--template <name>",
      "start with a small set of agents: incident, coding, company, or existing (your own agents)",
    )
    .option("--pack <name>", "copy the agents of a built-in pack into agents/")
    .option("--list", "list the packs, and change nothing")
    .action(bind(async () => (await import("../commands/init.ts")).init));
  program
    .command("demo")
    .description("run an incident in a copy in a temporary folder; needs no key")
    .action(bind(async () => (await import("../commands/demo.ts")).demo));
  program
    .command("chat [agent]")
    .summary("talk with an agent; `cadre` alone does the same at a terminal")
    .description(
      "Opens a conversation in the terminal. Each message is a run that continues the previous one. /help lists what you can\ntype. Without a terminal, each line of stdin is a message.",
    )
    .option("-c, --continue", "return to the latest conversation of this folder")
    .option("--resume <run>", "return to the conversation of this run")
    .option("--model <name>", "the model of agents that name none")
    .addOption(rehearse())
    .action(bind(async () => (await import("../commands/chat.ts")).chat));
  program
    .command("run [words...]")
    .usage('[options] [agent] "task"')
    .summary("start a run and follow it; without a task: continue unfinished runs")
    .description(
      "Starts a run and follows it until it has ended or needs a person who is not there. Without a task: continues the\nunfinished runs of this folder. `/name arguments` as the task starts a command of .claude/commands or a skill; `-` reads the task from stdin. Exit code: 0 done, 1 failed, 2 usage, 3 waiting for a person, 4 cancelled.",
    )
    .option("-c, --continue", "continue the latest run of this folder with a new message")
    .option("--resume <run>", "continue this run with a new message; it may have ended")
    .option("-p, --print", "print only the answer, and ask nothing")
    .addOption(
      new Option(
        "--output <format>",
        "as --print; json prints one object with result, cost and exit code; github reports to GitHub Actions",
      ).choices(["text", "json", "github"]),
    )
    .addOption(yes())
    .addOption(detach("the run's id"))
    .option("--input <json>", "the agent's input, as `input` in its file defines it: JSON, or @file")
    .addOption(attach())
    .option("--model <name>", "the model of agents that name none")
    .addOption(rehearse())
    .addOption(
      new Option("--permissions <preset>", "the default policy of this run when no rule matches").choices(
        PRESETS,
      ),
    )
    .action(bind(async () => (await import("../commands/run.ts")).run));
  program
    .command("retry <run>")
    .summary("continue an ended run from its last good event")
    .description(
      "Starts a new run that continues an ended one (failed, cancelled or completed) from its last good event, and follows\nit like `cadre run`. Nothing that was done or paid for is repeated.",
    )
    .addOption(yes())
    .addOption(detach("the new run's id"))
    .action(bind(async () => (await import("../commands/run.ts")).retry));
  program
    .command("fork <run>")
    .usage("[options] RUN[#SEQ]")
    .summary("start a new run from an event of another one, which stays unchanged")
    .description(
      "Starts a new root run from the journal of a run up to an event (RUN#SEQ; default: the latest), and follows it like\n`cadre run`. Effects of the run after that point are not repeated: their recorded results are used. Other calls that cannot\nbe undone ask first, unless --allow-effects is given.",
    )
    .option("--message <text>", "a message to add there; at the first event it replaces the task")
    .option("--model <name>", "another model")
    .option("--agent <file>", "another version of the agent's file")
    .option("--allow-effects", "use no recorded results: calls run as the rules say")
    .addOption(yes())
    .addOption(detach("the new run's id"))
    .action(bind(async () => (await import("../commands/run.ts")).fork));
}
